#!/usr/bin/env python3
"""Programs that grow with a number, and whether the compiler takes each one or refuses it in time.

    tests/growth.py list                     the families
    tests/growth.py program FAMILY N         prints the program of size N
    tests/growth.py check BUILD [FAMILY ..]  compiles each family at its sizes, within the limits

A size is taken, or refused with a code. Each process has SECONDS of processor time and MEGABYTES of
address space, and the exit code tells if that was too little. `bench/growth.py` measures how fast each family grows.
"""
import os, pathlib, re, resource, subprocess, sys, tempfile

SECONDS, MEGABYTES = 10, 1024
TARGET = 'x86-64-v4'  # whatever this machine is: its registers decide how large the code is


def pipeline(body, inputs='a: image<i32, 1>', outputs='out', schedule='', helpers=''):
    return (f'{helpers}pipeline p({inputs}) -> {outputs} {{\n{body}}}\n\n' +
            f'schedule s for p {{\n{schedule}}}\n')


def lines(texts):
    return ''.join(f'    {text}\n' for text in texts)


def inlined_stencils(n):
    """n levels of 2x2 reads, all inlined."""
    funs = ['fun g0(x, y) = a(x, y);'] + [
        f'fun g{k}(x, y) = g{k - 1}(x, y) + g{k - 1}(x + 1, y) + g{k - 1}(x, y + 1) + g{k - 1}(x + 1, y + 1);'
        for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x, y) = g{n}(x, y);']), 'a: image<i32, 2>',
                    schedule=lines(f'inline(g{k});' for k in range(n + 1)))


def inlined_fibonacci(n):
    """n funcs, each the sum of the two before, all inlined."""
    funs = ['fun g0(x) = a(x);', 'fun g1(x) = a(x + 1);'] + [
        f'fun g{k}(x) = g{k - 1}(x) + g{k - 2}(x);' for k in range(2, n + 1)]
    return pipeline(lines(funs + [f'fun out(x) = g{n}(x);']),
                    schedule=lines(f'inline(g{k});' for k in range(n + 1)))


def lets(n):
    """A chain of n lets, each read twice by the next."""
    body = ['let t_0 = a(x);'] + [f'let t_{k} = t_{k - 1} * t_{k - 1} + {k};' for k in range(1, n + 1)]
    return pipeline('    fun out(x) = {\n' + ''.join(f'        {text}\n' for text in body) +
                    f'        t_{n};\n    }}\n')


def network(n, exchange):
    """The median of n values by odd-even sort; `exchange(p, q)` gives the texts of the least and the greatest."""
    names, body, count = [f'v{k}' for k in range(n)], [f'let v{k} = a(x + {k});' for k in range(n)], 0
    for stage in range(n):
        for i in range(stage % 2, n - 1, 2):
            lo, hi = f'l_{count}', f'h_{count}'
            count += 1
            least, greatest = exchange(names[i], names[i + 1])
            body += [f'let {lo} = {least};', f'let {hi} = {greatest};']
            names[i], names[i + 1] = lo, hi
    return pipeline('    fun out(x) = {\n' + ''.join(f'        {text}\n' for text in body) +
                    f'        {names[n // 2]};\n    }}\n', schedule=lines(['vectorize(out.x, 8);']))


def median(n):
    """A network of min and max."""
    return network(n, lambda p, q: (f'min({p}, {q})', f'max({p}, {q})'))


def median_select(n):
    """A network of selects."""
    return network(n, lambda p, q: (f'select({p} < {q}, {p}, {q})', f'select({p} < {q}, {q}, {p})'))


def median_pairs(n):
    """The same network of tuples that a helper exchanges."""
    names, body, count = [f'v{k}' for k in range(n)], [f'let v{k} = a(x + {k});' for k in range(n)], 0
    for stage in range(n):
        for i in range(stage % 2, n - 1, 2):
            body += [f'let p_{count} = exchange({{{names[i]}, {names[i + 1]}}});']
            names[i], names[i + 1] = f'p_{count}.0', f'p_{count}.1'
            count += 1
    return pipeline('    fun out(x) = {\n' + ''.join(f'        {text}\n' for text in body) +
                    f'        {names[n // 2]};\n    }}\n', schedule=lines(['vectorize(out.x, 8);']),
                    helpers='let exchange(p) = {min(p.0, p.1), max(p.0, p.1)};\n')


