KERNELS = [1, 2, 1], [1, 1], [1, 3, 3, 1], [1, 4, 6, 4, 1]


def weights(k):
    """(distance, weight) in both directions, divided by their sum."""
    kernel = KERNELS[k]
    total = sum(kernel)
    return [(i - (len(kernel) - 1) // 2, w / total) for i, w in enumerate(kernel)]


def down(f, k):
    return lambda x, y: sum(f.edge(2*x + i, 2*y + j) * v * w for i, v in weights(k) for j, w in weights(k))


def up(f, k):
    """Each point of f spreads its value over its neighbours in the doubled picture."""
    def at(x, y, c):
        return sum(f.edge((x - i) // 2, (y - j) // 2, c) * 4 * v * w
                   for i, v in weights(k) if (x - i) % 2 == 0 for j, w in weights(k) if (y - j) % 2 == 0)
    return at


def levels(f, n):
    def whole(g):
        rows = lambda x, y: (g(2*x - 1, y) + 2 * g(2*x, y) + g(2*x + 1, y)) // 4
        return lambda x, y: (rows(x, 2*y - 1) + 2 * rows(x, 2*y) + rows(x, 2*y + 1)) // 4
    g = lambda x, y: f.edge(x, y)
    for _ in range(n):
        g = whole(g)
    return g


CASES = [('down', {'k': k}, {'input': ('f32', size)}, window, down, 1e-5)
         for k in range(4) for size, window in [((37, 26), (19, 13)), ((1, 1), (1, 1)), ((64, 9), (31, 70))]]
CASES += [('up', {'k': k}, {'input': ('f32', size)}, window, up, 1e-5)
          for k in range(4) for size, window in [((18, 13, 3), (37, 25, 3)), ((1, 1, 1), (1, 1, 1))]]
CASES += [('levels', {'n': n}, {'input': ('i32', (41, 23))}, (12, 7), levels) for n in (1, 2)]
