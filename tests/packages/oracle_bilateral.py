from math import floor

WEIGHTS = {-2: 1, -1: 4, 0: 6, 1: 4, 2: 1}


def smooth(f, cell, levels):
    """Each pixel adds to its cell; cells are blurred; a pixel reads the eight cells around it."""
    height = lambda v: min(max(v, 0.0), 1.0) * levels
    grid = {}
    w, h = f.size
    for x in range(-4*cell, w + 4*cell):
        for y in range(-4*cell, h + 4*cell):
            v = f.edge(x, y)
            at = (x + cell // 2) // cell, (y + cell // 2) // cell, floor(height(v) + 0.5)
            total, count = grid.get(at, (0, 0))
            grid[at] = total + v, count + 1
    blurred = {}
    for (x, y, z), (total, count) in grid.items():
        for i, u in WEIGHTS.items():
            for j, v in WEIGHTS.items():
                for k, t in WEIGHTS.items():
                    old = blurred.get((x + i, y + j, z + k), (0, 0))
                    blurred[x + i, y + j, z + k] = old[0] + total*u*v*t, old[1] + count*u*v*t

    def at(px, py):
        x, y, z = px / cell, py / cell, height(f[px, py])
        sums = [0, 0]
        for i in (0, 1):
            for j in (0, 1):
                for k in (0, 1):
                    part = 1
                    for place, side in ((x, i), (y, j), (z, k)):
                        part *= place - floor(place) if side else 1 - place + floor(place)
                    values = blurred.get((floor(x) + i, floor(y) + j, floor(z) + k), (0, 0))
                    sums = [s + part * v for s, v in zip(sums, values)]
        return sums[0] / sums[1]
    return at


CASES = [('smooth', {'cell': cell, 'levels': levels}, {'input': ('f32', size)}, size, smooth, 1e-4)
         for cell, levels, size in [(8, 10, (37, 26)), (4, 16, (21, 19)), (8, 2, (1, 1))]]
