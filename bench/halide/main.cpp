// main.cpp -- Halide's side of the benchmark.  Lowering is Pipeline::compile_to_module, all is
// Pipeline::compile_jit, each of a fresh pipeline.  HL_NUM_THREADS says with how many threads it runs.
#include "peer.h"

#include "bench/kernel.h"

#include <cstdio>

std::map<std::string, MakePeer *> &peers() {
    static std::map<std::string, MakePeer *> all;
    return all;
}

// Halide 14 calls every processor with AVX-512 FP16 a Sapphire Rapids and, through LLVM 14, makes FP16
// instructions also for some that lack them.
Target peer_target() {
    return get_host_target().without_feature(Target::AVX512_SapphireRapids);
}

static Peer made;

static bool compile(const Kernel *kernel, double *lower_ms, double *all_ms) {
    auto found = peers().find(kernel->halide ? kernel->halide : kernel->name);
    if (found == peers().end())
        return false;
    Peer lowered = found->second();
    std::vector<Argument> arguments = lowered.pipeline.infer_arguments();
    made = found->second();
    double start = kernel_processor_ms();
    lowered.pipeline.compile_to_module(arguments, "peer", peer_target().with_feature(Target::JIT));
    double middle = kernel_processor_ms();
    made.pipeline.compile_jit(peer_target().with_feature(Target::JIT));
    *lower_ms = middle - start;
    *all_ms = kernel_processor_ms() - middle;
    return true;
}

static bool run(const Kernel *kernel, halide_buffer_t **buffers) {
    static const Target target = peer_target().with_feature(Target::JIT);
    static Buffer<> output;
    if (!output.defined())
        output = Buffer<>(Runtime::Buffer<>(*buffers[kernel->inputs]));
    for (int i = 0; i < kernel->inputs; i++)
        if (!made.images[i].get().defined())
            made.images[i].set(Buffer<>(Runtime::Buffer<>(*buffers[i])));
    made.pipeline.realize(output, target);
    return true;
}

int main(int argc, char **argv) {
    const Side side = {compile, run};
    return kernel_serve(argc, argv, &side);
}
