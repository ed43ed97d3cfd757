import math


def philox(counter, key):
    """Philox4x32-10, as the paper's Table 2 and its reference values have it."""
    c, (k0, k1) = list(counter), key
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k0, b % 2**32, a >> 32 ^ c[3] ^ k1, a % 2**32]
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c


assert philox([0] * 4, (0, 0)) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
assert philox([0xffffffff] * 4, (0xffffffff, 0xffffffff)) == [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]


def words(seed, *at):
    four = lambda *of: [i % 2**32 for i in of] + [0] * (4 - len(of))
    key = philox(four(*at[4:8]), (seed, len(at)))[0] if len(at) > 4 else 0
    return philox(four(*at[:4]), (seed, key))


def unit(word):
    return (word >> 8) / 2**24


def normal(seed, *at):
    u, v = words(seed, *at)[:2]
    return math.sqrt(-2 * math.log(1 - unit(u))) * math.cos(2 * math.pi * unit(v))


CASES = [('counter', {'c': c, 'k': k}, {}, (5, 4),
          lambda c, k: lambda x, i: philox([(c + x) % 2**32, c, c, c], (k, k))[i])
         for c, k in [(0, 0), (2**32 - 1, 2**32 - 1), (12345, 678)]]
CASES += [('bits', {'seed': seed}, {}, size, lambda seed: lambda x, y: words(seed, x, y)[0])
          for seed, size in [(0, (1, 1)), (7, (100, 37)), (2**32 - 1, (17, 16))]]
CASES += [('many', {'seed': 9}, {}, (20, 9), lambda seed: lambda x, y: words(seed, x, 0, 1, 2, y, x)[0]),
          ('uniform', {'seed': 3}, {}, (33, 17, 3), lambda seed: lambda x, y, c: unit(words(seed, x, y, c)[0])),
          ('normal', {'seed': 5}, {}, (100, 30), lambda seed: lambda x, y: normal(seed, x, y), 1e-5)]
