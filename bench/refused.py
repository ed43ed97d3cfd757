#!/usr/bin/env -S /usr/bin/python3 -u
"""The share of schedules that Halide 14 takes and hlc refuses.

    bench/refused.py HLC CASES SEED [FOLDER]

Draws pipelines from the idioms of Halide programs, and schedules from Halide's vocabulary, without looking at what is
legal. Each case is written for both compilers and run by both on the same input. Prints how many each takes, the
reasons of those that only hlc refuses, by code, and the outputs that differ. FOLDER gets their programs. Needs
Debian's python3-halide and python3-numpy. A case is drawn from SEED and its number alone.

`both.py` writes the programs. All values are i32, and small enough not to overflow, because Halide does not define
what an overflow gives.
"""
import collections, os, random, re, subprocess, sys, tempfile

import both
from both import V, consumers_of, halide_text, hlc_text, in_child

WIDTH, HEIGHT, MARGIN, EXTENT = 64, 48, 96, 320


class Program(both.Program):
    def __init__(self, r):
        super().__init__()
        self.image('input', 'u8', 2, r.choice(['none', 'edge', 'zero', 'mirror']))


# ---- expressions ----

def call(f, *indices):
    return ('cast', 'i32', ('call', 'input', *indices)) if f == 'in' else ('call', f, *indices)


def add(*terms):
    total = terms[0]
    for term in terms[1:]:
        total = ('+', total, term)
    return total


X, Y, C, R, S = V('x'), V('y'), V('c'), V('r'), V('s')


def shifted(r, v, most=2):
    k = r.randint(-most, most)
    return ('+', v, k) if k else v


# ---- idioms ----

def blur(p, r):
    k = r.randint(1, 3)
    p.func('bx', 'xy', add(*(call('in', ('+', X, i), Y) for i in range(-k, k + 1))))
    p.func('out', 'xy', ('/', add(*(call('bx', X, ('+', Y, i)) for i in range(-k, k + 1))), 2*k + 1))


def chain(p, r):
    last = 'in'
    for i in range(r.randint(2, 5)):
        name = f's{i}'
        p.func(name, 'xy', add(*(call(last, shifted(r, X), shifted(r, Y)) for _ in range(r.randint(1, 3)))))
        last = name
    p.funcs[-1].name = 'out'


def pyramid(p, r):
    levels, last = r.randint(1, 3), 'in'
    for i in range(levels):
        p.func(f'd{i}', 'xy', ('/', add(*(call(last, ('+', ('*', X, 2), a), ('+', ('*', Y, 2), b)) for a in (0, 1) for b in (0, 1))), 4))
        last = f'd{i}'
    for i in reversed(range(levels)):
        name = f'u{i}' if i else 'out'
        below = f'd{i - 1}' if i else 'in'
        p.func(name, 'xy', ('-', call(below, X, Y), add(call(last, ('/', X, 2), ('/', Y, 2)), call(last, ('/', ('+', X, 1), 2), ('/', Y, 2)))))
        last = name


def histogram(p, r):
    n = r.choice([16, 32])
    p.func('hist', 'x', 0).update([('%', call('in', R, S), n)], ('+', call('hist', ('%', call('in', R, S), n)), 1), [('r', 0, 40), ('s', 0, 30)])
    p.func('cdf', 'x', call('hist', X)).update([R], ('+', call('cdf', ('-', R, 1)), call('hist', R)), [('r', 1, n - 1)])
    p.func('out', 'xy', call('cdf', ('%', call('in', X, Y), n)))


def product(p, r):
    k = r.choice([8, 16, 24])
    p.func('prod', 'xy', 0).update([X, Y], ('+', call('prod', X, Y), ('*', call('in', R, Y), call('in', X, R))), [('r', 0, k)])
    p.func('out', 'xy', ('max', call('prod', X, Y), 0))


def convolution(p, r):
    p.func('pad', 'xy', call('in', ('-', X, 1), ('-', Y, 1)))
    p.func('conv', 'xyc', C).update([X, Y, C], add(call('conv', X, Y, C), ('*', call('pad', ('+', X, R), ('+', Y, S)), add(R, S, C))), [('r', 0, 3), ('s', 0, 3)])
    p.func('out', 'xy', add(call('conv', X, Y, 0), call('conv', X, Y, 1), call('conv', X, Y, 2)))


