def histogram(f):
    values = list(f.values())
    return lambda i: values.count(i)


def equalize(f):
    values = sorted(f.values())
    return lambda x, y: (sum(v <= f[x, y] for v in values) * 255 + len(values) // 2) // len(values)


SIZES = (1, 1), (37, 21), (5, 130), (16, 64)
CASES = [('histogram', {}, {'input': ('u8', size)}, (256,), histogram) for size in SIZES]
CASES += [('equalize', {}, {'input': ('u8', size)}, size, equalize) for size in SIZES]
