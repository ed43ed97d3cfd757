#!/usr/bin/env -S /usr/bin/python3 -u
"""The share of schedules that Halide 14 takes and hlc refuses.

    bench/refused.py HLC CASES SEED [FOLDER]

Draws pipelines from the idioms of Halide programs, and schedules from Halide's vocabulary, without looking at what is
legal. Each case is written for both compilers and run by both on the same input. Prints how many each takes, the
reasons of those that only hlc refuses, by code, and the outputs that differ. FOLDER gets their programs. Needs
Debian's python3-halide and python3-numpy. A case is drawn from SEED and its number alone.

An expression is a tuple: (operator, operands ..), ('call', func, indices ..), ('var', name), or a number. All values are
i32, and small enough not to overflow, because Halide does not define what an overflow gives.
"""
import collections, os, random, re, signal, subprocess, sys, tempfile

WIDTH, HEIGHT, MARGIN, EXTENT = 64, 48, 96, 320


class Func:
    def __init__(self, name, variables, pure):
        self.name, self.variables, self.pure = name, variables, pure
        self.updates = []  # (indices, value, [(variable, min, extent)])

    def update(self, indices, value, domain=()):
        self.updates.append((indices, value, list(domain)))
        return self


class Program:
    def __init__(self, r):
        self.r, self.funcs, self.boundary = r, [], r.choice(['none', 'edge', 'zero', 'mirror'])

    def func(self, name, variables, pure):
        self.funcs.append(Func(name, variables, pure))
        return self.funcs[-1]


# ---- expressions ----

def V(name): return ('var', name)
def call(f, *indices): return ('call', f, *indices)
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


def reading_stages(f, name):
    """The stages of f that read the func."""
    def reads(expr):
        if not isinstance(expr, tuple):
            return False
        return (expr[0] == 'call' and expr[1] == name) or any(reads(e) for e in expr[1:])
    return [s for s, parts in enumerate([[f.pure]] + [[value, *indices] for indices, value, _ in f.updates])
            if any(reads(part) for part in parts)]


def consumers_of(program, name):
    return [f for f in program.funcs if f.name != name and reading_stages(f, name)]


def level_stage(program, func, consumer, stage):
    """Halide's levels name no stage: the loop of the stage that reads the func is meant."""
    reading = next(reading_stages(f, func) for f in program.funcs if f.name == consumer)
    return reading[0] if reading and stage not in reading else stage


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


# ---- hlc's text ----

def text(expr):
    if not isinstance(expr, tuple):
        return f'({expr})' if expr < 0 else str(expr)
    op, *of = expr
    if op == 'var':
        return of[0]
    if op == 'call':
        name = 'src' if of[0] == 'in' else of[0]
        call_text = f"{name}({', '.join(map(text, of[1:]))})"
        return f'i32({call_text})' if name == 'src' else call_text
    if op in ('min', 'max', 'select'):
        return f"{op}({', '.join(map(text, of))})"
    return f'({text(of[0])} {op} {text(of[1])})'


def value(expr):
    """The text of a value: variables are indices, so they are converted."""
    if not isinstance(expr, tuple):
        return text(expr)
    op, *of = expr
    if op == 'var':
        return f'i32({of[0]})'
    if op == 'call':
        name = 'src' if of[0] == 'in' else of[0]
        call_text = f"{name}({', '.join(index(e) for e in of[1:])})"
        return f'i32({call_text})' if name == 'src' else call_text
    if op in ('min', 'max', 'select'):
        return f"{op}({', '.join(map(value, of))})"
    return f'({value(of[0])} {op} {value(of[1])})'


def index(expr):
    has_call = lambda e: isinstance(e, tuple) and (e[0] == 'call' or any(has_call(x) for x in e[1:]))
    return value(expr) if has_call(expr) else text(expr)


def loop_of(func, stage, v, staged):
    return f'{func}.s{stage}.{v}' if staged else f'{func}.{v}'


