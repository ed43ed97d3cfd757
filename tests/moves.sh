#!/usr/bin/env bash
# The exact output of `hlc moves`: tests/golden/moves.SCHEDULE.txt is its answer for
# examples/edges.hl (`empty` for no schedule).  BLESS=1 rewrites it.  Each example has moves under
# each of its schedules.
# Arguments: source folder, build folder.
set -u
golden=$1/tests/golden hlc=$2/hlc
export ASAN_OPTIONS=detect_leaks=0
. "$1/tests/support/expected.sh"
. "$1/tests/support/share.sh"
failed=0 asked=0
fail() { echo "FAILED: $1"; failed=$((failed + 1)); }
for schedule in empty fast; do
  option=--schedule=$schedule
  [ "$schedule" = empty ] && option=
  got=$("$hlc" moves "$1/examples/edges.hl" $option --all --allow=all 2>&1)
  expected "$golden/moves.$schedule.txt" <<< "$got"
done
unexpected "$golden"/*.txt
# Without --all: at most ten, each of them a move, the best first; the model counts by sizes and threads.
for schedule in "" fast; do
  best=$("$hlc" moves "$1/examples/edges.hl" --schedule=$schedule --threads=2 input=zero:2560x1600)
  all=$("$hlc" moves "$1/examples/edges.hl" --schedule=$schedule --all)
  gains=$(sed -n 's|.*// \([0-9.]*\) of the time$|\1|p' <<< "$best")
  [ "$(wc -l <<< "$gains")" -le 10 ] && [ "$gains" = "$(sort -g <<< "$gains")" ] || fail "the best moves, ${schedule:-empty}: $best"
  while read -r move; do
    [[ "$move" = tile*";  "* ]] || grep -qxF -- "$move" <<< "$all" || fail "$move is no move"
  done < <(sed -n 's|; *// .* of the time$|;|p' <<< "$best")
done
grep -q '^vectorize(' <<< "$("$hlc" moves "$1/examples/edges.hl" --threads=1)" || fail "no vectorize is among the best"
[ "$(grep -c 'parallel' <<< "$("$hlc" moves "$1/examples/edges.hl" --threads=1)")" -eq 0 ] || fail "one thread gains by parallel"
# With --seconds they are run: each is accepted, also a tile, which is several directives; the best comes first.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/stretch.hl" << 'HL'
pipeline stretch(input: image<u8, 2>) -> out(input.height, input.width) {
    fun most() = { u8(0);  rdom(x = (0, input.width); y = (0, input.height)) in () <- max(most(), input(x, y)); }
    fun out(x, y) = u8_sat(f32(input(y, x)) * 255.0 / max(f32(most()), 1.0));
}
HL
measured=$("$hlc" moves "$work/stretch.hl" --threads=1 --seconds=0.2 input=random:1:300x200) || fail "moves --seconds"
gains=$(sed -nE 's|.*// ([0-9.]*) of the time; [0-9.]* by the model$|\1|p' <<< "$measured")
[ -n "$gains" ] && [ "$gains" = "$(sort -g <<< "$gains")" ] || fail "what is measured: $measured"
grep -q '^// measured, with 1 thread; ' <<< "$measured" || fail "the last line: $measured"
grep -q '^vectorize(out.s0.[xy], \(8\|16\));' <<< "$measured" || fail "no vectors are among the fastest: $measured"
while read -r move; do
  { cat "$work/stretch.hl"; echo "schedule s for stretch { $move }"; } > "$work/moved.hl"
  "$hlc" check "$work/moved.hl" --schedule=s --rounds=1 > /dev/null || fail "$move is refused"
done < <(sed -n 's|; *// .* by the model$|;|p' <<< "$measured")
for wrong in --all --json; do
  "$hlc" moves "$work/stretch.hl" --seconds=1 $wrong input=zero:9x9 > /dev/null 2> "$work/said"
  [ $? -eq 2 ] && grep -q E0822 "$work/said" || fail "moves --seconds $wrong: $(cat "$work/said")"
done
"$hlc" moves "$work/stretch.hl" --seconds=1 > /dev/null 2> "$work/said"
[ $? -eq 2 ] && grep -q 'error\[E0810\]' "$work/said" || fail "moves --seconds without an image: $(cat "$work/said")"
# A chain of funcs in vectors: nothing that follows helps as much as inlining them instead. `inline(a)` alone is refused.
cat > "$work/chain.hl" << 'HL'
pipeline chain(input: image<u16, 2>) -> out(input.width, input.height) {
    fun a(x, y) = f32(input(x, y)) * 1.5 - 0.25;
    fun b(x, y) = max(min(a(x, y), 1.0), 0.0);
    fun out(x, y) = b(x, y) * 0.5 + 0.5;
}
schedule slow for chain { vectorize(a.x, 8);  vectorize(b.x, 8);  vectorize(out.x, 8); }
schedule fast for chain { vectorize(out.x, 8);  inline(a);  inline(b); }
HL
best=$("$hlc" moves "$work/chain.hl" --schedule=slow --threads=1 input=zero:1500x1000)
grep -q '^inline(a);  inline(b); *// 0.[0-9]* of the time; instead of all directives about them$' <<< "$(head -1 <<< "$best")" ||
  fail "a chain is not inlined: $best"
