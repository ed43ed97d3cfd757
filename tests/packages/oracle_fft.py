from cmath import exp, pi


def fft(f, L, inverse):
    n = 1 << L
    known = {}

    def at(b, k, c):
        if (b, k) not in known:
            turn = (2j if inverse else -2j) * pi * k / n
            known[b, k] = sum(complex(f[b, i, 0], f[b, i, 1]) * exp(turn * i) for i in range(n))
        return known[b, k].imag if c else known[b, k].real
    return at


CASES = [('fft', {'L': L, 'inverse': inverse}, {'input': ('f32', (b, 1 << L, 2))}, (b, 1 << L, 2), fft, 1e-4)
         for L, b in [(1, 16), (2, 16), (3, 32), (4, 17), (5, 1), (6, 16), (8, 16)] for inverse in (False, True)]
