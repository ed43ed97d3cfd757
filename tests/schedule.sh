#!/usr/bin/env bash
# `hlc schedule` and `--schedule=auto`: the chosen schedule gives the values of the empty one, accepts what the empty one accepts, is the same
# each time, and can be read back from its text.
# Arguments: source folder, build folder.
set -u
. "$1/tests/support/share.sh"
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 scheduled=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# case FILE PIPELINE ARGUMENTS: the directives are read back from the text under another name, and make the same program.
try() {
  local file=$1 pipeline=$2
  shift 2
  left_out && return
  scheduled=$((scheduled + 1))
  "$hlc" schedule "$file" --pipeline="$pipeline" --threads=2 "$@" > "$work/one" 2> "$work/said" || { fail "schedule $file: $(cat "$work/said")"; return; }
  "$hlc" schedule "$file" --pipeline="$pipeline" --threads=2 "$@" 2> /dev/null | cmp -s - "$work/one" || fail "$file: not the same text again"
  grep -q "the empty schedule:" "$work/one" && fail "$file: no schedule"
  { sed 's/^schedule auto /schedule read_back /' "$work/one"; echo "import \"$source/$file\";"; } | tac | awk 'NR == 1 { first = $0; next } { line[NR] = $0 } END { print first; for (i = NR; i > 1; i--) print line[i] }' > "$work/both.hl"
  "$hlc" run "$work/both.hl" --pipeline="$pipeline" --threads=2 --schedule=read_back "$@" > "$work/back" 2> "$work/said" || fail "$file, read back: $(cat "$work/said")"
  "$hlc" run "$file" --pipeline="$pipeline" --threads=2 --schedule=auto "$@" > "$work/auto" 2> "$work/said" || fail "$file --schedule=auto: $(cat "$work/said")"
  "$hlc" run "$file" --pipeline="$pipeline" "$@" > "$work/empty" 2> /dev/null || fail "$file, the empty schedule"
  cmp -s "$work/auto" "$work/empty" || fail "$file: other values under --schedule=auto"
  cmp -s "$work/back" "$work/empty" || fail "$file: other values when read back"
  "$hlc" contract "$file" --pipeline="$pipeline" --schedule=auto --against= > "$work/contract" 2>&1 || fail "$file: $(cat "$work/contract")"
  # Where a func is inlined, others are the first to leave 32 bits; that these clauses are weaker is proved.
  grep -v "32 bits$" "$work/contract" | grep -qE " added | became " && fail "$file: refuses more: $(cat "$work/contract")"
}

cd "$source" || exit 1
try examples/edges.hl edges input=random:1:67x43
try examples/blur.hl blur input=random:1:67x43
try examples/unsharp.hl unsharp input=random:1:67x43x3
try examples/harris.hl harris input=random:1:67x43
try examples/histogram.hl histogram input=random:1:67x43x3
try examples/find.hl find input=random:1:67x43 patch=random:2:7x5
try examples/statistics.hl statistics input=random:1:67x43x3
try examples/median.hl median input=random:1:67x43
try examples/tone.hl tone input=random:1:67x43
try examples/turn.hl turn input=random:1:67x43
try examples/resample.hl resample input=random:1:67x43
try examples/bilateral_grid.hl bilateral_grid input=random:1:67x43
try examples/equalize.hl equalize input=random:1:67x43
try examples/integral.hl integral input=random:1:67x43
try examples/gradients.hl gradients input=random:1:67x43 gx=67x43 gy=67x43
try examples/local_laplacian.hl local_laplacian input=random:1:67x43x3
try bench/blur.hl blur input=random:1:67x43
try bench/unsharp.hl unsharp input=random:1:67x43x3 out=67x43x3
try bench/harris.hl harris input=random:1:67x43x3
try bench/box.hl box input=random:1:67x43
try bench/camera.hl camera input=random:1:130x110 matrix=random:2:4x3
try bench/recursive.hl recursive input=random:1:67x43x3 out=67x43x3
try bench/stencil.hl stencil input=random:1:67x43 out=67x43
try bench/conv.hl conv input=random:1:64x10x10x1 weights=random:2:64x3x3x64 bias=random:3:64
try examples/convnet.hl convnet input=random:1:37x29x3 weights=random:2:8x8x9x3 bias=random:3:8x3 out=4x3x8
try bench/sgemm.hl sgemm a=random:1:1024x20 b=random:2:70x1024
# Recurrences: loops that carry no distance are parallel or in lanes.
try examples/recurrences/summed_area.hl summed_area picture=random:1:67x43
try examples/recurrences/recursive_blur.hl recursive_blur picture=random:1:67x43
try examples/recurrences/matrix.hl matrix a=random:1:37x29 b=random:2:21x37
try examples/recurrences/edit_distance.hl edit_distance a=random:1:67 b=random:2:43