def hlc_text(program, lines):
    conditions = {'none': 'input', 'edge': 'repeat_edge(input)', 'zero': 'constant_exterior(input, 0)', 'mirror': 'mirror_image(input)'}
    out = ['pipeline p(input: image<u8, 2>) -> out {', f'    let src = {conditions[program.boundary]};']
    updates = {f.name: len(f.updates) for f in program.funcs}
    for f in program.funcs:
        head = f"    fun {f.name}({', '.join(f.variables)}) = "
        if not f.updates:
            out.append(head + f'i32({value(f.pure)});' if not isinstance(f.pure, tuple) else head + value(f.pure) + ';')
            continue
        body = [f'i32({value(f.pure)});']
        for indices, expr, domain in f.updates:
            rdom = 'rdom(' + '; '.join(f'{v} = ({m}, {n})' for v, m, n in domain) + ') in ' if domain else ''
            body.append(f"{rdom}({', '.join(index(i) for i in indices)}) <- {value(expr)};")
        out.append(head + '{ ' + ' '.join(body) + ' }')
    out.append('}')
    out.append('schedule s for p {')
    name = lambda func, stage, v: loop_of(func, stage, v, updates[func] > 0)
    for line in lines:
        kind, func, *of = line
        if kind == 'split':
            stage, v, o, i, k, tail = of
            out.append(f"    split({name(func, stage, v)}, {o}, {i}, {k}{'' if tail == 'auto' else ', ' + tail});")
        elif kind == 'tile':
            stage, a, b, ao, bo, ai, bi, ka, kb, tail = of
            out.append(f"    tile({name(func, stage, a)}, {name(func, stage, b)}, {ao}, {bo}, {ai}, {bi}, {ka}, {kb}{'' if tail == 'auto' else ', ' + tail});")
        elif kind == 'reorder':
            out.append(f"    reorder({', '.join(name(func, of[0], v) for v in of[1:])});")
        elif kind == 'fuse':
            out.append(f'    fuse({name(func, of[0], of[2])}, {of[3]});')
        elif kind in ('vectorize', 'parallel', 'unroll'):
            out.append(f'    {kind}({name(func, of[0], of[1])});')
        elif kind in ('inline', 'compute-root', 'store-root'):
            out.append(f'    {kind}({func});')
        elif kind in ('compute-at', 'store-at'):
            out.append(f'    {kind}({func}, {name(of[0], level_stage(program, func, of[0], of[1]), of[2])});')
        elif kind == 'bound':
            out.append(f'    bound({func}, {of[0]}, 0, {of[1]});')
        else:
            out.append(f'    {kind}({func}, {of[0]}, {of[1]});')
    out.append('}')
    return '\n'.join(out) + '\n'


# ---- Halide ----

