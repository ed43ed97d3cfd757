#!/usr/bin/env -S /usr/bin/python3 -u
"""Times random pipelines beside Halide 14's, under the same schedules.

    run.py SOURCE BUILD SEED [CASES] [NUMBER ..]     fifty pipelines by default; or those numbers alone

`idioms.py` draws a pipeline and a schedule from SEED and a number. Both compilers make an object of it, and both run in
one process, in turn, with the same images: the outputs are compared, and each side has the least time of its visits.
Two processes measure each pipeline, so that the places of images in memory differ. Prints each ratio of our time to
Halide's, and their distribution. Keeps the worst ten in BUILD/random/SEED: the program of each side, the times.
A pipeline that one side refuses is counted, kept, and not replaced. THREADS=2 runs with two threads.
Needs Debian's python3-halide and python3-numpy.
"""
import ctypes, json, os, shutil, statistics, subprocess, sys, tempfile, time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, os.path.dirname(FOLDER)]
import both, idioms

SECONDS = float(os.environ.get('SECONDS_EACH', 1.6))  # of runs in one process
VISIT = 0.004    # seconds of runs in a visit
PROCESSES = 2
THREADS = os.environ.get('THREADS', '1')
KEPT = 10
ABOVE = 1.05
TYPES = {'u8': (1, 8), 'u16': (1, 16), 'u32': (1, 32), 'i16': (0, 16), 'i32': (0, 32), 'f32': (2, 32)}  # code, bits
ALIGNED = 4096


class Dimension(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ('min', 'extent', 'stride', 'flags')]


class Buffer(ctypes.Structure):
    """halide_buffer_t."""
    _fields_ = [('device', ctypes.c_uint64), ('interface', ctypes.c_void_p), ('host', ctypes.c_void_p), ('flags', ctypes.c_uint64),
                ('code', ctypes.c_uint8), ('bits', ctypes.c_uint8), ('lanes', ctypes.c_uint16), ('dimensions', ctypes.c_int32),
                ('dim', ctypes.POINTER(Dimension)), ('padding', ctypes.c_void_p)]


def numpy_type(type):
    return {'u': 'uint', 'i': 'int', 'f': 'float'}[type[0]] + type[1:]


class Picture:
    """An array and its halide_buffer_t; numpy's last dimension is the densest."""

    def __init__(self, np, type, box, interleaved=False):
        extents = [n for _, n in box]
        count = int(np.prod(extents))
        size = np.dtype(numpy_type(type)).itemsize
        raw = np.zeros(count * size + ALIGNED, np.uint8)
        skip = -raw.ctypes.data % ALIGNED
        self.elements = raw[skip:skip + count * size].view(numpy_type(type))
        order = [2, 0, 1] if interleaved else range(len(extents))
        strides, stride = [0] * len(extents), 1
        for d in order:
            strides[d], stride = stride, stride * extents[d]
        self.dim = (Dimension * len(box))(*[Dimension(m, n, s, 0) for (m, n), s in zip(box, strides)])
        self.buffer = Buffer(0, None, self.elements.ctypes.data, 0, *TYPES[type], 1, len(box), self.dim, None)
        self.raw = raw


def images_of(np, program):
    rng, pictures = np.random.RandomState(1), []
    for image in program.images:
        picture = Picture(np, image.type, program.sizes[image.name], image.interleaved)
        n = len(picture.elements)
        picture.elements[:] = rng.rand(n) if image.type == 'f32' else rng.randint(0, 256 if image.type == 'u8' else 2000, n)
        pictures.append(picture)
    return pictures


def clock():
    return time.process_time_ns() if THREADS == '1' else time.perf_counter_ns()


def visit(run, count):
    start = clock()
    for _ in range(count):
        run()
    return (clock() - start) / count


def measure(program, work):
    """In a process of its own: the least and the median times in nanoseconds, and the difference of the outputs."""
    import numpy as np
    inputs = images_of(np, program)
    type = program.type('out')
    outputs, sides = {}, {}
    for side in ('ours', 'halide'):
        outputs[side] = Picture(np, type, [(0, n) for n in program.size], program.interleaved)
        function = ctypes.CDLL(f'{work}/{side}.so').p
        arguments = [ctypes.byref(picture.buffer) for picture in inputs + [outputs[side]]]
        sides[side] = lambda function=function, arguments=arguments: function(*arguments)
        code = sides[side]()
        if code:
            raise RuntimeError(f'{side} returns {code}')
    a, b = (outputs[side].elements.astype('float64') for side in ('ours', 'halide'))
    scale = max(1.0, float(np.abs(b).max())) if type == 'f32' else 1.0
    difference = float(np.abs(a - b).max()) / scale
    least = {side: min(visit(sides[side], 1) for _ in range(3)) for side in sides}
    counts = {side: max(1, int(VISIT * 1e9 / least[side])) for side in sides}
    rounds = max(5, min(60, int(SECONDS / sum(least[side] * counts[side] * 1e-9 for side in sides))))
    times = {side: [] for side in sides}
    for round_ in range(rounds):
        for side in sorted(sides, reverse=round_ % 2 == 0):
            times[side].append(visit(sides[side], counts[side]))
    return {'difference': difference, **{f'{side}_least': min(t) for side, t in times.items()},
            **{f'{side}_median': statistics.median(t) for side, t in times.items()}}


