"""Programs and schedules that are written for both compilers: as .hl text, and as a Python program for Halide 14.

An expression is a tuple: (operator, operands ..), ('call', func or image, indices ..), ('part', call, number),
('cast', type, operand), ('sat', type, operand), ('var', name), ('let', name), or a number. A number takes the type of
the operand beside it. A directive is a tuple: (word, func, ..), as `halide_lines` reads it.
"""
import collections, os, pickle, signal

HALIDE_TYPES = {'u8': 'hl.UInt(8)', 'u16': 'hl.UInt(16)', 'u32': 'hl.UInt(32)', 'i16': 'hl.Int(16)', 'i32': 'hl.Int(32)',
                'f32': 'hl.Float(32)'}
FUNCTIONS = ('min', 'max', 'select', 'exp', 'log', 'sqrt', 'pow', 'floor', 'sin', 'cos')
COMPARISONS = ('==', '<', '>', '<=', '>=')
BOUNDARIES = {'edge': ('repeat_edge', ''), 'zero': ('constant_exterior', ', 0'), 'mirror': ('mirror_image', '')}


class Image:
    def __init__(self, name, type, dimensions, boundary='none', interleaved=False):
        self.name, self.type, self.dimensions, self.boundary, self.interleaved = name, type, dimensions, boundary, interleaved


class Func:
    def __init__(self, name, variables, pure, lets=()):
        self.name, self.variables, self.lets = name, list(variables), list(lets)
        self.pure = pure  # a list: the parts of a tuple
        self.updates = []  # (indices, value, [(variable, min, extent)])

    def update(self, indices, value, domain=()):
        self.updates.append((indices, value, list(domain)))
        return self


class Program:
    def __init__(self):
        self.images, self.funcs, self.interleaved, self.contraction = [], [], False, False

    def image(self, *of, **named):
        self.images.append(Image(*of, **named))
        return self.images[-1]

    def func(self, name, variables, pure, lets=()):
        self.funcs.append(Func(name, variables, pure, lets))
        return self.funcs[-1]

    def named(self, name):
        return next(f for f in self.images + self.funcs if f.name == name)


def V(name): return ('var', name)


def calls_of(expr):
    if isinstance(expr, (tuple, list)):
        if expr and expr[0] == 'call':
            yield expr
        for part in expr:
            yield from calls_of(part)


def calls_in(func):
    return [c for part in (func.pure, func.lets, func.updates) for c in calls_of(part)]


def reading_stages(f, name):
    """The stages of f that read the func."""
    return [s for s, part in enumerate([(f.pure, f.lets), *f.updates]) if any(c[1] == name for c in calls_of(part))]


def consumers_of(program, name):
    return [f for f in program.funcs if f.name != name and reading_stages(f, name)]


def level_stage(program, func, consumer, stage):
    """Halide's levels name no stage: the loop of the stage that reads the func is meant."""
    reading = next(reading_stages(f, func) for f in program.funcs if f.name == consumer)
    return reading[0] if reading and stage not in reading else stage


def type_of(program, func, expr):
    """The type of a value; None is a number that fits any."""
    if not isinstance(expr, tuple):
        return 'f32' if isinstance(expr, float) else None
    op, *of = expr
    if op == 'var':
        return 'i32'
    if op == 'let':
        return type_of(program, func, dict(func.lets)[of[0]])
    if op in ('cast', 'sat'):
        return of[0]
    if op in ('call', 'part'):
        called = program.named(of[0] if op == 'call' else of[0][1])
        return called.type if isinstance(called, Image) else type_of(program, called, pure_part(called, of[1] if op == 'part' else 0))
    if op in COMPARISONS:
        return 'bool'
    return next((t for t in (type_of(program, func, e) for e in (of[1:] if op == 'select' else of)) if t), None)


def pure_part(func, number):
    return func.pure[number] if isinstance(func.pure, list) else func.pure


# ---- hlc's text ----

