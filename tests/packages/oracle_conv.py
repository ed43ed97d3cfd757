def layer(f, w, b, side, stride):
    channels = w.size[2]

    def at(x, y, o):
        total = b[o,] + sum(f.zero(x*stride + i, y*stride + j, c) * w[i, j, c, o]
                            for i in range(side) for j in range(side) for c in range(channels))
        return max(total, 0)
    return at


def pool(f, size):
    return lambda x, y, c, n: max(f[x*size + i, y*size + j, c, n] for i in range(size) for j in range(size))


CASES = [('layer', {'side': side, 'stride': stride},
          {'input': ('f32', size), 'w': ('f32', (side, side, size[2], k)), 'b': ('f32', (k,))}, window + (k,), layer, 1e-5)
         for side, stride, size, k, window in [(3, 1, (19, 12, 3), 5, (17, 10)), (1, 1, (8, 8, 4), 4, (8, 8)),
                                               (3, 2, (20, 13, 2), 8, (9, 6)), (5, 1, (1, 1, 1), 1, (1, 1))]]
CASES += [('pool', {'size': n}, {'input': ('f32', (12, 18, 3, 2))}, (12 // n, 18 // n, 3, 2), pool) for n in (1, 2, 3)]