def run_halide(program, lines, pixels):
    import halide as hl
    import numpy as np
    variables = collections.defaultdict(lambda: None)

    def var(name, domain=None):
        if domain and name in domain:
            return domain[name]
        if variables[name] is None:
            variables[name] = hl.Var(name)
        return variables[name]

    a = hl.ImageParam(hl.UInt(8), 2, 'input')
    wrapped = {'none': lambda: a, 'edge': lambda: hl.BoundaryConditions.repeat_edge(a),
               'zero': lambda: hl.BoundaryConditions.constant_exterior(a, 0),
               'mirror': lambda: hl.BoundaryConditions.mirror_image(a)}[program.boundary]()
    funcs = {f.name: hl.Func(f.name) for f in program.funcs}

    def expr(e, domain=None):
        if not isinstance(e, tuple):
            return hl.i32(e)
        op, *of = e
        if op == 'var':
            return hl.Expr(var(of[0], domain))
        if op == 'call':
            f = wrapped if of[0] == 'in' else funcs[of[0]]
            at = tuple(expr(i, domain) for i in of[1:])
            got = f[at if len(at) > 1 else at[0]]
            return hl.cast(hl.Int(32), got) if of[0] == 'in' else hl.Expr(got)
        args = [expr(o, domain) for o in of]
        return {'+': lambda: args[0] + args[1], '-': lambda: args[0] - args[1], '*': lambda: args[0] * args[1],
                '/': lambda: args[0] // args[1], '%': lambda: args[0] % args[1], '==': lambda: args[0] == args[1],
                'min': lambda: hl.min(*args), 'max': lambda: hl.max(*args), 'select': lambda: hl.select(*args)}[op]()

    domains = {}
    for f in program.funcs:
        at = tuple(var(v) for v in f.variables)
        funcs[f.name][at if len(at) > 1 else at[0]] = expr(f.pure)
        for s, (indices, e, domain) in enumerate(f.updates):
            named = {}
            if domain:
                r = hl.RDom([(m, n) for _, m, n in domain])
                dimensions = [r.x, r.y] if len(domain) > 1 else [r.x]
                named = {v: dimensions[i] for i, (v, _, _) in enumerate(domain)}
            domains[f.name, s + 1] = named
            at = tuple(expr(i, named) for i in indices)
            funcs[f.name][at if len(at) > 1 else at[0]] = expr(e, named)
    tails = {'auto': hl.TailStrategy.Auto, 'guard': hl.TailStrategy.GuardWithIf, 'round-up': hl.TailStrategy.RoundUp,
             'shift-inwards': hl.TailStrategy.ShiftInwards}
    reductions = collections.defaultdict(dict)

    def loop(func, stage, name):
        if stage and name in domains[func, stage]:
            return domains[func, stage][name]
        return reductions[func, stage].get(name) or var(name)

    def part(func, stage, of, name):
        is_reduction = stage and (of in domains[func, stage] or of in reductions[func, stage])
        if is_reduction:
            reductions[func, stage][name] = hl.RVar(name)
            return reductions[func, stage][name]
        return var(name)

    for kind, func, *of in lines:
        f = funcs[func]
        stage_of = lambda s: f if s == 0 else f.update(s - 1)
        if kind == 'split':
            s, v, o, i, k, tail = of
            stage_of(s).split(loop(func, s, v), part(func, s, v, o), part(func, s, v, i), k, tails[tail])
        elif kind == 'tile':
            s, u, v, uo, vo, ui, vi, ku, kv, tail = of
            for name, inner, outer, k in ((u, ui, uo, ku), (v, vi, vo, kv)):
                stage_of(s).split(loop(func, s, name), part(func, s, name, outer), part(func, s, name, inner), k, tails[tail])
            stage_of(s).reorder(*(loop(func, s, n) for n in (ui, vi, uo, vo)))
        elif kind == 'reorder':
            stage_of(of[0]).reorder(*(loop(func, of[0], v) for v in of[1:]))
        elif kind == 'fuse':
            s, inner, outer, v = of
            stage_of(s).fuse(loop(func, s, inner), loop(func, s, outer), part(func, s, inner, v))
        elif kind in ('vectorize', 'parallel', 'unroll'):
            getattr(stage_of(of[0]), kind)(loop(func, of[0], of[1]))
        elif kind == 'inline':
            f.compute_inline()
        elif kind == 'compute-root':
            f.compute_root()
        elif kind == 'store-root':
            f.store_root()
        elif kind in ('compute-at', 'store-at'):
            getattr(f, kind.replace('-', '_'))(funcs[of[0]], loop(of[0], of[1], of[2]))
        elif kind == 'align-storage':
            f.align_storage(var(of[0]), of[1])
        elif kind == 'fold-storage':
            f.fold_storage(var(of[0]), of[1])
        elif kind == 'bound-extent':
            f.bound_extent(var(of[0]), of[1])
        elif kind == 'bound':
            f.bound(var(of[0]), 0, of[1])
    buffer = hl.Buffer(pixels.T)  # Halide's first dimension is numpy's first
    buffer.set_min([-MARGIN, -MARGIN])
    a.set(buffer)
    return np.array(funcs['out'].realize([WIDTH, HEIGHT])).T


def in_child(work, seconds):
    """Runs `work` in a process of its own, which Halide may abort; its result, or the reason as text."""
    import pickle
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        signal.alarm(seconds)
        try:
            answer = ('took', work())
        except BaseException as e:
            answer = ('refused', str(e))
        with os.fdopen(write, 'wb') as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, 'rb') as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else ('refused', 'it aborted, or took too long')


# ---- the comparison ----

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