def number_text(n):
    return f'({n!r})' if n < 0 else repr(n)


def name_in(program, name):
    found = program.named(name)
    return f'src_{name}' if isinstance(found, Image) and found.boundary != 'none' else name


def value(program, expr):
    """The text of a value: variables are indices, so they are converted."""
    if not isinstance(expr, tuple):
        return number_text(expr)
    op, *of = expr
    if op == 'var':
        return f'i32({of[0]})'
    if op == 'let':
        return of[0]
    if op == 'call':
        return f"{name_in(program, of[0])}({', '.join(index(program, e) for e in of[1:])})"
    if op == 'part':
        return f'{value(program, of[0])}.{of[1]}'
    if op in ('cast', 'sat'):
        return f"{of[0]}{'_sat' if op == 'sat' else ''}({value(program, of[1])})"
    args = [value(program, e) for e in of]
    return f"{op}({', '.join(args)})" if op in FUNCTIONS else f'({args[0]} {op} {args[1]})'


def index(program, expr):
    if not isinstance(expr, tuple):
        return number_text(expr)
    op, *of = expr
    if op == 'var':
        return of[0]
    if op not in ('+', '-', '*', '/', '%', 'min', 'max') or any(True for _ in calls_of(expr)):
        return value(program, expr)
    args = [index(program, e) for e in of]
    return f"{op}({', '.join(args)})" if op in FUNCTIONS else f'({args[0]} {op} {args[1]})'


def hlc_line(program, loop, line):
    word, func, *of = line
    if word == 'split':
        stage, v, o, i, k, tail = of
        return f"split({loop(func, stage, v)}, {o}, {i}, {k}{'' if tail == 'auto' else ', ' + tail});"
    if word == 'tile':
        stage, a, b, ao, bo, ai, bi, ka, kb, tail = of
        return f"tile({loop(func, stage, a)}, {loop(func, stage, b)}, {ao}, {bo}, {ai}, {bi}, {ka}, {kb}{'' if tail == 'auto' else ', ' + tail});"
    if word == 'reorder':
        return f"reorder({', '.join(loop(func, of[0], v) for v in of[1:])});"
    if word == 'fuse':
        return f'fuse({loop(func, of[0], of[2])}, {of[3]});'
    if word in ('vectorize', 'parallel', 'unroll'):
        return f'{word}({loop(func, of[0], of[1])});'
    if word in ('inline', 'compute-root', 'store-root'):
        return f'{word}({func});'
    if word in ('compute-at', 'store-at'):
        return f'{word}({func}, {loop(of[0], level_stage(program, func, of[0], of[1]), of[2])});'
    if word == 'bound':
        return f'bound({func}, {of[0]}, 0, {of[1]});'
    return f'{word}({func}, {of[0]}, {of[1]});'


def hlc_text(program, lines):
    images = ', '.join(f"{i.name}: image<{i.type}, {i.dimensions}{', interleaved' if i.interleaved else ''}>" for i in program.images)
    out = [f"pipeline p({images}) -> out{': interleaved' if program.interleaved else ''}"
           f"{' with contraction' if program.contraction else ''} {{"]
    for i in program.images:
        if i.boundary != 'none':
            name, rest = BOUNDARIES[i.boundary]
            out.append(f'    let src_{i.name} = {name}({i.name}{rest});')
    for f in program.funcs:
        head = f"    fun {f.name}({', '.join(f.variables)}) = "
        pure = f"{{{', '.join(value(program, e) for e in f.pure)}}}" if isinstance(f.pure, list) else value(program, f.pure)
        if not f.updates and not f.lets:
            out.append(head + (pure if isinstance(f.pure, (tuple, list)) else f'i32({pure})') + ';')
            continue
        body = [f'let {name} = {value(program, e)};' for name, e in f.lets]
        body.append(f'i32({pure});' if isinstance(f.pure, int) else pure + ';')
        for indices, expr, domain in f.updates:
            rdom = 'rdom(' + '; '.join(f'{v} = ({m}, {n})' for v, m, n in domain) + ') in ' if domain else ''
            body.append(f"{rdom}({', '.join(index(program, i) for i in indices)}) <- {value(program, expr)};")
        out.append(head + '{ ' + ' '.join(body) + ' }')
    loop = lambda func, stage, v: f'{func}.s{stage}.{v}' if program.named(func).updates else f'{func}.{v}'
    out += ['}', 'schedule s for p {', *('    ' + hlc_line(program, loop, line) for line in lines), '}']
    return '\n'.join(out) + '\n'


