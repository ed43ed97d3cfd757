#!/usr/bin/env python3
"""What a profile costs, and whether it adds up: `hlc profile` on kernels of bench/.

    bench/profile.py BUILD [SECONDS] [THREADS,..]

One line for each kernel, schedule and number of threads: the median time of a run without the profile; what the profile
costs in processor time (the median over pairs of visits, one with and one without); the sum of all rows over the time without the
profile, in pairs, too: over the time with it, times what it costs. So other work on the machine disturbs neither.
The last lines have the distribution over all lines.
"""
import json, pathlib, statistics, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = [
    ('blur.hl', 'blur', 'tiles', 'input=random:1:3202x2402'),
    ('blur.hl', 'blur', 'registers', 'input=random:1:3202x2402'),
    ('box.hl', 'box', 'tiles', 'input=random:1:2576x1552-8-8 out=2560x1536'),
    ('box.hl', 'box', 'ahead', 'input=random:1:2576x1552-8-8 out=2560x1536'),
    ('conv.hl', 'conv', 'registers', 'input=random:1:auto weights=random:2:auto bias=random:3:auto out=64x32x32x2'),
    ('harris.hl', 'harris', 'tiles', 'input=random:1:1536x1024x3'),
    ('harris.hl', 'harris', 'strips', 'input=random:1:1536x1024x3'),
    ('unsharp.hl', 'unsharp', 'strips', 'input=random:1:1536x1024x3'),
    ('stencil.hl', 'stencil', 'columns', 'input=random:1:1536x1024'),
    ('stencil.hl', 'stencil', 'tiles', 'input=random:1:1536x1024'),
    ('laplacian.hl', 'laplacian', 'strips', 'input=random:1:1536x1024x3'),
    ('bilateral.hl', 'bilateral', 'rows', 'input=random:1:1536x1024'),
    ('maximum.hl', 'square_u8', 'strips_u8', 'input=random:1:1536x1024'),
    ('equalize.hl', 'equalize', 'serial', 'input=random:1:1536x1024'),
    ('recursive.hl', 'recursive', 'bands', 'input=random:1:1024x768x3'),
    ('sgemm.hl', 'packed', 'panels', 'a=random:1:1024x1024 b=random:2:1024x1024'),
]


def profile(hlc, kernel, seconds, threads):
    file, pipeline, schedule, arguments = kernel
    command = [hlc, 'profile', str(ROOT / 'bench' / file), '--pipeline=' + pipeline, '--schedule=' + schedule,
               '--seconds=' + seconds, '--threads=' + threads, '--json'] + arguments.split()
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    build = sys.argv[1]
    seconds = sys.argv[2] if len(sys.argv) > 2 else '3'
    costs, sums = [], []
    for threads in (sys.argv[3] if len(sys.argv) > 3 else '1').split(','):
        for kernel in KERNELS:
            result = profile(build + '/hlc', kernel, seconds, threads)
            costs.append(100 * result['profile_cost'])
            sums.append(sum(row['ms'] for row in result['rows']) / result['profiled_run_ms'] * (1 + result['profile_cost']))
            print(f'{kernel[1]:12} {kernel[2]:10} {threads:>2} threads {result["run_ms"]:9.3f} ms  cost {costs[-1]:6.2f} %  '
                  f'sum {sums[-1]:.3f}  {result["samples"]:5} samples', flush=True)
    for name, values, low, high in ('cost, %', costs, float('-inf'), 2), ('sum', sums, 0.97, 1.03):
        quarters = statistics.quantiles(values, n=4, method='inclusive')
        print(f'{name:8} least {min(values):.3f}, quartiles {" ".join(f"{quarter:.3f}" for quarter in quarters)}, greatest {max(values):.3f}; '
              f'{sum(low <= value <= high for value in values)} of {len(values)} reach the goal')


main()
