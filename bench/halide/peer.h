// peer.h -- what the files of bench/halide share: a kernel as a Halide pipeline.
#pragma once
#include "Halide.h"

#include <map>
#include <string>
#include <vector>

using namespace Halide;
using namespace Halide::ConciseCasts;

// A fresh pipeline, scheduled unless peer_is_bare(), and its images in the order of bench/kernels.c.
struct Peer {
    Pipeline pipeline;
    std::vector<ImageParam> images;
};
typedef Peer MakePeer();

// By the names of bench/kernels.c; each file adds its own.
std::map<std::string, MakePeer *> &peers();
struct AddPeer {
    AddPeer(const char *name, MakePeer *make) { peers()[name] = make; }
};

// Is the algorithm wanted without a schedule, for one of Halide's autoschedulers?
bool peer_is_bare();

// The target that is compiled for, and its vectors' lanes.
Target peer_target();
static inline int lanes(const Type &type) { return peer_target().natural_vector_size(type); }