# ---- Halide's text ----

def halide_expr(program, func, expr, type, domain):
    """The Python text of a value of a type; `domain` has the names of reduction variables."""
    if not isinstance(expr, tuple):
        return f"hl.{type or ('f32' if isinstance(expr, float) else 'i32')}({expr!r})"
    op, *of = expr
    again = lambda e, t: halide_expr(program, func, e, t, domain)
    if op == 'var':
        return domain.get(of[0], f'v_{of[0]}')
    if op == 'let':
        return f'l_{func.name}_{of[0]}'
    if op == 'call':
        kind = 'i' if isinstance(program.named(of[0]), Image) else 'f'
        kind = 'b' if kind == 'i' and program.named(of[0]).boundary != 'none' else kind
        return f"{kind}_{of[0]}[{', '.join(again(e, 'i32') for e in of[1:])}]"
    if op == 'part':
        return f'{again(of[0], None)}[{of[1]}]'
    if op in ('cast', 'sat'):
        inner = again(of[1], type_of(program, func, of[1]) or of[0])
        return f"hl.{'cast' if op == 'cast' else 'saturating_cast'}({HALIDE_TYPES[of[0]]}, {inner})"
    if op == 'select':
        return f"hl.select({again(of[0], None)}, {again(of[1], type)}, {again(of[2], type)})"
    of_type = type
    if op in COMPARISONS or not of_type:
        of_type = next((t for t in (type_of(program, func, e) for e in of) if t), 'i32')
    args = [again(e, of_type) for e in of]
    if op in FUNCTIONS:
        return f"hl.{op}({', '.join(args)})"
    return f"({args[0]} {'//' if op == '/' and of_type != 'f32' else op} {args[1]})"


class HalideLoops:
    """The Python names of loops: reduction variables and their parts are RVars."""

    def __init__(self, domains):
        self.domains, self.parts, self.out = domains, collections.defaultdict(dict), []

    def name(self, func, stage, v):
        return self.domains[func, stage].get(v) or self.parts[func, stage].get(v) or f'v_{v}'

    def is_reduction(self, func, stage, v):
        return v in self.domains[func, stage] or v in self.parts[func, stage]

    def part(self, func, stage, of, v):
        if not self.is_reduction(func, stage, of):
            self.out.append(f"v_{v} = hl.Var('{v}')")
            return f'v_{v}'
        name = f'r_{func}_{stage}_{v}'
        self.parts[func, stage][v] = name
        self.out.append(f"{name} = hl.RVar('{v}')")
        return name


