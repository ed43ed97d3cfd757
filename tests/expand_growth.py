#!/usr/bin/env python3
"""Expansion grows linearly, and what grows without end is refused within a second, at 256 MiB, with the
chain of uses. A program of 10,000 funcs takes a second, or, on a machine that is slow or busy, at most twice
the time of the same program written out. Arguments: build folder."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

FUNCS, SECONDS, MEGABYTES = 10000, 1.0, 256


def pipeline(items, constants='', schedule=''):
    text = f'pipeline p({constants}input: image<i32, 1>) -> out {{\n{items}\n}}\n'
    return text + (f'schedule s for p {{ {schedule} }}\n' if schedule else '')


# ---- programs of n funcs ----

def family(n):
    return pipeline(f'''fun g[0](x) = input(x);
for k in 1..{n - 2} {{ fun g[k](x) = g[k - 1](x) + k; }}
fun out(x) = g[{n - 2}](x);''')


def nested(n):
    m = int(n ** 0.5)
    return pipeline(f'''for i in 1..{m} {{ for j in 1..{m} {{ fun g[i][j](x) = (j == 1 ? input(x + i) : g[i][j - 1](x)) + j; }} }}
fun out(x) = g[{m}][{m}](x);''')


def templates(n):
    return 'template t(f, k) { const c = k * 2; let u(x) = x + c; fun d(x) = f(u(x)) + c; fun t(x) = d(x) + k; }\n' + pipeline(
        f'''fun g[0] = t(input, 0);
for k in 1..{n // 2 - 1} {{ fun g[k] = t(g[k - 1], k); }}
fun out(x) = g[{n // 2 - 1}](x);''')


def lists(n):
    return pipeline(f'''fun g[0](x) = input(x);
for k in 1..{n - 2} {{ let v = [i * k for i in 0..1];  fun g[k](x) = {{ let w = [g[k - 1](x + i) for i in 0..1];  sum(w) + sum(v); }} }}
fun out(x) = g[{n - 2}](x);''')


def long_list(n):
    return pipeline(f'''let v = [k * k for k in 1..{n}];
let w = [..v, ..[e + 1 for e in v]];
for k in 0..{n - 2} {{ fun g[k](x) = input(x) + w[k] + w[2*{n} - 1 - k]; }}
fun out(x) = g[0](x);''')


def deep(n):
    return '''template t(f, k) {
    fun d(x) = f(x) + k;
    if k > 0 { fun r = t(d, k - 1);  fun t(x) = r(x); } else { fun t(x) = d(x); }
}
''' + pipeline(f'''for k in 1..{n // 40} {{ fun g[k] = t(input, 19); }}
fun out(x) = sum([g[k](x) for k in 1..{n // 40}]);''')


def directives(n):
    return 'directive rows(f, v = 4) { vectorize(f.x, v); }\ndirective all(g, n) { for k in 0..n { rows(g[k]); } }\n' + pipeline(
        f'''for k in 0..{n - 2} {{ fun g[k](x) = input(x) + k; }}
fun out(x) = g[{n - 2}](x);''', schedule=f'all(g, {n - 2});')


def constants(n):
    return pipeline(f'''for k in 0..{n - 2} {{ fun g[k](x) = input(x) + k; }}
fun out(x) = g[{n - 2}](x);''', schedule=f'for k in 0..{n - 2} {{ const w = 4 + k % 2 * 4;  vectorize(g[k].x, w); }}')


GROWING = (family, nested, templates, lists, long_list, deep, directives, constants)

# ---- what grows without end, or doubles: the code that refuses it; none: parts are shared ----

BOMBS = {
    'rounds': ('E0916', pipeline('for k in 1..1000000000000 { let a = k; }\nfun out(x) = input(x);')),
    'nested_rounds': ('E0916', pipeline('\n'.join(f'for k{i} in 1..100 {{' for i in range(8)) + 'let a = 1;' + '}' * 8 + 'fun out(x) = input(x);')),
    'families': ('E0916', pipeline('for k in 1..1000000000 { fun g[k](x) = input(x); }\nfun out(x) = g[1](x);')),
    'lists': ('E0916', pipeline('let v = [1];\nfor k in 1..60 { let v = [..v, ..v]; }\nfun out(x) = v[0];')),
    'lists_of_values': ('E0916', pipeline('fun out(x) = { let v = [input(x)];  for k in 1..60 { let v = [..v, ..[e + 1 for e in v]]; }  sum(v); }')),
    'comprehension': ('E0916', pipeline('let v = [a + b + c + d for a in 1..1000 for b in 1..1000 for c in 1..1000 for d in 1..1000];\nfun out(x) = v[0];')),
    'sums': ('', pipeline('fun out(x) = { let s = input(x);  for k in 1..100 { let v = [s, s];  let s = sum(v) + sum(v); }  s; }')),
    'macros': ('', 'let two(v) = [v[0] + v[0], v[0]];\n' + pipeline('fun out(x) = { let v = [input(x), ..[]];  for k in 1..60 { let v = two(two(v)); }  sum(v); }')),
    'doubled_text': ('E0916', 'let l0(v) = v[0] + v[0];\n' + '\n'.join(f'let l{i}(v) = l{i - 1}([v[0], ..v]) + l{i - 1}([v[0] + 1, ..v]);' for i in range(1, 40)) + '\n' + pipeline('fun out(x) = l39([input(x), ..[]]);')),
    'recursion': ('E0917', 'template t(f) { fun r = t(f);  fun t(x) = r(x); }\n' + pipeline('fun out = t(input);')),
    'growing_arguments': ('E0916', 'template t(f, k) { fun r = t(f, k + k + k);  fun t(x) = r(x); }\n' + pipeline('fun out = t(input, 1);')),
    'growing_lists': ('E0916', 'template t(f, v) { fun r = t(f, [..v, ..v]);  fun t(x) = r(x); }\n' + pipeline('fun out = t(input, [1, ..[2]]);')),
    'growing_names': ('E0917', 'template t(f) { fun rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr = t(f);  fun t(x) = f(x); }\n' + pipeline('fun out = t(input);')),
    'two_each': ('E0916', 'template t(f, k) { if k > 0 { fun a = t(f, k - 1);  fun b = t(f, k - 1);  fun t(x) = a(x) + b(x); } else { fun t(x) = f(x); } }\n' + pipeline('fun out = t(input, 60);')),
    'two_names': ('E0917', 'template t(f, k) { if k > 0 { fun aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = t(f, k - 1);  fun b = t(f, k - 1);  fun t(x) = b(x); } else { fun t(x) = f(x); } }\n' + pipeline('fun out = t(input, 200);')),
    'templates_that_double': ('E0916', '\n'.join(['template t0(f) { fun t0(x) = f(x); }'] + [f'template t{i}(f) {{ fun a = t{i - 1}(f);  fun b = t{i - 1}(a);  fun t{i}(x) = b(x); }}' for i in range(1, 40)]) + '\n' + pipeline('fun out = t39(input);')),
    'directives': ('E0917', 'directive d(f) { d(f); }\n' + pipeline('fun out(x) = input(x);', schedule='d(out);')),
    'directives_that_double': ('E0916', '\n'.join(['directive d0(f) { vectorize(f.x, 8); }'] + [f'directive d{i}(f) {{ d{i - 1}(f); d{i - 1}(f); }}' for i in range(1, 40)]) + '\n' + pipeline('fun out(x) = input(x);', schedule='d39(out);')),
    'empty_directives': ('E0916', '\n'.join(['directive d0(f) { if false { vectorize(f.x, 8); } }'] + [f'directive d{i}(f) {{ d{i - 1}(f); d{i - 1}(f); }}' for i in range(1, 40)]) + '\n' + pipeline('fun out(x) = input(x);', schedule='d39(out);')),
    'stages': ('E0916', pipeline('fun out(x) = { 0;  for k in 1..100000000 { (x) <- out(x) + 1; } }')),
    'constants': ('E0220', pipeline('const a = 2;\nfor k in 1..100 { const a = k == 1 ? 2 : a * a; }\nfun out(x) = a;', constants='const n = 1, ')),
    'text': ('E0903', '\n'.join(['let l0(x) = x + x;'] + [f'let l{i}(x) = l{i - 1}(l{i - 1}(x)) + l{i - 1}(x + 1);' for i in range(1, 60)]) + '\n' + pipeline('fun out(x) = l59(input(x));')),
}


def expand(hlc, text, folder, megabytes, result=os.devnull):
    """(exit code, standard error, seconds of processor time)"""
    path = pathlib.Path(folder) / 'program.hl'
    path.write_text(text)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 21))

    with open(result, 'wb') as expanded, open(str(path) + '.said', 'wb') as said:
        child = subprocess.Popen([hlc, 'expand', str(path)], stdout=expanded, stderr=said, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, pathlib.Path(str(path) + '.said').read_text(errors='replace'), usage.ru_utime + usage.ru_stime


def written_out(hlc, text, folder):
    """The seconds for the program that the text expands to."""
    path = pathlib.Path(folder) / 'expanded.hl'
    expand(hlc, text, folder, 1024, path)
    return min(expand(hlc, path.read_text(), folder, 1024)[2] for _ in range(2))


def main(build):
    hlc, failures = str(pathlib.Path(build) / 'hlc'), 0
    sanitized = 'HLC_SANITIZE:BOOL=ON' in (pathlib.Path(build) / 'CMakeCache.txt').read_text()
    if sanitized:  # no process fits into 256 MiB of addresses
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for grow in GROWING:
            small = large = None
            for _ in range(3):  # a busy machine may be slow once
                small, large = (min(filter(None, (best, expand(hlc, grow(n), folder, 1024))), key=lambda r: r[2])
                                for n, best in ((FUNCS // 4, small), (FUNCS, large)))
                good = large[0] == 0 and large[2] < 8 * max(small[2], 0.02) and (
                    large[2] < SECONDS or large[2] < 2 * written_out(hlc, grow(FUNCS), folder))
                if good:
                    break
            print(f'{"" if good else "FAILED: "}{grow.__name__}: {FUNCS // 4} funcs in {small[2]:.3f} s, {FUNCS} in {large[2]:.3f} s {large[1][:300]}')
            failures += not good
        for name, (code, text) in BOMBS.items():
            status, said, seconds = expand(hlc, text, folder, MEGABYTES)
            found = re.search(r'program\.hl:\d+:\d+: error\[(E\d+)\]', said)
            good = seconds < SECONDS and (found.group(1) if found else '') == code and status == (2 if code else 0)
            print(f'{"" if good else "FAILED: "}{name}: {found.group(1) if found else status} after {seconds:.2f} s' + ('' if good else ': ' + said[:400]))
            failures += not good
    sys.exit(failures > 0)


main(sys.argv[1])