def rows(p, r):
    p.func('total', 'y', 0).update([Y], ('+', call('total', Y), call('in', R, Y)), [('r', 0, r.choice([32, 50, 64]))])
    p.func('out', 'xy', ('-', ('*', call('in', X, Y), 64), call('total', Y)))


def morphology(p, r):
    k = r.randint(1, 2)
    window = [call('in', ('+', X, i), ('+', Y, j)) for i in range(-k, k + 1) for j in range(-k, k + 1)]
    low, high = window[0], window[0]
    for w in window[1:]:
        low, high = ('min', low, w), ('max', high, w)
    p.func('low', 'xy', low)
    p.func('high', 'xy', high)
    p.func('out', 'xy', ('-', call('high', X, Y), call('low', X, Y)))


def demosaic(p, r):
    p.func('d', 'xy', ('max', ('min', call('in', X, Y), 200), 10))
    p.func('g', 'xy', ('select', ('==', ('%', add(X, Y), 2), 0), call('d', X, Y), ('/', add(call('d', ('-', X, 1), Y), call('d', ('+', X, 1), Y)), 2)))
    p.func('v', 'xy', ('select', ('==', ('%', Y, 2), 0), call('g', X, Y), ('-', call('d', X, Y), call('g', X, ('+', Y, 1)))))
    p.func('out', 'xy', add(call('g', X, Y), call('v', X, Y)))


def transposed(p, r):
    p.func('t', 'xy', ('*', call('in', Y, X), 3))
    p.func('out', 'xy', add(call('t', Y, X), call('t', ('+', Y, 1), X)))


def resampled(p, r):
    a, b = r.choice([(3, 2), (2, 3), (5, 4), (1, 2)])
    p.func('rx', 'xy', add(call('in', ('/', ('*', X, a), b), Y), call('in', ('+', ('/', ('*', X, a), b), 1), Y)))
    p.func('out', 'xy', add(call('rx', X, ('/', ('*', Y, a), b)), call('rx', X, ('+', ('/', ('*', Y, a), b), 1))))


def scan(p, r):
    p.func('sums', 'xy', call('in', X, Y)).update([R, Y], add(call('sums', ('-', R, 1), Y), call('sums', R, Y)), [('r', 1, WIDTH - 1)])
    p.func('out', 'xy', ('-', call('sums', X, Y), call('in', X, Y)))


def unsharp(p, r):
    p.func('gray', 'xy', ('/', add(call('in', X, Y), ('*', call('in', X, Y), 2)), 3))
    p.func('by', 'xy', add(call('gray', X, ('-', Y, 1)), ('*', call('gray', X, Y), 2), call('gray', X, ('+', Y, 1))))
    p.func('blurred', 'xy', add(call('by', ('-', X, 1), Y), ('*', call('by', X, Y), 2), call('by', ('+', X, 1), Y)))
    p.func('out', 'xy', ('-', ('*', call('gray', X, Y), 2), ('/', call('blurred', X, Y), 16)))


def gradients(p, r):
    p.func('gx', 'xy', ('-', call('in', ('+', X, 1), Y), call('in', ('-', X, 1), Y)))
    p.func('gy', 'xy', ('-', call('in', X, ('+', Y, 1)), call('in', X, ('-', Y, 1))))
    p.func('sum', 'xy', add(*(('*', call('gx', ('+', X, i), ('+', Y, j)), call('gy', ('+', X, i), ('+', Y, j))) for i in (0, 1) for j in (0, 1))))
    p.func('out', 'xy', add(call('sum', X, Y), call('gx', X, Y)))


def table(p, r):
    p.func('lut', 'x', ('/', ('*', X, X), 7))
    p.func('out', 'xy', add(call('lut', ('min', ('max', call('in', X, Y), 0), 255)), call('in', X, Y)))


def edges(p, r):
    p.func('f', 'xy', call('in', X, Y)).update([X, 0], ('+', call('f', X, 0), 5)).update([0, Y], call('in', 1, Y))
    p.func('out', 'xy', add(call('f', X, Y), call('f', ('+', X, 1), Y)))


IDIOMS = [blur, chain, pyramid, histogram, product, convolution, rows, morphology, demosaic, transposed, resampled, scan,
          unsharp, gradients, table, edges]

# ---- schedules ----


