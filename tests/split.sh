#!/usr/bin/env bash
# hlc split: the plans of tests/split/*.hl and of examples, compared with the whole; the texts of parts; what is refused.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
export PATH="$build:$PATH" ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0 checks=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# check FILE PIPELINE OPTION ..: the plan's values are those of the whole, in at least some runs.
check() {
  local file=$1 pipeline=$2
  shift 2
  hlc split "$file" --pipeline="$pipeline" --check --rounds=8 --seed=20261127 "$@" > out 2>&1 || fail "$file $pipeline $*: $(cat out)"
  grep -q "runs compared" out || fail "$file $pipeline $*: nothing is compared"
  checks=$((checks + 1))
}

# list PIPELINE FILE: what `hlc split` says of it.
list() { hlc split "$source/tests/split/$2.hl" --pipeline="$1"; }

# ---- what is cut, and how ----

said=$(list equalize equalize)
[ "$said" = "hist needs the whole of input: a chain of blocks, merged in any order" ] || fail "equalize: $said"
said=$(list centre mean)
[ "$said" = "mean_sum needs the whole of input: a chain of blocks in order" ] || fail "centre: $said"
said=$(list columns scan)
[ "$said" = "out needs the whole of a: a scan along dimension 1, which reads 1 before it" ] || fail "columns: $said"
said=$(list rows scan)
[ "$said" = "sums needs the whole of a: a scan along dimension 0, which reads 2 before it" ] || fail "rows: $said"
said=$(list table scan)
[ "$said" = "out needs the whole of a: a scan along dimension 1, which reads 1 before it, and along dimension 0, which reads 1 before it" ] ||
  fail "table: $said"
said=$(list backward scan)
[ "$said" = "out needs the whole of a: a scan along dimension 1 toward lower coordinates, which reads 2 before it" ] || fail "backward: $said"
said=$(list diffusion scan)
[ "$said" = "level needs the whole of a: a scan along dimension 1, which reads 1 before it" ] || fail "diffusion: $said"
said=$(list integral scan | grep -c scan)
[ "$said" = 3 ] || fail "integral: $said scans"
said=$(hlc split "$source/examples/recurrences/edit_distance.hl" --pipeline=edit_distance)
[ "$said" = "table needs the whole of a, b: a scan along dimension 1, which reads 1 before it, and along dimension 0, which reads 1 before it" ] ||
  fail "edit_distance: $said"
said=$(hlc split "$source/examples/recurrences/gauss_seidel.hl" --pipeline=gauss_seidel)
[[ $said == "note: the recurrence of \`u\` stays in one part:"* ]] || fail "gauss_seidel: $said"
said=$(list moments kinds | grep -c "merged in order")
[ "$said" = 1 ] || fail "the least value and its place are merged in order"
said=$(hlc split "$source/examples/blur.hl" --pipeline=blur)
[ "$said" = "no update needs the whole" ] || fail "blur: $said"

# ---- the values ----

for file in "$source"/tests/split/*.hl; do
  for pipeline in $(sed -n 's/^pipeline \([a-z_]*\).*/\1/p' "$file"); do
    check "$file" "$pipeline"
  done
done
check "$source/tests/split/equalize.hl" equalize --at=cdf
check "$source/tests/split/equalize.hl" equalize --at=hist,cdf,out
check "$source/tests/split/mean.hl" centre --at=mean
check "$source/tests/split/kinds.hl" moments --at=auto,stats
check "$source/examples/find.hl" find
for file in edit_distance recursive_blur smith_waterman; do check "$source/examples/recurrences/$file.hl" $file; done
check "$source/examples/recurrences/gauss_seidel.hl" gauss_seidel --at=u
check "$source/examples/edges.hl" edges --at=wide

# ---- the plan ----

hlc split "$source/tests/split/equalize.hl" --at=auto --schedule=fast --json > plan.json || fail "--json"
hlc split "$source/tests/split/equalize.hl" --at=auto --schedule=fast --json > again.json
cmp -s plan.json again.json || fail "two plans of one file differ"
hlc split "$source/tests/split/equalize.hl" --schedule=fast -o parts || fail "-o"
cmp -s plan.json parts/plan.json || fail "-o writes another plan than --json prints"
grep -q 'vectorize(out.x, 16)' parts/equalize_*.hl || fail "no part has the directives of out"
for part in parts/*.hl; do
  hlc fmt --check "$part" > /dev/null 2>&1 # any layout will do
  hlc compile "$part" --windows -o part.o > out 2>&1 || fail "$part: $(cat out)"
done
cat > read.py << 'END'
import json, sys

plan = json.load(open(sys.argv[1]))
assert plan['format'] == 2 and plan['pipeline'] == 'equalize'
assert [step['kind'] for step in plan['steps']] == ['map', 'chain', 'map']
chain = plan['steps'][1]
assert chain['windows'] == [False] and chain['merge']['commutative'] is True
assert chain['first'] in chain['part']['text'] and chain['end'] in chain['part']['text']
assert [port['array'] for port in chain['part']['outputs']] == ['hist']
arrays = {array['name']: array['step'] for array in plan['arrays']}
assert arrays == {'hist_start': 0, 'hist': 1, 'out': 2}, arrays
assert plan['outputs'] == [{'name': 'out', 'type': 'u8', 'dimensions': 2, 'array': 'out'}]
END
if command -v python3 > /dev/null; then python3 read.py plan.json || fail "the plan's members"; fi

# Directives about what is cut are noted.
hlc split "$source/tests/split/equalize.hl" --at=auto --schedule=inner > out 2>&1 && fail "no such schedule"
cat > across.hl << 'END'
import "equalize.hl";
schedule across for equalize { compute-at(cdf, out.y); }
END
cp "$source/tests/split/equalize.hl" .
hlc split across.hl --at=cdf --schedule=across | grep -q 'note: no part takes the directive `compute-at(cdf, out.s0.y)`\|note: no part takes the directive `compute-at(cdf, out.y)`' ||
  fail "a directive across the cut is not noted"

# ---- refused: nothing is half written ----

refuse() {
  local code=$1
  shift
  hlc split "$@" > out 2> err
  status=$?
  [ "$status" -eq 2 ] || fail "split $*: exit code $status"
  grep -qF "[$code]" err || fail "split $*: $(cat err)"
  checks=$((checks + 1))
}
cat > order.hl << 'END'
pipeline order(a: image<f32, 2>) -> out(1) {
    fun total(): f32 = { 0.0;  rdom(x = (a.min(0), a.width); c = (0, 3)) in () <- total() + a(x, c); }
    fun out(i) = total();
}
pipeline gather(a: image<i32, 1>) -> out(8) {
    fun place(x) = a(x);
    fun out(x) = place(place(x));
}
pipeline wide(a: image<i32, 1>) -> out(8) {
    fun five(x, y, z, u, v) = a(x) + y + z + u + v;
    fun out(x) = five(x, 0, 1, 2, 3);
}
END
refuse E0983 order.hl --pipeline=order --at=auto
refuse E0980 order.hl --pipeline=gather --at=place
refuse E0981 order.hl --pipeline=order --at=totl
refuse E0982 order.hl --pipeline=wide --at=five
hlc split order.hl --pipeline=order -o nothing 2> /dev/null
[ ! -e nothing ] || fail "a refused split leaves a folder"

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ] && [ "$checks" -ge 18 ]
