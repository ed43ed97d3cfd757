#!/usr/bin/env python3
"""True goals of the kind that bounds ask, without end: `bound_goals.py COUNT SEED` prints COUNT conditions.

Each is lower <= upper for two expressions that were made together, the second so that it is never less: sums,
products and quotients of such pairs, min and max with something more on the right side of the one or the
left side of the other, rounding down and up to a multiple, selects."""
import random
import sys

count, seed = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)


def anything():
    v = draw.choice("abcdefg")
    return draw.choice([v, v, f"{v} * {draw.choice([2, 4, 8, 16])}", f"{v} + {draw.randint(1, 9)}"])


def pair(depth):
    if depth == 0:
        term = anything()
        return term, draw.choice([term, term, f"({term} + {draw.randint(0, 8)})"])
    lower, upper = pair(depth - 1)
    kind = draw.randrange(11)
    if kind == 0:
        return f"min({lower}, {anything()})", upper
    if kind == 1:
        return lower, f"max({upper}, {anything()})"
    if kind in (2, 3):
        l2, u2 = pair(draw.randrange(depth))
        op = draw.choice(["min", "max"])
        return f"{op}({lower}, {l2})", f"{op}({upper}, {u2})"
    if kind == 4:
        l2, u2 = pair(draw.randrange(depth))
        return f"({lower} + {l2})", f"({upper} + {u2})"
    c = draw.choice([2, 3, 4, 8, 16, 32])
    if kind == 5:
        return f"({lower}) * {c}", f"({upper}) * {c}"
    if kind == 6:
        return f"({lower}) / {c}", f"({upper} + {draw.randrange(c)}) / {c}"
    if kind == 7:
        return f"({lower}) / {c} * {c}", upper
    if kind == 8:
        return lower, f"({upper} + {c - 1}) / {c} * {c}"
    if kind == 9:
        return f"{lower} - {c - 1}", f"({upper}) / {c} * {c}"
    l2, u2 = pair(draw.randrange(depth))
    p, q = draw.sample("abcdefg", 2)
    return f"select({p} < {q}, {lower}, {l2})", f"select({p} < {q}, {upper}, {u2})"


for _ in range(count):
    lower, upper = pair(draw.choice([2, 3, 3, 4]))
    print(f"{lower} <= {upper}")