# Sums stay in registers where all blocks are whole: a specialization for windows that hold one, without which the contract would change.
left_out || {
  "$hlc" schedule bench/sgemm.hl --pipeline=sgemm --threads=1 a=random:1:1024x512 b=random:2:512x1024 > "$work/whole" 2> "$work/said" || fail "sgemm: $(cat "$work/said")"
  grep -q "specialize(out, out.extent(0) >= " "$work/whole" && grep -q "shift-inwards" "$work/whole" || fail "no whole blocks: $(cat "$work/whole")"
  { echo "import \"$source/bench/sgemm.hl\";"; cat "$work/whole"; } > "$work/both.hl"
  for size in 1x1 7x5 33x40 200x100; do
    for schedule in auto ""; do
      "$hlc" run "$work/both.hl" --pipeline=sgemm --schedule=$schedule "a=random:1:1024x${size#*x}" "b=random:2:${size%x*}x1024" > "$work/out$schedule" 2> "$work/said" ||
        fail "sgemm, $size: $(cat "$work/said")"
    done
    cmp -s "$work/out" "$work/outauto" || fail "sgemm, $size: other values"
  done
}

# What is printed is what was accepted, also where a requirement contradicts the condition of whole blocks: the text asks for no more of the sizes.
left_out || {
  cat > "$work/small.hl" <<'HL'
pipeline p(input: image<u8, 2>) -> (out) {
    fun sums(x, y) = { 0; rdom(r = (0, 9)) in (x, y) <- sums(x, y) + i32(input(x + r, y)); }
    fun out(x, y) = sums(x, y) / 9;
    require(out.extent(0) <= 10, "small");
}
HL
  "$hlc" schedule "$work/small.hl" --threads=2 --name=chosen > "$work/one" 2> "$work/said" || fail "small: $(cat "$work/said")"
  cat "$work/small.hl" "$work/one" > "$work/both.hl"
  "$hlc" contract "$work/both.hl" --schedule=chosen --against= > "$work/contract" 2>&1 || fail "small: $(cat "$work/contract")"
  grep -qE " added | became " "$work/contract" && fail "small refuses more: $(cat "$work/contract")"
}
# A func that a C function computes has no loops; the others are scheduled.
left_out || {
  cat > "$work/extern.hl" <<'HL'
pipeline p(input: image<i32, 1>) -> (out) {
    fun mixed(x): i32 = extern "mix"(input(x - 1..x + 1));
    fun out(x, y) = mixed(x) * y + mixed(y) * x;
}
HL
  "$hlc" schedule "$work/extern.hl" > "$work/one" 2> "$work/said" || fail "extern: $(cat "$work/said")"
  grep -q "vectorize(out.x" "$work/one" || fail "extern: $(cat "$work/one")"
}
# A func that chooses between planes has a copy for each, which computes one arm.
left_out || {
  "$hlc" schedule bench/camera.hl --threads=1 --machine=typical input=zero:2592x1968 matrix=zero:4x3 > "$work/one" 2> "$work/said" || fail "camera: $(cat "$work/said")"
  grep -q "unroll(dem.c, 3);" "$work/one" && grep -q "unroll(d.c, 4);" "$work/one" || fail "camera: $(cat "$work/one")"
}
# Of a recurrence, the loops that carry no distance are parallel and in lanes.
left_out || {
  "$hlc" schedule examples/recurrences/summed_area.hl --threads=2 --machine=typical picture=zero:1536x1024 > "$work/one" 2> "$work/said" ||
    fail "summed_area: $(cat "$work/said")"
  grep -q "parallel(row.s1.y, " "$work/one" && grep -q "parallel(table.s1.x, " "$work/one" && grep -q "vectorize(table.s1.x_i, " "$work/one" ||
    fail "summed_area: $(cat "$work/one")"
}
# A transposed copy is made in blocks, of rows that are unrolled. A body whose clamped lanes share their coordinates is not too large for whole vectors.
left_out || {
  "$hlc" schedule examples/turn.hl --threads=1 --machine=typical input=zero:1536x1024 > "$work/one" 2> "$work/said" || fail "turn: $(cat "$work/said")"
  grep -q "split(transposed.x, " "$work/one" && grep -q "unroll(transposed.y_i, 8)" "$work/one" || fail "turn: $(cat "$work/one")"
  "$hlc" schedule examples/median.hl --threads=1 --machine=typical input=zero:1536x1024 > "$work/one" 2> "$work/said" || fail "median: $(cat "$work/said")"
  grep -q "vectorize(out.x, 32)" "$work/one" || fail "median: $(cat "$work/one")"
}

