#!/usr/bin/env bash
# `import name;`: what a package of the library makes visible, and that it needs no file.
# Arguments: source folder, build folder.
set -u
hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0 ran=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# says COMMAND TEXT: the command line prints a line that has the text.
says() {
  local got
  ran=$((ran + 1))
  got=$(eval "$1" 2>&1)
  grep -qF -- "$2" <<< "$got" || fail "$1 does not say: $2, but $got"
}
# same A B: two files expand to the same text.
same() {
  ran=$((ran + 1))
  "$hlc" expand "$1" > a.text 2>&1 && "$hlc" expand "$2" > b.text 2>&1 && cmp -s a.text b.text || fail "$1 and $2 differ: $(diff a.text b.text)"
}

body='let src = repeat_edge(input); fun s(x, y) = f32(src(x, y));'
head='pipeline p(input: image<u8, 2>) -> out'
echo "import pyramid; $head { $body fun g = pyramid.down(s); fun out(x, y) = g(x, y); } schedule fast for p { pyramid.fast(g); }" > dotted.hl
echo "import pyramid; $head { $body fun g = down(s); fun out(x, y) = g(x, y); } schedule fast for p { fast(g); }" > bare.hl
same dotted.hl bare.hl
echo "import pyramid; import \"bare.hl\"; import pyramid;" > twice.hl
same bare.hl twice.hl
mkdir deep && echo 'import "../bare.hl"; schedule more for p { pyramid.fast(g, m = 8); }' > deep/unsaid.hl
says "$hlc expand deep/unsaid.hl" '`fast` has none of this name'

echo 'import pyramid; import "bare.hl"; schedule more for p { pyramid.fast(out); }' > unfit.hl
says "$hlc expand unfit.hl" 'in: `fast(out)`, unfit.hl'

# A template may be an argument; a func may have the name of a package, and of a template.
echo "import pyramid; template twice(f, t) { fun once = t(f); fun twice = t(once); }
$head { $body fun pyramid = twice(s, pyramid.down); fun down = pyramid.down(pyramid); fun out(x, y) = down(x, y); }
schedule fast for p { pyramid.fast(down); parallel(pyramid.y, 8); }" > named.hl
says "$hlc check --rounds=2 named.hl" 'all equal'

# The names of the user hide those of packages; a package does not see the user's.
echo "import sort; let exchange(v, i, j) = [0, 0]; template rank(f, r, k) { fun rank(x, y) = f(x, y); }
$head { fun a = sort.line(input, 2); fun out = rank(input, 1, 1); fun b(x, y) = exchange([1, 2], 0, 1)[0]; }" > hides.hl
says "$hlc eval hides.hl 'a(0, 0)' input=ramp:8x8" 0
says "$hlc eval hides.hl 'a(1, 0)' input=ramp:8x8" 1
says "$hlc eval hides.hl 'out(1, 1)' input=ramp:8x8" 2
says "$hlc eval hides.hl 'b(1, 1)' input=ramp:8x8" 0
says "$hlc expand hides.hl" 'fun out(x, y) = input(x, y);'

# Faults in the text of a package have their place there, and the chain of uses.
echo "import pyramid; $head { fun out = pyramid.down(input, 3); }" > wrong.hl
says "$hlc expand wrong.hl" '<pyramid.hl>:'
says "$hlc expand wrong.hl" 'in: `out = down(..)`, wrong.hl:1:62'
echo "$head { fun out(x, y) = sort.exchange([input(x, y)], 0, 0)[0]; }" > missing.hl
says "$hlc expand missing.hl" 'write `import sort;`'
echo "$head { fun out(x, y) = input(x, y) + sort; }" > missing.hl
says "$hlc expand missing.hl" 'write `import sort;` for the package of this name'
echo "import pyramid; $head { fun out(x, y) = pyramid.down(input)(x, y); }" > value.hl
says "$hlc expand value.hl" 'E0222'

# No file is read for a package: untrusted programs may import it, a file of its name is another one, and make is
# not told of it.
says "$hlc check --rounds=2 --root=. --no-ir bare.hl" 'all equal'
echo 'nonsense' > pyramid.hl && cp pyramid.hl '<pyramid.hl>'
same dotted.hl bare.hl
says "cd / && $hlc expand $work/bare.hl --root=$work" 'fun g.rows'
"$hlc" compile bare.hl --depfile=bare.d -o bare.o && [ "$(tr -d '\\\n' < bare.d | tr -s ' ')" = 'bare.o: bare.hl' ] || fail "the depfile: $(cat bare.d)"
"$hlc" compile bare.hl -o '<pyramid.hl>' || fail "a result of the name of a package"
says "$hlc fmt < bare.hl" 'import pyramid;'
[ "$ran" -ge 15 ] || fail "only $ran commands"
echo "$ran commands, $failures failures"
[ "$failures" -eq 0 ]