class Loops:
    """The loops of a stage, innermost first, as the directives so far leave them."""

    def __init__(self, names, reduction):
        self.names, self.reduction, self.fresh = list(names), set(reduction), 0
        self.said = set()  # loops whose manner is said: authors split before


def draw_loops(r, func, stage, loops, lines):
    for _ in range(r.choice([0, 0, 1, 2, 2, 3, 4])):
        free = [v for v in loops.names if v not in loops.said]
        kind = r.choice(['split', 'split', 'split', 'tile', 'reorder', 'vectorize', 'vectorize', 'parallel', 'unroll', 'fuse'])
        names = loops.names
        if kind == 'split' and free:
            v, k = r.choice(free), r.choice([2, 4, 8, 8, 16, 32, 5])
            o, i = f'{v}o{loops.fresh}', f'{v}i{loops.fresh}'
            loops.fresh += 1
            lines.append(('split', func, stage, v, o, i, k, r.choice(['auto', 'auto', 'guard', 'round-up', 'shift-inwards'])))
            at = names.index(v)
            names[at:at + 1] = [i, o]
            if v in loops.reduction:
                loops.reduction |= {o, i}
            if r.random() < 0.5:
                lines.append((r.choice(['unroll', 'unroll' if v in loops.reduction else 'vectorize']), func, stage, i))
                loops.said.add(i)
        elif kind == 'tile' and len(free) > 1:
            a, b = r.sample(free, 2)
            n = loops.fresh
            loops.fresh += 1
            parts = [f'{a}o{n}', f'{b}o{n}', f'{a}i{n}', f'{b}i{n}']
            lines.append(('tile', func, stage, a, b, *parts, r.choice([4, 8, 16, 32]), r.choice([2, 4, 8, 16]), r.choice(['auto', 'auto', 'guard'])))
            for v, o, i in ((a, parts[0], parts[2]), (b, parts[1], parts[3])):
                at = names.index(v)
                names[at:at + 1] = [i, o]
                if v in loops.reduction:
                    loops.reduction |= {o, i}
            order = [parts[2], parts[3], parts[0], parts[1]]
            places = sorted(names.index(v) for v in order)
            for place, v in zip(places, order):
                names[place] = v
        elif kind == 'reorder' and len(names) > 1:
            some = r.sample(names, r.randint(2, len(names)))
            places = sorted(names.index(v) for v in some)
            for place, v in zip(places, some):
                names[place] = v
            lines.append(('reorder', func, stage, *some))
        elif kind == 'fuse' and len(names) > 1:
            at = r.randrange(len(names) - 1)
            inner, outer, v = names[at], names[at + 1], f'q{loops.fresh}'
            if inner in loops.said or outer in loops.said:
                continue
            loops.fresh += 1
            lines.append(('fuse', func, stage, inner, outer, v))
            names[at:at + 2] = [v]
            if inner in loops.reduction or outer in loops.reduction:
                loops.reduction.add(v)
        elif kind == 'parallel' or (kind in ('vectorize', 'unroll') and r.random() < 0.15):
            lines.append((kind, func, stage, r.choice([v for v in names if v not in loops.reduction] or names)))
            loops.said.add(lines[-1][3])
        elif kind in ('vectorize', 'unroll'):
            inner = [v for v in free if 'i' in v and not (kind == 'vectorize' and v in loops.reduction)]
            if inner:
                lines.append((kind, func, stage, r.choice(inner)))
                loops.said.add(lines[-1][3])