def halide_lines(loops, line):
    word, func, *of = line
    out, name, part = loops.out, loops.name, loops.part
    f = f'f_{func}'
    stage_of = lambda s: f if s == 0 else f'{f}.update({s - 1})'
    tails = {'auto': 'Auto', 'guard': 'GuardWithIf', 'round-up': 'RoundUp', 'shift-inwards': 'ShiftInwards'}
    if word == 'split':
        s, v, o, i, k, tail = of
        v, o, i = name(func, s, v), part(func, s, v, o), part(func, s, v, i)
        out.append(f'{stage_of(s)}.split({v}, {o}, {i}, {k}, hl.TailStrategy.{tails[tail]})')
    elif word == 'tile':
        s, u, v, uo, vo, ui, vi, ku, kv, tail = of
        for whole, inner, outer, k in ((u, ui, uo, ku), (v, vi, vo, kv)):
            halide_lines(loops, ('split', func, s, whole, outer, inner, k, tail))
        halide_lines(loops, ('reorder', func, s, ui, vi, uo, vo))
    elif word == 'reorder':
        out.append(f"{stage_of(of[0])}.reorder({', '.join(name(func, of[0], v) for v in of[1:])})")
    elif word == 'fuse':
        s, inner, outer, v = of
        inner, outer, v = name(func, s, inner), name(func, s, outer), part(func, s, inner, v)
        out.append(f'{stage_of(s)}.fuse({inner}, {outer}, {v})')
    elif word in ('vectorize', 'parallel', 'unroll'):
        out.append(f'{stage_of(of[0])}.{word}({name(func, of[0], of[1])})')
    elif word == 'inline':
        out.append(f'{f}.compute_inline()')
    elif word in ('compute-root', 'store-root'):
        out.append(f"{f}.{word.replace('-', '_')}()")
    elif word in ('compute-at', 'store-at'):
        out.append(f"{f}.{word.replace('-', '_')}(f_{of[0]}, {name(*of)})")
    elif word == 'bound':
        out.append(f'{f}.bound(v_{of[0]}, 0, {of[1]})')
    else:
        out.append(f"{f}.{word.replace('-', '_')}(v_{of[0]}, {of[1]})")


def halide_text(program, lines):
    """A Python program that makes the funcs `f_NAME` and the images `i_NAME`."""
    out = ['import halide as hl']
    out += [f"v_{v} = hl.Var('{v}')" for v in sorted({v for f in program.funcs for v in f.variables})]
    for i in program.images:
        out.append(f"i_{i.name} = hl.ImageParam({HALIDE_TYPES[i.type]}, {i.dimensions}, '{i.name}')")
        if i.boundary != 'none':
            name, rest = BOUNDARIES[i.boundary]
            out.append(f'b_{i.name} = hl.BoundaryConditions.{name}(i_{i.name}{rest})')
        if i.interleaved:
            out.append(f'i_{i.name}.dim(0).set_stride(3)')
            out.append(f'i_{i.name}.dim(2).set_stride(1).set_bounds(0, 3)')
    domains = collections.defaultdict(dict)
    for f in program.funcs:
        pure_type = type_of(program, f, pure_part(f, 0))
        text = lambda e, domain: halide_expr(program, f, e, type_of(program, f, e) or pure_type, domain)
        out.append(f"f_{f.name} = hl.Func('{f.name}')")
        out += [f'l_{f.name}_{name} = {text(e, {})}' for name, e in f.lets]
        parts = f"hl.Tuple([{', '.join(text(e, {}) for e in f.pure)}])" if isinstance(f.pure, list) else text(f.pure, {})
        out.append(f"f_{f.name}[{', '.join('v_' + v for v in f.variables)}] = {parts}")
        for s, (indices, e, domain) in enumerate(f.updates, 1):
            if domain:
                out.append(f"d_{f.name}_{s} = hl.RDom([{', '.join(f'({m}, {n})' for _, m, n in domain)}])")
                domains[f.name, s] = {v: f'd_{f.name}_{s}.{d}' for (v, _, _), d in zip(domain, 'xyzw')}
            at = ', '.join(halide_expr(program, f, i, 'i32', domains[f.name, s]) for i in indices)
            out.append(f'f_{f.name}[{at}] = {text(e, domains[f.name, s])}')
    loops = HalideLoops(domains)
    for line in lines:
        halide_lines(loops, line)
    out += loops.out
    if program.interleaved:
        out.append('f_out.output_buffer().dim(0).set_stride(3)')
        out.append('f_out.output_buffer().dim(2).set_stride(1)')
    return '\n'.join(out) + '\n'


def in_child(work, seconds):
    """Runs `work` in a process of its own, which Halide may abort; its result, or the reason as text."""
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
