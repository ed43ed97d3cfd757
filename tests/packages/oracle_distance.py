def least(measure, far):
    def definition(f):
        points = [at for at, v in f.items() if v > 250]
        return lambda x, y: min([measure(x - i, y - j) for i, j in points] + [far])
    return definition


SIZES = (1, 1), (37, 21), (70, 33), (16, 64), (3, 2)
CASES = [('city', {}, {'input': ('u8', size)}, size, least(lambda dx, dy: abs(dx) + abs(dy), 65535)) for size in SIZES]
CASES += [('square', {}, {'input': ('u8', size)}, size, least(lambda dx, dy: dx*dx + dy*dy, 30000**2)) for size in SIZES]
