def wrap(v):
    return (v + 2**31) % 2**32 - 2**31


CASES = [('rows', {}, {'input': ('i32', size)}, size, lambda f: lambda x, y: wrap(sum(f[i, y] for i in range(x + 1))))
         for size in [(1, 1), (50, 17), (16, 1)]]
CASES += [('columns', {}, {'input': ('i32', size)}, size, lambda f: lambda x, y: max(f[x, j] for j in range(y + 1)))
          for size in [(1, 1), (70, 17), (129, 30)]]