def clamped_chain(n):
    """A chain of n funcs through min(x + 1, 20)."""
    funs = ['fun g0(x) = a(x);'] + [
        f'fun g{k}(x) = g{k - 1}(min(x + 1, 20)) + g{k - 1}(x);' for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x) = g{n}(x);']))


def clamped_once(n):
    """A chain of n funcs, each read once, through min(x + 1, 20)."""
    funs = ['fun g0(x) = a(x);'] + [f'fun g{k}(x) = g{k - 1}(min(x + 1, 20));' for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x) = g{n}(x);']))


def clamped_parameters(n):
    """The same chain, through a clamp by a parameter of its own."""
    funs = ['fun g0(x) = a(x);'] + [
        f'fun g{k}(x) = g{k - 1}(clamp(x + {k}, -m{k % 7}, m{k % 5})) + g{k - 1}(x);' for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x) = g{n}(x);']),
                    'a: image<i32, 1>, ' + ', '.join(f'm{k}: i32 = {k + 5} in 0..100' for k in range(7)))


def clamped_both(n):
    """A chain of n funcs that grow to both sides, one through min(x + 1, 20)."""
    funs = ['fun g0(x) = a(x);'] + [
        f'fun g{k}(x) = g{k - 1}(x - 1) + g{k - 1}(min(x + 1, 20));' for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x) = g{n}(x);']))


def clamped_slide(n):
    """A chain of n funcs that slide along the output, each through min(x + 1, 20)."""
    funs = ['let src = repeat_edge(a);', 'fun g0(x) = src(x);'] + [
        f'fun g{k}(x) = g{k - 1}(x - 1) + g{k - 1}(min(x + 1, 20));' for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x) = g{n}(x);']),
                    schedule=lines(f'compute-at(g{k}, out.x); store-root(g{k});' for k in range(n + 1)))


def clamped_slide_2d(n):
    """The same chain in two dimensions, which slides along tiles of the output."""
    funs = ['let src = repeat_edge(a);', 'fun g0(x, y) = src(x, y);'] + [
        f'fun g{k}(x, y) = g{k - 1}(x - 1, y) + g{k - 1}(min(x + 1, 20), y);' for k in range(1, n + 1)]
    return pipeline(lines(funs + [f'fun out(x, y) = g{n}(x, y);']), 'a: image<i32, 2>',
                    schedule=lines(['split(out.x, xo, xi, 8, shift-inwards);'] +
                                   [f'compute-at(g{k}, out.xi); store-at(g{k}, out.xo);' for k in range(n + 1)]))


def clamped_nest(n):
    """n clamps inside clamps, in one index."""
    body = ['let t_0 = x;'] + [
        f'let t_{k} = clamp(t_{k - 1} + {k % 3 - 1}, m{k % 7} - {k}, m{k % 5} + {100 + k});' for k in range(1, n + 1)]
    return pipeline('    fun out(x) = {\n' + ''.join(f'        {text}\n' for text in body) + f'        a(t_{n});\n    }}\n',
                    'a: image<i32, 1>, ' + ', '.join(f'm{k}: i32 = {k + 5} in 0..100' for k in range(7)))


def pyramid(n):
    """n levels down by 2 and up again behind a boundary condition, stored; each level up reads the one down."""
    funs = ['let src = repeat_edge(a);', 'fun down0(x) = src(x);'] + [
        f'fun down{k}(x) = down{k - 1}(2*x - 1) + down{k - 1}(2*x) * 2 + down{k - 1}(2*x + 1);' for k in range(1, n + 1)]
    funs += [f'fun up{n}(x) = down{n}(x);'] + [
        f'fun up{k}(x) = up{k + 1}(x / 2) + up{k + 1}((x + 1) / 2) + down{k}(x);' for k in reversed(range(n))]
    return pipeline(lines(funs + ['fun out(x) = up0(x);']))


