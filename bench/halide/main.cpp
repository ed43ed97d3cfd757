// main.cpp -- Halide's side of the benchmark.  Lowering is Pipeline::compile_to_module, all is
// Pipeline::compile_jit, each of a fresh pipeline.  HL_NUM_THREADS says with how many threads it runs.
//
// With BENCH_AUTOSCHEDULER in the environment (Mullapudi2016, Li2018 or Adams2019), the pipeline has that plug-in's
// schedule for the kernel's sizes and these threads; then the time of lowering is that of choosing it.
#include "peer.h"

#include "bench/kernel.h"

#include <cstdio>
#include <cstdlib>

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

bool peer_is_bare() {
    return getenv("BENCH_AUTOSCHEDULER") != nullptr;
}

static Region region_of(const KernelImage &image) {
    Region region;
    for (int d = 0; d < image.dimensions; d++)
        region.push_back({image.minimum[d], image.extent[d]});
    return region;
}

// The plug-in is named by its path. A last cache of 16 MiB and a balance of 40 are Halide's own defaults.
static void autoschedule(const Kernel *kernel, Peer &peer) {
    static bool is_loaded = false;
    if (!is_loaded)
        load_plugin(getenv("BENCH_PLUGIN"));
    is_loaded = true;
    for (int i = 0; i < kernel->inputs; i++)
        peer.images[i].set_estimates(region_of(kernel->images[i]));
    peer.pipeline.outputs()[0].set_estimates(region_of(kernel->images[kernel->inputs]));
    const char *threads = getenv("HL_NUM_THREADS");
    MachineParams machine(threads ? atoi(threads) : 1, 16 << 20, 40);
    peer.pipeline.auto_schedule(getenv("BENCH_AUTOSCHEDULER"), peer_target(), machine);
}

static bool compile_chosen(const Kernel *kernel, MakePeer *make, double *choose_ms, double *all_ms) {
    made = make();
    double start = kernel_processor_ms();
    autoschedule(kernel, made);
    double middle = kernel_processor_ms();
    made.pipeline.compile_jit(peer_target().with_feature(Target::JIT));
    *choose_ms = middle - start;
    *all_ms = kernel_processor_ms() - middle;
    return true;
}

static bool compile(const Kernel *kernel, double *lower_ms, double *all_ms) {
    auto found = peers().find(kernel->halide ? kernel->halide : kernel->name);
    if (found == peers().end())
        return false;
    if (peer_is_bare())
        return compile_chosen(kernel, found->second, lower_ms, all_ms);
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