# Places that values choose: neighbours are counted in tables of their own, strips by threads of their own. By two threads, with the same values.
left_out || {
  for threads in 1 2; do
    "$hlc" schedule examples/histogram.hl --threads=$threads --machine=typical --name=tables input=zero:1536x1024x3 > "$work/one" 2> "$work/said" ||
      fail "histogram: $(cat "$work/said")"
    grep -q "unroll(count.s1.x, 4);" "$work/one" && grep -q "rfactor(count.s1.x_u, x_u, .*count_tables)" "$work/one" || fail "histogram: $(cat "$work/one")"
  done
  grep -q "parallel(count.s1.y, " "$work/one" || fail "histogram, two threads: $(cat "$work/one")"
  { echo "import \"$source/examples/histogram.hl\";"; cat "$work/one"; } > "$work/both.hl"
  "$hlc" check "$work/both.hl" --schedule=tables --rounds=3 > "$work/said" 2>&1 || fail "histogram: $(cat "$work/said")"
}

# For several sizes: what is predicted for each is said. Numbers that are none are refused.
left_out || {
  "$hlc" schedule examples/edges.hl --machine=typical --scales=0.05,4 input=zero:1536x1024 > "$work/one" 2> "$work/said" || fail "scales: $(cat "$work/said")"
  grep -q "predicted at 0.05 times these sizes: " "$work/one" && grep -q "predicted at 4 times these sizes: " "$work/one" || fail "scales: $(cat "$work/one")"
  "$hlc" schedule examples/edges.hl --threads=2 --machine=typical --scales=0.03,0.05,0.02 input=zero:1536x1024 > "$work/small" 2> "$work/said" &&
    ! grep -q "parallel" "$work/small" && grep -q "parallel" "$work/one" || fail "small images do not pay for threads: $(cat "$work/small")"
  "$hlc" schedule examples/edges.hl --scales=1,x > /dev/null 2> "$work/said" && fail "scales x"
  grep -q E0990 "$work/said" || fail "scales x: $(cat "$work/said")"
}

# The other commands, names and files.
"$hlc" check examples/edges.hl --schedule=auto --rounds=3 > "$work/said" 2>&1 || fail "check: $(cat "$work/said")"
"$hlc" compile examples/edges.hl --schedule=auto input=zero:640x480 -o "$work/edges.o" > "$work/said" 2>&1 || fail "compile: $(cat "$work/said")"
"$hlc" compile examples/edges.hl --schedule=auto -o "$work/edges.o" > "$work/said" 2>&1 || fail "compile without sizes: $(cat "$work/said")"
"$hlc" bench examples/edges.hl --schedule=auto --schedule= --threads=1 --seconds=0 input=random:1:67x43 > "$work/said" 2>&1 || fail "bench: $(cat "$work/said")"
"$hlc" explain examples/edges.hl --schedule=auto > "$work/said" 2>&1 || fail "explain: $(cat "$work/said")"
"$hlc" explain examples/edges.hl --schedule=fast --model input=zero:640x480 > "$work/said" 2>&1 && grep -q "^wide " "$work/said" &&
  grep -q "of the empty schedule's$" "$work/said" || fail "explain --model: $(cat "$work/said")"
