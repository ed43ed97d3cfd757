def window(f, r, x, y):
    return sorted(f.edge(x + i, y + j) for i in range(-r, r + 1) for j in range(-r, r + 1))


def median(f, r):
    return lambda x, y: window(f, r, x, y)[(2*r + 1) ** 2 // 2]


def rank(f, s, k):
    return lambda x, y: window(f, s, x, y)[k]


def line(f, n):
    return lambda k, y: sorted(f[i, y] for i in range(n))[k]


CASES = [('median', {'r': r}, {'input': ('u8', size)}, size, median)
         for r, size in [(0, (5, 5)), (1, (67, 35)), (1, (1, 1)), (2, (33, 18)), (3, (34, 5))]]
CASES += [('rank', {'s': s, 'k': k}, {'input': ('i32', (19, 17))}, (19, 17), rank)
          for s, k in [(1, 0), (1, 3), (1, 8), (2, 7), (2, 24)]]
# A network that sorts all rows of zeros and ones sorts everything.
CASES += [('line', {'n': n}, {'input': ('bits', (n, 1 << n))}, (n, 1 << n), line) for n in range(2, 11)]
CASES += [('line', {'n': n}, {'input': ('i32', (n, 9))}, (n, 9), line) for n in (1, 2, 3, 7, 8, 13, 32, 40)]
