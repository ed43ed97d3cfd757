import math, struct

SCALES = [2.0**k for k in (-16, -2, 0, 2, 16, 32, 80)]


def f32(v):
    return struct.unpack('<f', struct.pack('<f', v))[0]


FUNCTIONS = [lambda v: math.log1p(max(v, -0.75)), math.asinh, lambda v: math.acosh(f32(abs(v) + 1))]
CASES = [('functions', {'k': k}, {'input': ('f32', size)}, size + (len(SCALES),),
          lambda f, k: lambda x, i: FUNCTIONS[k](f32(f32(f[x,] - 0.5) * SCALES[i])), 5e-7)
         for k in range(3) for size in [(1,), (1000,)]]