def compile_ours(build, source, work):
    made = subprocess.run([f'{build}/hlc', 'compile', f'{work}/p.hl', '--schedule=s', '-o', f'{work}/ours.o'], capture_output=True, text=True)
    if made.returncode:
        return made.stderr.strip() or f'exit code {made.returncode}'
    link = subprocess.run(['cc', '-shared', '-Wl,-Bsymbolic', '-o', f'{work}/ours.so', f'{work}/ours.o', f'-L{build}', '-lsleef', '-lhlcrt', '-lm', '-lpthread'],
                          capture_output=True, text=True)
    return link.stderr if link.returncode else None


def compile_halide(text, work):
    import halide as hl
    made = {}
    exec(text, made)
    # Halide 14 takes some processors for a Sapphire Rapids, and makes instructions that they lack.
    target = hl.Target(str(hl.get_host_target()).replace('-avx512_sapphirerapids', ''))
    images = [made[f'i_{name}'] for name in made['images']]
    made['f_out'].compile_to({hl.OutputFileType.object: f'{work}/halide.o'}, images, 'p', target)
    subprocess.run(['cc', '-shared', '-Wl,-Bsymbolic', '-o', f'{work}/halide.so', f'{work}/halide.o', '-lpthread', '-ldl', '-lm'], check=True)


def case(build, seed, number):
    """One pipeline: its times, or who refuses it and why."""
    program = idioms.draw(seed, number)
    result = {'number': number, 'idiom': program.idiom, 'hl': both.hlc_text(program, program.lines)}
    result['halide'] = both.halide_text(program, program.lines) + f'images = {[i.name for i in program.images]!r}\n'
    with tempfile.TemporaryDirectory() as work:
        open(f'{work}/p.hl', 'w').write(result['hl'])
        refusal = compile_ours(build, result['hl'], work)
        if refusal:
            return {**result, 'refused by hlc': refusal}
        answer, why = both.in_child(lambda: compile_halide(result['halide'], work), 60)
        if answer != 'took':
            return {**result, 'refused by Halide': why}
        parts = []
        for _ in range(PROCESSES):
            answer, got = both.in_child(lambda: measure(program, work), 60)
            if answer != 'took':
                return {**result, 'failed': got}
            parts.append(got)
        for key in parts[0]:
            result[key] = (max if key == 'difference' else statistics.median if key.endswith('median') else min)(p[key] for p in parts)
        result['ratio'] = result['ours_least'] / result['halide_least']
        result['median_ratio'] = result['ours_median'] / result['halide_median']
        result['agrees'] = result['difference'] <= program.tolerance
    return result


def reason(result):
    return next((f'{key}: {result[key].splitlines()[0][:110] if result[key] else ""}' for key in ('refused by hlc', 'refused by Halide', 'failed') if key in result), None)


def print_case(result):
    head = f"{result['number']:4} {result['idiom']:<12}"
    if reason(result):
        print(head, reason(result))
        return
    print(head, f"ours {result['ours_least'] / 1e6:8.3f} ms  Halide's {result['halide_least'] / 1e6:8.3f} ms  ratio {result['ratio']:5.2f}"
          f"  of medians {result['median_ratio']:5.2f}" + ('' if result['agrees'] else f"  DIFFERS by {result['difference']:g}"))


def keep(folder, results):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for result in results:
        base = f"{folder}/{result['number']:02}-{result['idiom']}"
        open(base + '.hl', 'w').write(result['hl'])
        open(base + '.halide.py', 'w').write(result['halide'])
        open(base + '.json', 'w').write(json.dumps({k: v for k, v in result.items() if k not in ('hl', 'halide')}, indent=1) + '\n')


def print_distribution(results, folder):
    timed = sorted((r for r in results if 'ratio' in r), key=lambda r: -r['ratio'])
    refused = [r for r in results if 'ratio' not in r]
    for key in ('refused by hlc', 'refused by Halide', 'failed'):
        if any(key in r for r in refused):
            print(f"{key}: {sum(key in r for r in refused)}")
    keep(folder, timed[:KEPT] + refused)
    if not timed:
        return
    ratios = [r['ratio'] for r in timed]
    above = sum(r > ABOVE for r in ratios)
    print('ratios, worst first: ' + ' '.join(f'{r:.2f}' for r in ratios))
    print(f"{len(ratios)} pipelines with {THREADS} thread(s): geometric mean {statistics.geometric_mean(ratios):.3f}, above {ABOVE} "
          f"{above} ({100 * above / len(ratios):.0f} %), worst {ratios[0]:.2f}; the worst {len(timed[:KEPT])} are in {folder}")


def main():
    try:
        import halide, numpy
    except ImportError as e:
        print(f'SKIPPED: bench/random needs python3-halide and python3-numpy ({e})')
        sys.exit(77)
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    build, seed = os.path.abspath(sys.argv[2]), sys.argv[3]
    numbers = [int(n) for n in sys.argv[5:]] or range(int(sys.argv[4]) if len(sys.argv) > 4 else 50)
    os.environ.update(HLC_NUM_THREADS=THREADS, HL_NUM_THREADS=THREADS)
    results = []
    for number in numbers:
        results.append(case(build, seed, number))
        print_case(results[-1])
    print_distribution(results, f'{build}/random/{seed}')
    sys.exit(0 if all(r.get('agrees', 'failed' not in r) for r in results) else 1)


if __name__ == '__main__':
    main()