grep -q '^inline(b); *// .*; instead of all directives about it$' <<< "$best" || fail "a func is not inlined: $best"
[ "$("$hlc" moves "$work/chain.hl" --schedule=slow --all | grep -c '^inline')" -eq 0 ] || fail "inline follows loops"
grep -q '^inline\|^fuse' <<< "$("$hlc" moves "$work/chain.hl" --schedule=fast --threads=1)" && fail "what is inlined is inlined"
# What is tried and dropped reports nothing, and counts no warning (E0949): of these tries, hundreds would warn.
cat > "$work/weights.hl" << 'HL'
pipeline weights(input: image<u8, 2>) -> out(input.width, input.height) {
    let src = repeat_edge(input);
    fun f(x, y) = f32(src(x, y));
    fun weight(x, y, i, j) = 1.0 / (1.0 + abs(f(x + i, y + j) - f(x, y)));
    fun out(x, y) = sum(i in (-3, 7), j in (-3, 7)) weight(x, y, i, j);
}
schedule near for weights { compute-at(f, weight.y);  vectorize(weight.x, 4);  vectorize(f.x, 4); } // allow E0442, E0443
HL
"$hlc" moves "$work/weights.hl" --schedule=near --threads=2 > "$work/out" 2> "$work/said" || fail "moves of weights"
[ ! -s "$work/said" ] || fail "moves warns of what it tries: $(cat "$work/said")"
for example in "$1"/examples/*.hl; do
  while read -r schedule; do
    left_out && continue
    moves=$("$hlc" moves "$example" --schedule="$schedule" --all --allow=all 2>&1 | grep -c ');$')
    [ "$moves" -gt 20 ] || { echo "$example, $schedule: $moves moves"; failed=$((failed + 1)); }
    asked=$((asked + 1))
  done < <(sed -n 's/^schedule \([a-z_0-9]*\) for.*/\1/p' "$example")
done
# If memory is folded, a move is offered only if the rings still hold what is needed; a dimension is
# folded once.
rings=$("$hlc" moves "$1/tests/semantics/slid.hl" --schedule=rings --all --allow=all 2>&1)
[ "$(grep -c ');$' <<< "$rings")" -gt 100 ] && ! grep -qE '^fold-storage\([gh], y' <<< "$rings" ||
  { echo "rings: $rings"; failed=$((failed + 1)); }
# A func that is evaluated at compile time is no nest of equations: it has no fronts and no
# distances.
for schedule in table whole; do
  moves=$("$hlc" moves "$1/tests/semantics/recurrence_eager.hl" --schedule=$schedule --all --allow=all 2>&1) ||
    { echo "recurrence_eager, $schedule: $moves"; failed=$((failed + 1)); }
  [ "$(grep -c ');$' <<< "$moves")" -gt 20 ] && ! grep -qE '^(wavefront|unfold-storage|merge-ures)' <<< "$moves" ||
    { echo "recurrence_eager, $schedule: $moves"; failed=$((failed + 1)); }
  told=$("$hlc" explain "$1/tests/semantics/recurrence_eager.hl" --dependences --schedule=$schedule 2>&1) && ! grep -q nest <<< "$told" ||
    { echo "recurrence_eager, $schedule: $told"; failed=$((failed + 1)); }
done
# New names of a move differ from all existing names: variables and parameters of this func.
cat > "$work/names.hl" << 'HL'
pipeline names(front: i32 = 3 in 0..9) -> out {
    fun f(x, x_o, x_i1) = x * 3 + x_o * x_i1 + front;
    recurrence (i = (0, 12); j = (0, 7)) {
        fun g(i, j, front2): i32 = select(i == 0 || j == 0, f(i, j, front2), g(i - 1, j, front2) + g(i, j - 1, front2));
    }
    fun out(x, x_o, front2) = f(x, x_o, 2) + g(x, x_o, front2);
}
HL
names=$("$hlc" moves "$work/names.hl" --all --allow=all 2>&1 | grep -E '^(wavefront|split\((f|out)\.s0\.x,.*4\))')
wanted='wavefront(g, i, j, front3);
wavefront(g, j, i, front3);
split(f.s0.x, x_o1, x_i, 4);
split(out.s0.x, x_o1, x_i, 4);'
diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$names") || failed=$((failed + 1))
{ cat "$work/names.hl"; echo 'schedule s for names { wavefront(g, i, j, front3);  wavefront(g, front3, j, front4); }'; } > "$work/fronts.hl"
fronts=$("$hlc" moves "$work/fronts.hl" --schedule=s --all --allow=all 2>&1 | grep '^wavefront')
[ "$fronts" = 'wavefront(g, j, front4, front5);
wavefront(g, front4, j, front5);' ] || { echo "a front called as one that is gone: $fronts"; failed=$((failed + 1)); }
while read -r move; do
  { cat "$work/names.hl"; echo "schedule s for names { $move }"; } > "$work/moved.hl"
  "$hlc" explain "$work/moved.hl" --schedule=s > /dev/null || failed=$((failed + 1))
done <<< "$names"
echo "$asked schedules, $failed failed"
[ "$asked" -gt $((10 / share)) ] && [ "$failed" -eq 0 ]
