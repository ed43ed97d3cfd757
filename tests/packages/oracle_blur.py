from math import exp


def box(f, r):
    area = (2*r + 1) ** 2
    return lambda x, y: sum(f.edge(x + i, y + j) for i in range(-r, r + 1) for j in range(-r, r + 1)) // area


def gaussian(f, r, sigma):
    bell = {d: exp(-d * d / (2 * sigma * sigma)) for d in range(-r, r + 1)}
    total = sum(bell.values())
    return lambda x, y, c: sum(f.edge(x + i, y + j, c) * bell[i] * bell[j] for i in bell for j in bell) / total ** 2


CASES = [('box', {'r': r}, {'input': ('u8', size)}, size, box)
         for r, size in [(0, (9, 5)), (1, (37, 35)), (2, (1, 1)), (4, (33, 40)), (9, (21, 16))]]
CASES += [('gaussian', {'r': r, 'sigma': s}, {'input': ('f32', size)}, size, gaussian, 1e-5)
          for r, s, size in [(0, 1.5, (8, 3, 1)), (1, 0.5, (19, 35, 3)), (5, 2.0, (17, 9, 3)), (7, 3.25, (1, 1, 1))]]