def specialized_levels(n):
    """n funcs in a chain, each with a specialization."""
    funs = ['fun g0(x) = a(x);'] + [f'fun g{k}(x) = g{k - 1}(x) + g{k - 1}(x + 1) * w;' for k in range(1, n)]
    return pipeline(lines(funs + [f'fun out(x) = g{n - 1}(x);']), 'a: image<i32, 1>, w: i32 = 3 in 0..1000000',
                    schedule=lines(f'specialize(g{k}, w == {k});' for k in range(n)))


def tree(n):
    """A binary tree of n funcs: each func reads two others."""
    funs = [f'fun g{k}(x) = a(x + {k});' for k in range(n // 2, n)]
    funs += [f'fun g{k}(x) = g{2 * k + 1}(x) + g{min(2 * k + 2, n - 1)}(x + 1);' for k in reversed(range(n // 2))]
    return pipeline(lines(funs + ['fun out(x) = g0(x);']))


def conditions(n):
    """specialize with n conditions."""
    return pipeline(lines(['fun out(x) = a(x) + w;']), 'a: image<i32, 1>, w: i32 = 3 in 0..1000000',
                    schedule=lines(['specialize(out, ' + ', '.join(f'w == {k}' for k in range(n)) + ');']))


def specializations(n):
    """n directives specialize."""
    return pipeline(lines(['fun out(x) = a(x) + w;']), 'a: image<i32, 1>, w: i32 = 3 in 0..1000000',
                    schedule=lines(f'specialize(out, w == {k});' for k in range(n)))


def table(n):
    """A table of n numbers."""
    numbers = ', '.join(str(k * 7919 % 1000003) for k in range(n))
    return pipeline(lines(['fun out(x) = a(x) + t[x];']), helpers=f'const t = [{numbers}];\n')


def table_by_value(n):
    """A table of n numbers read at a value, in vectors."""
    numbers = ', '.join(str(k * 7919 % 1000003) for k in range(n))
    return pipeline(lines(['fun out(x) = a(x) + t[a(x)];']), helpers=f'const t = [{numbers}];\n',
                    schedule=lines(['vectorize(out.x, 8);']))


def divisions(n):
    """n divisions of i64 in vectors of 256."""
    terms = ' + '.join(f'(a(x) + {k}) / (a(x + {k}) | 1)' for k in range(n))
    return pipeline(lines([f'fun out(x) = {terms};']), 'a: image<i64, 1>', schedule=lines(['vectorize(out.x, 256);']))


def vector_width(n):
    """20 divisions of i64 in vectors of n."""
    terms = ' + '.join(f'(a(x) + {k}) / (a(x + {k}) | 1)' for k in range(20))
    return pipeline(lines([f'fun out(x) = {terms};']), 'a: image<i64, 1>', schedule=lines([f'vectorize(out.x, {n});']))


def images(n):
    """n images of 4 dimensions."""
    terms = ' + '.join(f'i_{k}(x, y, z, w)' for k in range(n))
    return pipeline(lines([f'fun out(x, y, z, w) = {terms};']), ', '.join(f'i_{k}: image<i32, 4>' for k in range(n)))


def outputs(n):
    """n outputs."""
    return pipeline(lines(f'fun o{k}(x) = a(x) + {k};' for k in range(n)),
                    outputs='(' + ', '.join(f'o{k}' for k in range(n)) + ')')


def chain(n):
    """A chain of n funcs."""
    funs = ['fun g0(x) = a(x);'] + [f'fun g{k}(x) = g{k - 1}(x) + g{k - 1}(x + 1);' for k in range(1, n)]
    return pipeline(lines(funs + [f'fun out(x) = g{n - 1}(x);']))


def chain_at(n):
    """A chain of n funcs, each computed at a loop of its consumer."""
    funs = ['fun g0(x, y) = a(x, y);'] + [f'fun g{k}(x, y) = g{k - 1}(x, y) + g{k - 1}(x, y + 1);' for k in range(1, n)]
    return pipeline(lines(funs + [f'fun out(x, y) = g{n - 1}(x, y);']), 'a: image<i32, 2>',
                    schedule=lines(f'compute-at(g{k}, out.y);' for k in reversed(range(n))))


def at_one_loop(n):
    """n funcs at one loop, all read by the output."""
    funs = [f'fun g{k}(x, y) = a(x, y) + {k};' for k in range(n)]
    return pipeline(lines(funs + ['fun out(x, y) = ' + ' + '.join(f'g{k}(x, y)' for k in range(n)) + ';']),
                    'a: image<i32, 2>', schedule=lines(f'compute-at(g{k}, out.y);' for k in range(n)))


def at_root(n):
    """n funcs at root, all read by the output."""
    funs = [f'fun g{k}(x) = a(x) + {k};' for k in range(n)]
    return pipeline(lines(funs + ['fun out(x) = ' + ' + '.join(f'g{k}(x)' for k in range(n)) + ';']))


def mirrored(n):
    """n mirrored reads in vectors of 64."""
    terms = ' + '.join(f'm(x + {k})' for k in range(n))
    return pipeline(lines(['let m = mirror_image(a);', f'fun out(x) = {terms};']), schedule=lines(['vectorize(out.x, 64);']))


def reads(n):
    """A sum of n reads."""
    return pipeline(lines(['fun out(x) = ' + ' + '.join(f'a(x + {k})' for k in range(n)) + ';']))


def reads_vector(n):
    """A sum of n reads in vectors."""
    return pipeline(lines(['fun out(x) = ' + ' + '.join(f'a(x + {k})' for k in range(n)) + ';']),
                    schedule=lines(['vectorize(out.x, 8);']))


def reads_of_func(n):
    """A sum of n reads of a func."""
    return pipeline(lines(['fun f(x) = a(x);', 'fun out(x) = ' + ' + '.join(f'f(x + {k})' for k in range(n)) + ';']))


def selects(n):
    """A chain of n lets that select."""
    body = ['let t_0 = a(x);'] + [f'let t_{k} = select(a(x) < {k}, a(x + {k}), t_{k - 1});' for k in range(1, n)]
    return pipeline('    fun out(x) = {\n' + ''.join(f'        {text}\n' for text in body) + f'        t_{n - 1};\n    }}\n')


def updates(n):
    """n updates of one func."""
    return pipeline('    fun out(x) = {\n        a(x);\n' +
                    ''.join(f'        (x) <- out(x) * 3 + {k};\n' for k in range(n)) + '    }\n')


def unrolled(n):
    """A loop of n iterations, unrolled."""
    return pipeline(lines(['fun out(x) = a(x) * a(x + 1);']), schedule=lines([f'unroll(out.x, {n});']))


def requirements(n):
    """n requirements."""
    return pipeline(lines([f'require(w != {k}, "w is {k}");' for k in range(n)] + ['fun out(x) = a(x) + w;']),
                    'a: image<i32, 1>, w: i32 = -3 in -100..1000000')


def splits(n):
    """n funcs with a split and a vectorized loop each."""
    funs = ['fun g0(x) = a(x);'] + [f'fun g{k}(x) = g{k - 1}(x) + g{k - 1}(x + 1);' for k in range(1, n)]
    return pipeline(lines(funs + [f'fun out(x) = g{n - 1}(x);']), schedule=lines(f'vectorize(g{k}.x, 8);' for k in range(n)))


FAMILIES = {name: f for name, f in list(globals().items()) if callable(f) and f.__doc__ and name not in ('pipeline', 'lines')}

# The sizes of each family: taken where no code stands, taken with a warning (E0955), or refused with the code.
SIZES = {
    'inlined_stencils': {14: '', 28: 'E0955', 100: 'E0952'},
    'inlined_fibonacci': {40: '', 400: ''},
    'lets': {50: '', 200: '', 1000: 'E0903'},
    'median': {25: ''},
    'median_select': {25: ''},
    'median_pairs': {25: ''},
    'clamped_once': {400: ''},
    'clamped_chain': {200: '', 800: 'E0955'},
    'clamped_parameters': {40: ''},
    'clamped_both': {100: '', 1000: 'E0955'},
    'clamped_slide': {60: ''},
    'clamped_slide_2d': {60: ''},
    'clamped_nest': {100: ''},
    'pyramid': {20: ''},
    'specialized_levels': {100: ''},
    'tree': {1000: ''},
    'conditions': {1000: '', 20000: 'E0956'},
    'table': {100000: '', 200000: 'E0915'},
    'table_by_value': {16000: ''},
    'divisions': {60: '', 1000: 'E0955'},
    'vector_width': {256: ''},
    'images': {64: '', 256: 'E0955', 257: 'E0907'},
    'outputs': {128: '', 512: 'E0955', 1600: 'E0914'},
    'chain': {500: '', 4000: 'E0955', 10000: 'E0954', 17000: 'E0908'},
    'chain_at': {400: ''},
    'at_one_loop': {500: '', 4000: 'E0955'},
    'at_root': {500: '', 4000: 'E0955'},
    'mirrored': {75: '', 300: ''},
    'reads': {2500: '', 20000: 'E0955'},
    'reads_vector': {1000: '', 5000: 'E0955', 40000: 'E0954'},
    'reads_of_func': {1000: '', 4000: 'E0955'},
    'selects': {500: ''},
    'updates': {255: '', 300: 'E0909'},
    'unrolled': {64: '', 1024: 'E0861', 4096: 'E0519'},
    'requirements': {1000: '', 4000: 'E0955'},
    'splits': {500: ''},
}


def compile_program(hlc, family, size, folder, seconds=SECONDS, megabytes=MEGABYTES):
    """Compiles under schedule s within the limits: (exit code, text, usage of resources)."""
    path = pathlib.Path(folder) / f'{family}_{size}.hl'
    path.write_text(FAMILIES[family](size))
    command = [hlc, 'compile', str(path), '--schedule=s', f'--target={TARGET}', '--allow=E0433', '--allow=E0442',
               '-o', str(path) + '.o', f'--memory-limit={megabytes}']

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    with open(str(path) + '.txt', 'wb') as out:
        child = subprocess.Popen(command, stdout=out, stderr=out, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    text = pathlib.Path(str(path) + '.txt').read_text(errors='replace')
    for name in (path, str(path) + '.o', str(path) + '.txt'):
        pathlib.Path(name).unlink(missing_ok=True)
    return child.returncode, text, usage


def wrong(family, size, code, exit_code, text):
    """What is wrong with the answer; empty: nothing."""
    said = re.search(r'^(\S+:\d+:\d+: )?(error|warning)\[(E\d+)\]', text, re.M)
    if said and not said.group(1):
        return f'{said.group(3)} names no place'
    if (said.group(3) if said else '') != code:
        return f'{code or "nothing"} was to be said: {text[:300]}'
    wanted = 0 if not code or said.group(2) == 'warning' else 2
    return '' if exit_code == wanted else f'exit code {exit_code}, not {wanted}'


def check(build, families):
    failures = programs = 0
    share = int(os.environ.get('HLC_SHARE', 1))
    with tempfile.TemporaryDirectory() as folder:
        for family in families or SIZES:
            for size, code in SIZES[family].items():
                programs += 1
                if programs % share:
                    continue
                exit_code, text, _ = compile_program(os.path.join(build, 'hlc'), family, size, folder)
                fault = wrong(family, size, code, exit_code, text)
                if fault:
                    failures += 1
                    print(f'FAILED: {family} {size}: {fault}')
    print(f'{programs // share} programs, {failures} failures')
    return failures


if __name__ == '__main__':
    if sys.argv[1:2] == ['list']:
        for name, f in FAMILIES.items():
            print(f'{name:20} {f.__doc__}')
    elif sys.argv[1:2] == ['program'] and len(sys.argv) == 4:
        sys.stdout.write(FAMILIES[sys.argv[2]](int(sys.argv[3])))
    elif sys.argv[1:2] == ['check'] and len(sys.argv) > 2:
        sys.exit(check(sys.argv[2], sys.argv[3:]) > 0)
    else:
        sys.exit(__doc__)
