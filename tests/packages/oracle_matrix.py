def product(a, b):
    return lambda x, y: sum(a[k, y] * b[x, k] for k in range(a.size[0]))


SIZES = (1, 1, 1), (37, 21, 50), (128, 128, 16), (33, 9, 0)
CASES = [('product', {}, {'a': ('f32', (n, h)), 'b': ('f32', (w, n))}, (w, h), product, 1e-5) for w, h, n in SIZES if n]
CASES += [('whole', {}, {'a': ('u8', (n, h)), 'b': ('i8', (w, n))}, (w, h), product) for w, h, n in SIZES if n]