"$hlc" certify examples/edges.hl --schedule=auto > "$work/said" 2>&1 || fail "certify: $(tail -3 "$work/said")"
"$hlc" schedule examples/edges.hl --name=mine -o "$work/mine.hl" && grep -q "^schedule mine for edges {$" "$work/mine.hl" || fail "-o and --name"
"$hlc" schedule examples/edges.hl --threads=2 > "$work/one" && "$hlc" schedule examples/edges.hl --threads=16 > "$work/many" || fail "--threads"
# Tuned: the text says what was measured, is read back, and gives the same values. Inputs that are missing are asked for.
"$hlc" schedule examples/edges.hl --seconds=1 --name=tuned input=random:1:67x43 > "$work/tuned" 2> "$work/said" || fail "tuned: $(cat "$work/said")"
grep -qE "^    // measured: [0-9.e-]+ ms; the empty schedule [0-9.e-]+ ms, the model's choice [0-9.e-]+ ms; [0-9]+ were measured$" "$work/tuned" ||
  fail "tuned: $(cat "$work/tuned")"
{ echo "import \"$source/examples/edges.hl\";"; cat "$work/tuned"; } > "$work/both.hl"
"$hlc" check "$work/both.hl" --schedule=tuned --rounds=3 > "$work/said" 2>&1 || fail "tuned, read back: $(cat "$work/said")"
said=$("$hlc" schedule examples/edges.hl --seconds=1 2>&1) && fail "tuned without inputs"
[[ $said == *E0810* ]] || fail "tuned without inputs: $said"
# Ctrl-C ends it with the best so far. The signal comes once the command has begun to measure.
timeout --foreground 60 "$hlc" schedule examples/edges.hl --seconds=50 input=random:1:640x480 > "$work/tuned" 2> "$work/said" &
running=$! child=
for _ in $(seq 300); do
  child=$(pgrep -P "$running" | head -1)
  [ -n "$child" ] && grep -q "^SigBlk:.*[2367abef]$" "/proc/$child/status" 2> /dev/null && break
  sleep 0.1
done
[ -n "$child" ] && kill -INT "$child"
wait "$running" || fail "interrupted: $? $(cat "$work/said")"
grep -q "^schedule auto for edges {$" "$work/tuned" || fail "interrupted: $(cat "$work/tuned")"
# Extended: the directives stay, the funcs that they name too, and the others are decided.
{ cat examples/edges.hl; echo "schedule mine for edges { vectorize(out.x, 8); }"; } > "$work/own.hl"
"$hlc" schedule "$work/own.hl" --extend=mine --name=more input=random:1:1280x800 > "$work/more" 2> "$work/said" || fail "extended: $(cat "$work/said")"
grep -q "^schedule more for edges extends mine {$" "$work/more" && ! grep -q "out[.]x" "$work/more" && grep -q "wide" "$work/more" &&
  grep -q "of the time of schedule mine;" "$work/more" || fail "extended: $(cat "$work/more")"
{ cat "$work/own.hl" "$work/more"; } > "$work/both.hl"
"$hlc" check "$work/both.hl" --schedule=more --rounds=3 > "$work/said" 2>&1 || fail "extended, read back: $(cat "$work/said")"
# A schedule with expressions is extended as it is written, and one that is refused is reported.
{ cat examples/edges.hl; echo "schedule special for edges { specialize(out, out.extent(0) >= 64, strength > 8:i32); }"; } | sed 's/8:i32/8/' > "$work/special.hl"
{ cat "$work/special.hl"; "$hlc" schedule "$work/special.hl" --extend=special --name=more input=random:1:1280x800; } > "$work/both.hl" 2> "$work/said" ||
  fail "extended, with expressions: $(cat "$work/said")"
"$hlc" check "$work/both.hl" --schedule=more --rounds=3 > "$work/said" 2>&1 || fail "extended, with expressions: $(cat "$work/said")"
{ cat examples/edges.hl; echo "schedule bad for edges { vectorize(out.x); }"; } > "$work/bad.hl"
said=$("$hlc" schedule "$work/bad.hl" --extend=bad 2>&1) && fail "a refused schedule was extended: $said"
[[ $said == *E0518* ]] || fail "a refused schedule: $said"
# A pipeline that has a schedule of this name keeps it.
{ cat examples/edges.hl; echo "schedule auto for edges { inline(blurred); }"; } > "$work/own.hl"
[ "$("$hlc" explain "$work/own.hl" --schedule=auto | head -1)" = "inline(blurred);" ] || fail "a schedule auto of the file"
said=$("$hlc" schedule "$work/own.hl" 2>&1) && fail "it was made twice"
[[ $said == *E0961* ]] || fail "not E0961: $said"
# Nothing to gain, nothing to read: the empty schedule, with the reason.
echo "pipeline p() -> out(1) { fun out(x) = i32(x); }" > "$work/point.hl"
"$hlc" schedule "$work/point.hl" > "$work/said" 2>&1 || fail "a point: $(cat "$work/said")"
"$hlc" run "$work/point.hl" --schedule=auto > /dev/null 2>&1 || fail "a point does not run"
[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
echo "$scheduled pipelines were scheduled"
