"""Pipelines as real ones are, drawn at random, each with a schedule that both compilers take: `draw(seed, number)`."""
import random

from pictures import *
from reductions import *


IDIOMS = [stencil, separable, pyramid, resampled, gathered, transposed, sorting, morphology, corners, demosaic, colour, table,
          histogram, box_table, recursive, product, convolution, pooling, butterflies, normalized]


def draw(seed, number):
    r = random.Random(f'{seed}/{number}')
    p = Program(r)
    idiom = r.choice(IDIOMS)
    idiom(p, r)
    p.idiom = idiom.__name__
    return p
