import colorsys


def light(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def stored(v):
    return v * 12.92 if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def grey(r, g, b):
    return 0.299*r + 0.587*g + 0.114*b


def ycc(r, g, b):
    y = grey(r, g, b)
    return y, (b - y) / 1.772 + 0.5, (r - y) / 1.402 + 0.5


def rgb_of_ycc(y, cb, cr):
    r, b = y + 1.402 * (cr - 0.5), y + 1.772 * (cb - 0.5)
    return r, (y - 0.299*r - 0.114*b) / 0.587, b


# From the coordinates of the primaries and of the white D65, by the definition of XYZ.
def matrix():
    corners = [(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)]
    columns = [(x / y, 1, (1 - x - y) / y) for x, y in corners]
    white = 0.95047, 1.0, 1.08883
    scale = solve([[c[i] for c in columns] for i in range(3)], white)
    return [[columns[j][i] * scale[j] for j in range(3)] for i in range(3)]


def determinant(m):
    return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
            m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))


def solve(m, v):
    """By Cramer's rule."""
    return [determinant([[v[i] if k == j else m[i][k] for k in range(3)] for i in range(3)]) / determinant(m) for j in range(3)]


MATRIX = matrix()


def xyz(*p):
    return [sum(a * b for a, b in zip(row, p)) for row in MATRIX]


def hsv(r, g, b):
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return h * 6, s, v


CONVERSIONS = [ycc, rgb_of_ycc, lambda *p: [light(v) for v in p], lambda *p: [stored(v) for v in p], xyz,
               lambda *p: solve(MATRIX, p), hsv, colorsys.hsv_to_rgb, lambda *p: [grey(*p)] * 3]
CASES = [('convert', {'k': k}, {'input': ('f32', size)}, size,
          lambda f, k: lambda x, y, c: CONVERSIONS[k](f[x, y, 0], f[x, y, 1], f[x, y, 2])[c], 2e-5)
         for k in range(len(CONVERSIONS)) for size in [(37, 34, 3), (1, 1, 3)]]
