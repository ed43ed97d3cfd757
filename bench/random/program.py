"""What the idioms are written with: expressions, a program of `both.py` with more members (`lines`, the schedule; `size`, of
the output; `sizes`, of images: the interval of each dimension; `tolerance`), and schedules of pictures."""
import both
from both import V, consumers_of

X, Y, C, R, S = V('x'), V('y'), V('c'), V('r'), V('s')
REGISTER = {'u8': 64, 'u16': 32, 'i16': 32, 'i32': 16, 'u32': 16, 'f32': 16}
MARGIN = 448  # of an image without a boundary condition
BOUNDARY = ['edge', 'edge', 'mirror', 'zero', 'none']


def call(f, *at): return ('call', f, *at)
def cast(type, e): return ('cast', type, e)
def part(f, i, *at): return ('part', call(f, *at), i)
def fold(op, terms):
    total = terms[0]
    for term in terms[1:]:
        total = (op, total, term)
    return total


def add(*terms): return fold('+', terms)
def mul(a, b): return ('*', a, b)
def sub(a, b): return ('-', a, b)
def at(v, k): return ('+', v, k) if k > 0 else ('-', v, -k) if k else v
def clamp(e, low, high): return ('max', ('min', e, high), low)
def absd(a, b): return ('-', ('max', a, b), ('min', a, b))


class Program(both.Program):
    def __init__(self, r, width=None, height=None):
        super().__init__()
        self.lines, self.tolerance, self.sizes = [], 0, {}
        self.width, self.height = width or r.choice([640, 1000, 1280, 1531]), height or r.choice([480, 720, 853, 1080])
        self.size = [self.width, self.height]

    def picture(self, r, type, name='input', scale=1.0, **named):
        """An image as large as the output times a scale, with a boundary condition or a margin."""
        boundary = r.choice(BOUNDARY)
        self.image(name, type, named.get('dimensions', 2), boundary, named.get('interleaved', False))
        margin = MARGIN if boundary == 'none' else 0
        self.sizes[name] = [(-margin, int(n * scale) + 2 * margin) for n in (self.width, self.height)] + ([(0, 3)] if named.get('dimensions') == 3 else [])
        return lambda *index: call(name, *index)

    def say(self, *line):
        self.lines.append(line)

    def type(self, name):
        f = self.named(name)
        return both.type_of(self, f, both.pure_part(f, 0)) or 'i32'

    def vectorize(self, f, v, stage=0, k=None, tail='round-up'):
        k = k or REGISTER[self.type(f)]
        self.say('split', f, stage, v, v + 'o', v + 'v', k, tail)
        self.say('vectorize', f, stage, v + 'v')

    def floats(self, tolerance):
        self.contraction, self.tolerance = True, tolerance


# ---- schedules of pictures ----

def widths(p, r, f):
    """A vector's lanes for a func: those of a register, or half or twice as many."""
    return max(8, min(64, int(REGISTER[p.type(f)] * r.choice([0.5, 1, 1, 1, 2]))))


def schedule_out(p, r, colours=''):
    """The loops of the output; the loops in which producers can be computed: outer and inner."""
    k = widths(p, r, 'out')
    kind = r.choice(['rows', 'strips', 'strips', 'tiles', 'tiles', 'columns'])
    if colours:
        p.say('bound', 'out', 'c', 3)
    outer, inner = None, 'yi'
    if kind in ('tiles', 'columns'):
        tall = r.choice([8, 16, 32, 64]) if kind == 'tiles' else r.choice([96, 128, 240])
        wide = k * r.choice([2, 4, 8]) if kind == 'tiles' else max(128, k * r.choice([2, 4, 8]))
        p.say('split', 'out', 0, 'x', 'xt', 'xi', wide, 'shift-inwards')
        p.say('split', 'out', 0, 'y', 'yt', 'yi', tall, 'shift-inwards')
        p.say('split', 'out', 0, 'xi', 'xo', 'xv', k, 'shift-inwards')
        outer = 'xt'
        order = ['xv', 'xo', *colours, 'yi', 'xt', 'yt']
    else:
        if kind == 'strips':
            p.say('split', 'out', 0, 'y', 'yt', 'yi', r.choice([8, 16, 32, 64]), 'shift-inwards')
            outer = 'yt'
        else:
            inner = 'y'
        p.say('split', 'out', 0, 'x', 'xo', 'xv', k, 'shift-inwards')
        order = ['xv', 'xo', *colours, inner] + (['yt'] if outer else [])
    if colours and r.random() < 0.6:
        order.remove('c')
        order.insert(1, 'c')
        p.say('unroll', 'out', 0, 'c')
    p.say('vectorize', 'out', 0, 'xv')
    if r.random() < 0.3 and kind in ('tiles', 'columns'):
        p.say('split', 'out', 0, 'xo', 'xoo', 'xu', 2, 'guard')
        p.say('unroll', 'out', 0, 'xu')
        order[order.index('xo'):order.index('xo') + 1] = ['xu', 'xoo']
    p.say('reorder', 'out', 0, *order)
    if outer and r.random() < 0.5:
        p.say('parallel', 'out', 0, order[-1])
    return outer, inner


def weight(expr):
    return 1 + sum(weight(e) for e in expr) if isinstance(expr, (tuple, list)) else 0


def schedule_producers(p, r, levels, cheap=12):
    """Places each func of pure stages before the output: inline, at root, in a tile, or sliding along its rows."""
    outer, inner = levels
    placed = {'out': 'inner'}  # what consumers of a func are computed in
    for f in reversed(p.funcs[:-1]):
        if f.name in {line[1] for line in p.lines if line[0] in ('compute-root', 'compute-at', 'inline')}:
            placed[f.name] = 'root'
            continue
        consumers = consumers_of(p, f.name)
        seen = {placed[g.name] for g in consumers}
        plain = not isinstance(f.pure, list) and not f.lets
        reads = sum(c[1] == f.name for g in p.funcs for c in both.calls_in(g))
        if plain and weight(f.pure) <= cheap and reads <= 4 and r.random() < 0.6:
            p.say('inline', f.name)
            placed[f.name] = min(seen, key=['root', 'outer', 'inner'].index)
            continue
        ways = ['root']
        if 'root' not in seen:
            ways += ['outer'] * 2 if outer else []
            if 'outer' not in seen:
                ways += ['inner'] * 2 + ['slide'] * 3
        way = r.choice(ways)
        if way == 'root':
            p.say('compute-root', f.name)
        else:
            p.say('compute-at', f.name, 'out', 0, outer if way == 'outer' else inner)
            if way == 'slide':
                p.say('store-at', f.name, 'out', 0, outer) if outer else p.say('store-root', f.name)
        placed[f.name] = {'slide': 'inner'}.get(way, way)
        p.vectorize(f.name, 'x', k=widths(p, r, f.name))


def schedule(p, r, colours=''):
    schedule_producers(p, r, schedule_out(p, r, colours))