def draw_schedule(program, r):
    loops, lines = {}, []
    for f in program.funcs:
        for s in range(len(f.updates) + 1):
            if s == 0:
                names, reduction = list(f.variables), []
            else:
                indices, _, domain = f.updates[s - 1]
                reduction = [v for v, _, _ in domain]
                names = reduction + [v for v in f.variables if V(v) == indices[f.variables.index(v)]]
            loops[f.name, s] = Loops(names, reduction)
            if names:
                draw_loops(r, f.name, s, loops[f.name, s], lines)
    for f in reversed(program.funcs[:-1]):
        choice = r.random()
        reading = consumers_of(program, f.name)
        if choice < 0.25 and not f.updates:
            lines[:] = [line for line in lines if line[1] != f.name]
            lines.append(('inline', f.name))
            continue
        if choice < 0.5 or not reading:
            lines.append(('compute-root', f.name))
        else:
            among = {g.name for g in reading} if len(reading) == 1 and r.random() < 0.7 else {program.funcs[-1].name}
            stage = r.choice([key for key in loops if key[0] in among and loops[key].names])
            names = loops[stage].names
            at = r.randrange(len(names))
            lines.append(('compute-at', f.name, stage[0], stage[1], names[at]))
            if r.random() < 0.4:
                if r.random() < 0.5 and at + 1 < len(names):
                    lines.append(('store-at', f.name, stage[0], stage[1], r.choice(names[at + 1:])))
                else:
                    lines.append(('store-root', f.name))
        if r.random() < 0.08:
            lines.append(('align-storage', f.name, r.choice(f.variables), 16))
        if r.random() < 0.08:
            lines.append(('fold-storage', f.name, r.choice(f.variables), r.choice([2, 4, 8, 16, 32])))
        if r.random() < 0.05:
            lines.append(('bound-extent', f.name, r.choice(f.variables), r.choice([16, 64])))
    for v, extent in (('x', WIDTH), ('y', HEIGHT)):
        if r.random() < 0.3:
            lines.append(('bound', 'out', v, extent))
    return lines


# ---- the comparison ----

def run_halide(program, lines, pixels):
    import halide as hl
    import numpy as np
    made = {}
    exec(halide_text(program, lines), made)
    buffer = hl.Buffer(pixels.T)  # Halide's first dimension is numpy's first
    buffer.set_min([-MARGIN, -MARGIN])
    made['i_input'].set(buffer)
    return np.array(made['f_out'].realize([WIDTH, HEIGHT])).T


def draw(seed, number):
    r = random.Random(f'{seed}/{number}')
    program = Program(r)
    r.choice(IDIOMS)(program, r)
    return program, draw_schedule(program, r)


def main():
    try:
        import halide, numpy as np
    except ImportError as e:
        sys.exit(f'skipped: {e}')
    hlc, cases, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    folder = sys.argv[4] if len(sys.argv) > 4 else None
    pixels = np.random.RandomState(1).randint(0, 256, (EXTENT, EXTENT)).astype(np.uint8)
    counts, codes, kept = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        np.save(f'{work}/input.npy', pixels)
        for number in range(cases):
            program, lines = draw(seed, number)
            source = hlc_text(program, lines)
            path = f'{work}/case.hl'
            open(path, 'w').write(source)
            image = [f'input={work}/input.npy', f'input.min=-{MARGIN},-{MARGIN}', f'out={WIDTH}x{HEIGHT}']
            ours = subprocess.run([hlc, 'run', path, '--schedule=s', *image, '-o', f'{work}/out.npy'], capture_output=True, text=True)
            answer, got = in_child(lambda: run_halide(program, lines, pixels), 60)
            took = ours.returncode == 0
            counts['drawn'] += 1
            counts['Halide takes' if answer == 'took' else 'Halide refuses'] += 1
            counts['hlc takes' if took else 'hlc refuses'] += 1
            if ours.returncode not in (0, 2):
                counts[f'hlc ends with {ours.returncode}'] += 1
                kept['crash'].append(number)
            if answer == 'took' and took:
                same = np.array_equal(np.load(f'{work}/out.npy'), got)
                counts['both take it' if same else 'values differ'] += 1
                if not same:
                    kept['differs'].append(number)
            elif answer == 'took':
                code = re.search(r'error\[(E\d{4})', ours.stderr)
                codes[code[1] if code else ours.stderr[:60]] += 1
                kept[code[1] if code else 'none'].append(number)
            elif took:
                counts['only hlc takes it'] += 1
            if folder and (ours.returncode not in (0, 2) or (answer == 'took' and (not took or number in kept['differs']))):
                os.makedirs(folder, exist_ok=True)
                open(f'{folder}/{number}.hl', 'w').write(source + '\n'.join('// ' + l for l in ours.stderr.splitlines()) + '\n')
    for what, count in sorted(counts.items()):
        print(f'{what}: {count}')
    refused = sum(codes.values())
    print(f'refused of what Halide takes: {refused} of {counts["Halide takes"]}, {100 * refused / max(1, counts["Halide takes"]):.1f} %')
    for code, count in codes.most_common():
        print(f'  {code}: {count}, cases {", ".join(map(str, kept[code][:8]))}')
    if kept['differs'] or kept['crash']:
        print('differ:', kept['differs'], 'crash:', kept['crash'])
        sys.exit(1)


if __name__ == '__main__':
    main()
