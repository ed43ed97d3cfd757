#!/usr/bin/env bash
# `hlc certify`: every example under every schedule is proved, in windows, too.  Programs with a planted fault are
# refuted, with a counterexample in the broken clause.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
hlc=$build/hlc
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
. tests/support/share.sh
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# ---- examples: all proved ----
runs=0 obligations=0
for file in examples/*.hl; do
  pipeline=$(grep -oP '^pipeline \K\w+' "$file")
  for schedule in "" $(grep -oP '^schedule \K\w+' "$file"); do
    left_out && continue
    "$hlc" certify "$file" ${schedule:+--schedule=$schedule} > "$work/out" 2> "$work/err" ||
      fail "$file, schedule '$schedule': $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
    last=$(tail -n 1 "$work/out")
    [[ $last == *" 0 left to run time, 0 refuted, 0 open" ]] || fail "$pipeline '$schedule': $last"
    count=${last%% *}
    [ "$count" -ge 9 ] || fail "$pipeline '$schedule': only $count obligations"
    [ "$count" -eq $(($(wc -l < "$work/out") - 1)) ] || fail "$pipeline '$schedule': $last, but other lines"
    runs=$((runs + 1)) obligations=$((obligations + count))
  done
done

# ---- the same in windows: nothing is open; exact boxes of mirrored images are left to run time ----
for file in examples/*.hl; do
  pipeline=$(grep -oP '^pipeline \K\w+' "$file")
  for schedule in "" $(grep -oP '^schedule \K\w+' "$file"); do
    left_out && continue
    "$hlc" certify --windows "$file" ${schedule:+--schedule=$schedule} > "$work/out" 2> "$work/err"
    status=$? last=$(tail -n 1 "$work/out")
    if [ "$file" = examples/fft.hl ] && [ -n "$schedule" ]; then # its bound-extent is none of windows
      { [ $status -eq 2 ] && grep -q E0873 "$work/err"; } || fail "$file, '$schedule', in windows: $(cat "$work/err")"
      continue
    fi
    [[ $status -eq 0 && $last == *" left to run time, 0 refuted, 0 open" ]] ||
      fail "$pipeline '$schedule' in windows: $last; $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
    { [[ $last == *" 0 left to run time,"* ]] || grep -qE '(mirror|repeat)_(image|interior)' "$file"; } ||
      fail "$pipeline '$schedule' in windows leaves something to run time: $last"
    runs=$((runs + 1)) obligations=$((obligations + ${last%% *}))
  done
done

for file in chosen blended_parts needed_lanes; do
  left_out && continue
  "$hlc" certify tests/certify/$file.hl --schedule=blended > "$work/out" 2> "$work/err" ||
    fail "$file, blended: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
done

"$hlc" certify tests/certify/unrolled_block.hl --schedule=pure > "$work/out" 2> "$work/err" ||
  fail "unrolled_block: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
"$hlc" certify tests/certify/fused_first.hl --schedule=fused > "$work/out" 2> "$work/err" ||
  fail "fused_first: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"

# A func with a reduction is read in the loops of its update, after the reduction; also where the
# loops stand in pieces.
for schedule in rows lanes points in_pieces; do
  left_out && continue
  "$hlc" certify tests/semantics/together.hl --pipeline=behind --schedule=$schedule | tail -1 | grep -q " 0 left to run time, 0 refuted, 0 open" ||
    fail "not all is proved of behind, $schedule"
done
for schedule in "behind --schedule=lanes" "written --schedule=rows" "written --schedule=inner" "written --schedule=both"; do
  left_out && continue
  "$hlc" lower tests/semantics/together.hl --pipeline=$schedule --after=partition > "$work/together.ir"
  "$hlc" certify "$work/together.ir" > "$work/out" || fail "the text of $schedule: $(grep -E 'REFUTED|OPEN' "$work/out")"
done
# Texts of an update on a diagonal, and of a float parameter with a range.
for schedule in "diagonal --schedule=hoisted" "diagonal --schedule=lanes" "ranged --schedule=s"; do
  for pass in checks licm; do
    left_out && continue
    "$hlc" lower tests/certify/${schedule/ /.hl } --after=$pass > "$work/text.ir"
    "$hlc" certify "$work/text.ir" > "$work/out" || fail "the text of $schedule, $pass: $(grep -E 'REFUTED|OPEN' "$work/out")"
  done
done
# A fused loop is as long as the product of clamped lengths.  With one iteration more or less it is
# not certified.
for program in "tests/certify/fused_clamped.hl --schedule=first" "tests/certify/fused_clamped.hl --schedule=copied" \
  "tests/semantics/fronts_together.hl --schedule=serial_again"; do
  left_out && continue
  "$hlc" certify $program | tail -1 | grep -q " 0 left to run time, 0 refuted, 0 open" || fail "not all is proved of $program"
done
"$hlc" lower tests/certify/fused_clamped.hl --schedule=first --after=checks > "$work/clamped.ir"
"$hlc" lower tests/semantics/fronts_together.hl --schedule=serial_again --after=checks > "$work/again.ir"
"$hlc" lower tests/certify/retiled.hl --schedule=retiled --after=checks > "$work/retiled.ir"
"$hlc" lower tests/golden/arms.hl --schedule=rows --after=checks > "$work/arms.ir"
unproved() { # PROGRAM CLAUSE SED
  left_out && return
  "$hlc" certify "$work/$1.ir" > "$work/out" || fail "$1.ir is not certified: $(grep -E 'REFUTED|OPEN' "$work/out")"
  sed -E "$3" "$work/$1.ir" > "$work/spoilt.ir"
  cmp -s "$work/$1.ir" "$work/spoilt.ir" && fail "nothing was changed by $3"
  "$hlc" certify "$work/spoilt.ir" > "$work/out"
  grep -qE "(OPEN|REFUTED) +$2 " "$work/out" || fail "$1 with $3: '$2' is proved"
}
unproved clamped covered 's/(for sat.s0.both in \(0, .*)\) do/\1 - 1) do/'
unproved clamped covered 's/for sat.s0.both in \(0, /for sat.s0.both in (1, /'
unproved clamped write 's/(for sat.s0.both in \(0, .*)\) do/\1 + 1) do/'
unproved clamped covered 's/(let sat.s0.y in .* = sat.s0.both\/.*) \+ -1 in/\1 in/'
unproved arms held 's/if mode == 0:i32 then$/if 3:i32 < i32(out.s0.y) then/'
unproved retiled covered 's/(for g.s0.v in \(0, .*)\) do/\1 - 1) do/'
unproved retiled covered 's/for g.s0.w in \(0, 42\)/for g.s0.w in (0, 41)/'
unproved retiled covered 's/(let g.s0.uo in .*) = g.s0.v % 3 in/\1 = (g.s0.v + 1) % 3 in/'
unproved retiled covered 's/if g.s0.u < 15 then/if g.s0.u < 14 then/'
unproved again covered 's/(for f.s1.both in \(0, .*)\) reduction do/\1 - 1) reduction do/'
unproved again write 's/(for f.s1.both in \(0, .*)\) reduction do/\1 + 1) reduction do/'
unproved again read 's/let f.s1.t (in .*) = f.s1.both\/(.*) in$/let f.s1.t \1 = f.s1.both\/(\2 + 1) in/'

for schedule in domain both window; do
  left_out && continue
  "$hlc" certify tests/semantics/recurrence_bound.hl --pipeline=rows --schedule=$schedule | tail -1 | grep -q " 0 left to run time, 0 refuted, 0 open" ||
    fail "recurrence_bound, $schedule"
done

# A vectorized loop whose length is a number only through the lets of its ends, and one whose length
# is no number.
"$hlc" certify tests/certify/length_of_lets.hl --schedule=wide > "$work/out" 2> "$work/err" ||
  fail "length_of_lets: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
"$hlc" lower tests/certify/length_of_lets.hl --schedule=wide --after=checks > "$work/lets.ir"
sed -E 's/(let f\.x\.max = .*) \+ 24 in/\1 + out.extent.0 in/' "$work/lets.ir" > "$work/other.ir"
cmp -s "$work/lets.ir" "$work/other.ir" && fail "length_of_lets: no end to spoil"
"$hlc" certify "$work/other.ir" | grep -q 'REFUTED *constant' || fail "length_of_lets: a length that is no number is proved"

# A func without dimensions that is read in the loops that compute it: the message names no
# dimension.
"$hlc" certify tests/certify/no_dimension.hl --schedule=together > "$work/out" 2> "$work/err"
[ $? -le 1 ] && grep -q 'order .*: least() in out, update 1$' "$work/out" || fail "no_dimension: $(cat "$work/err" "$work/out")"

# Lengths that the consumer's tile decides.
for schedule in lanes slid along; do
  left_out && continue
  "$hlc" certify tests/regressions/lengths_of_tiles.hl --schedule=$schedule > "$work/out" 2> "$work/err" ||
    fail "lengths_of_tiles, $schedule: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
done

"$hlc" certify tests/certify/unequal_floats.hl --schedule=s > "$work/out" 2> "$work/err" ||
  fail "unequal_floats: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"

# Indices through floats.
"$hlc" certify tests/certify/float_indices.hl --pipeline=p > "$work/out" 2> "$work/err" ||
  fail "float_indices: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
"$hlc" lower tests/certify/float_indices.hl --pipeline=q --after=checks > "$work/floats.ir"
unproved floats image 's/(f32.i32.g.s0.x..)\*22.5:f32/\1*22.75:f32/'
unproved floats image 's/ceil(\(floor\(f32\(i32)/floor\1/'
unproved floats image 's/5e\+01:f32/6e+01:f32/'
# A counterexample has the values of its float expressions: none is claimed that no run has.
"$hlc" certify tests/certify/float_points.hl --schedule=s > "$work/out" 2> "$work/err"
[ $? -le 1 ] && ! grep -q REFUTED "$work/out" || fail "float_points: $(cat "$work/err"; grep REFUTED "$work/out")"
"$hlc" lower tests/certify/float_points.hl --schedule=s --after=checks | sed 's/allocate f: f32 \[(out.s1.r/allocate f: f32 [(1 + out.s1.r/' > "$work/points.ir"
"$hlc" certify "$work/points.ir" | grep -q 'REFUTED *read' || fail "float_points: a read outside of memory is not refuted"

for schedule in plain guarded blended; do
  left_out ||
    "$hlc" certify tests/certify/own_select.hl --schedule=$schedule > "$work/out" 2> "$work/err" ||
    fail "own_select, $schedule: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
  for pass in simplify partition checks; do
    "$hlc" lower tests/certify/own_select.hl --schedule=$schedule --after=$pass > "$work/own.ir"
    left_out || "$hlc" certify "$work/own.ir" > "$work/out" 2> "$work/err" ||
      fail "own_select, the text of $schedule after $pass: $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
  done
done
# If the certifier took the update's own select for the tail's, it would accept a tail that writes
# beyond.
sed -E 's/select\(out.s1.x < [^,]*, (.*), out\[out.s1.x\]\)$/\1/' "$work/own.ir" > "$work/beyond.ir"
cmp -s "$work/own.ir" "$work/beyond.ir" && fail "no tail to spoil"
"$hlc" certify "$work/beyond.ir" > "$work/out" 2> "$work/err" && fail "a tail that writes beyond is proved: $(tail -1 "$work/out")"

# ---- one report, except for the provers named in it ----
"$hlc" certify examples/blur.hl --schedule=tiled | sed -E 's/^( *[0-9]+  )(rules|decision|Z3) {1,6}/\1proved  /; s/\(.* by Z3\)/(..)/; s/ +/ /g' > "$work/report"
if [ -n "${BLESS:-}" ]; then
  cp "$work/report" tests/certify/blur.tiled.txt
fi
diff "$work/report" tests/certify/blur.tiled.txt || fail "the report of blur, tiled, differs"

# ---- one object a line ----
"$hlc" certify examples/blur.hl --schedule=tiled --json > "$work/json" || fail "certify --json"
python3 - "$work/json" <<'PY' || fail "the JSON is not what docs/certify.md says"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows[-1]["kind"] == "counts" and rows[-1]["obligations"] == len(rows) - 1
assert rows[-1]["proved"] == len(rows) - 1 and rows[-1]["open"] == 0
assert any(row.get("directive") == "traverse(h.s1.yo, parallel)" and row["clause"] == "race" for row in rows)
assert all(row["finding"] == "proved" and row["by"] for row in rows[:-1])
PY

# ---- planted faults: the change, and the clause that must be refuted ----
"$hlc" lower examples/blur.hl --schedule=tiled --after=checks > "$work/blur.ir"
"$hlc" lower examples/turn.hl --schedule=blocks --after=checks > "$work/turn.ir"
for program in "recurrence.hl --schedule=wavefront" "recurrence.hl --schedule=unfold_storage" \
  "recurrence_product.hl --schedule=merge_ures" "recurrence_mutual.hl --schedule=fronts"; do
  left_out && continue
  "$hlc" certify tests/golden/$program | tail -1 | grep -q " 0 left to run time, 0 refuted, 0 open" ||
    fail "not all is proved of $program"
done
"$hlc" lower tests/golden/tails.hl --schedule=rounded --after=checks > "$work/rounded.ir"
spoilt=0
spoil() { # PROGRAM CLAUSE SED
  left_out && return
  sed -E "$3" "$work/$1.ir" > "$work/spoilt.ir"
  if cmp -s "$work/$1.ir" "$work/spoilt.ir"; then
    fail "nothing was changed by $3"
    return
  fi
  "$hlc" certify "$work/spoilt.ir" > "$work/out" 2> "$work/err"
  local code=$?
  [ "$code" -eq 1 ] || fail "exit code $code, not 1, of $1 with $3: $(cat "$work/err")"
  grep -qE "REFUTED +$2 " "$work/out" || fail "no refuted clause '$2' of $1 with $3: $(grep -E 'REFUTED|OPEN' "$work/out")"
  spoilt=$((spoilt + 1))
}
for name in blur turn rounded; do
  left_out || "$hlc" certify "$work/$name.ir" > "$work/out" || fail "$name.ir is not certified: $(grep -E 'REFUTED|OPEN' "$work/out")"
done
spoil blur write 's/allocate g: i32 \[\(h.s1.xo\*256 \+ out.min.0, min/allocate g: i32 [(h.s1.xo*256 + out.min.0, -1 + min/'
spoil blur read 's/allocate f: i32 \[\(out.min.0 - index\(w\), /allocate f: i32 [(out.min.0 - index(w) + 1, /'
spoil blur inside 's/allocate g: i32 \[\(h.s1.xo\*256 \+ out.min.0, min/allocate g: i32 [(h.s1.xo*256 + out.min.0, -1 + min/'
spoil blur needed 's/compute g on \[\(h.s1.xo\*256 \+ out.min.0, min/compute g on [(h.s1.xo*256 + out.min.0, -1 + min/'
spoil blur needed 's/compute f on \[\(out.min.0 - index\(w\), index\(w\)\*2/compute f on [(out.min.0 - index(w), index(w)/'
spoil blur window 's/compute out on \[\(out.min.0, out.extent.0/compute out on [(out.min.0, out.extent.0 - 1/'
spoil blur length 's/compute out on \[\(out.min.0, out.extent.0/compute out on [(out.min.0, out.extent.0 - 2/'
spoil blur covered 's/for h.s1.yo in \(0, \(out.extent.1 \+ 31/for h.s1.yo in (0, (out.extent.1 + 30/'
spoil blur covered 's/for f.s0.y in \(out.min.1 - index\(w\), /for f.s0.y in (out.min.1 - index(w), -1 + /'
spoil blur covered 's/if h.s1.y < out.extent.1 \+ out.min.1 then guard/if h.s1.y < out.extent.1 + out.min.1 - 1 then guard/'
spoil blur write 's/if h.s1.y < out.extent.1 \+ out.min.1 then guard/if true then guard/'
spoil blur covered 's/= h.s1.yo\*32 \+/= h.s1.yo*33 +/'
spoil blur image 's/max\(min\(input.extent.0 \+ input.min.0 - 1, f.s0.x\), input.min.0\), max/max(min(input.extent.0 + input.min.0, f.s0.x), input.min.0), max/'
spoil turn write 's/allocate flipped: u16 \[\(min\(/allocate flipped: u16 [(1 + min(/'
spoil rounded write 's/allocate ([a-z]+: [a-z0-9]+) \[\(([^,]*), /allocate \1 [(\2, -1 + /'

# ---- a slid func in branches that are chosen once: each branch runs alone; not if the loop chooses
# ----
cat > "$work/chosen.hl" <<'HL'
pipeline p(input: image<u8, 1>, w: i32 = 0 in 0..1) -> out {
    fun f(x) = i32(input(x)) * 3;
    fun out(x) = f(x) + f(x + 1);
}
schedule s for p { specialize(f, w == 0); compute-at(f, out.x); store-root(f); }
HL
"$hlc" lower "$work/chosen.hl" --schedule=s --after=checks > "$work/chosen.ir"
[ "$(grep -c 'sliding x along out.s0.x' "$work/chosen.ir")" -eq 2 ] || fail "chosen: f does not slide in both branches"
for file in "$work/chosen.ir" "$work/chosen.hl --schedule=s"; do
  "$hlc" certify $file > "$work/out" || fail "chosen is not certified: $(grep -E 'REFUTED|OPEN' "$work/out")"
done
spoil chosen held 's/if w == 0:i32 then specialize/if out.s0.x % 2 == 0 then guard/'

# ---- pieces of loops together cover what the whole loop covers, and an update's pieces are apart
# ----
cat > "$work/pieces.hl" <<'HL'
pipeline p(input: image<u8, 1>) -> out {
    let src = repeat_edge(input);
    fun out(x) = { u8(0);  (x) <- out(x) + src(x + 1) + src(x - 1); }
}
HL
for program in "$work/pieces.hl" "tests/golden/partition.hl --schedule=vectors" "tests/golden/partition_borders.hl --schedule=tiles" \
  "tests/golden/partition_copies.hl --schedule=chosen" "examples/turn.hl --schedule=blocks"; do
  left_out && continue
  "$hlc" lower $program > "$work/pieces.ir" || fail "lower $program"
  grep -qF '.begin = ' "$work/pieces.ir" || fail "no pieces of $program"
  "$hlc" certify "$work/pieces.ir" > "$work/out" || fail "$program in pieces: $(grep -E 'REFUTED|OPEN' "$work/out")"
  [[ $(tail -n 1 "$work/out") == *", 0 left to run time, 0 refuted, 0 open" ]] || fail "$program in pieces: $(tail -n 1 "$work/out")"
done
"$hlc" lower "$work/pieces.hl" > "$work/pieces.ir"
spoil pieces covered 's/for out.s1.x in \(out.s1.x.begin, /for out.s1.x in (out.s1.x.begin, -1 + /'
spoil pieces covered "s/for out.s1.x'3 in \\(out.s1.x.stop, /for out.s1.x'3 in (out.s1.x.stop + 1, -1 + /"
sed -E 's/for out.s1.x in \(out.s1.x.begin, /for out.s1.x in (out.s1.x.begin - 1, 1 + /' "$work/pieces.ir" > "$work/spoilt.ir"
"$hlc" certify "$work/spoilt.ir" > "$work/out" 2> "$work/err"
grep -qE '(CHECK|OPEN|REFUTED) +once ' "$work/out" || fail "pieces that overlap: $(grep ' once ' "$work/out")"

# ---- texts of later passes: simplified, in pieces; the range of a reduction's loop is its domain
# ----
later() { # PASS FILE SCHEDULE
  left_out && return
  "$hlc" lower "$2" --schedule="$3" --after="$1" > "$work/later.ir" || fail "lower $2, $3"
  "$hlc" certify "$work/later.ir" > "$work/out" || fail "$2, $3 after $1: $(grep -E 'REFUTED|OPEN' "$work/out")"
  [[ $(tail -n 1 "$work/out") == *", 0 left to run time, 0 refuted, 0 open" ]] || fail "$2, $3 after $1: $(tail -n 1 "$work/out")"
}
for pass in simplify partition; do
  for schedule in plain split inner; do later $pass tests/certify/triangle.hl $schedule; done
  later $pass tests/golden/blends.hl shifted
  later $pass tests/golden/blends.hl rounded
  later $pass tests/golden/directives.hl fuse
  later $pass examples/bilateral_grid.hl fast
  later $pass tests/semantics/factored.hl grown
  later $pass tests/golden/recurrence.hl wavefront
  later $pass tests/golden/recurrence_mutual.hl fronts
done
# Recurrences: initial values are no points of the update, and a front is solved for the point on
# it.
for pass in checks simplify; do
  later $pass tests/golden/recurrence.hl wavefront
  later $pass tests/golden/recurrence.hl unfold_storage
  later $pass tests/golden/recurrence_product.hl merge_ures
  later $pass tests/golden/recurrence_mutual.hl fronts
  for file in distance_transform dither smith_waterman; do later $pass examples/recurrences/$file.hl fronts; done
done
# An update writes the points that its first stage leaves to it.  Certify must see when neither
# stage does.
for pass in checks simplify partition; do
  later $pass tests/golden/recurrence_zeroed.hl rows
  later $pass tests/golden/recurrence_zeroed.hl blended
  later $pass tests/semantics/nest_names.hl fronts
  for file in recursive_blur summed_area; do later $pass examples/recurrences/$file.hl rows; done
done
"$hlc" lower tests/golden/recurrence_zeroed.hl --schedule=rows --after=simplify > "$work/zeroed.ir"
for change in 's/if sum.s0.y < 0 /if sum.s0.y < -1 /' 's/input.extent.1 <= sum.s0.y then/input.extent.1 < sum.s0.y then/' \
  's/for sum.s1.y in \(0, /for sum.s1.y in (0, -1 + /' 's/sum\[sum.s1.x, sum.s1.y \+ -1\]/sum[sum.s1.x, sum.s1.y]/'; do
  sed -E "$change" "$work/zeroed.ir" > "$work/spoilt.ir"
  cmp -s "$work/zeroed.ir" "$work/spoilt.ir" && fail "nothing was changed by $change"
  "$hlc" certify "$work/spoilt.ir" > "$work/out"
  grep -qE '(CHECK|OPEN|REFUTED) +covered ' "$work/out" || fail "zeroed with $change: all is covered"
done
"$hlc" lower tests/golden/recurrence.hl --schedule=wavefront --after=simplify > "$work/fronts.ir"
"$hlc" lower tests/golden/recurrence.hl --schedule=unfold_storage --after=simplify > "$work/cells.ir"
# A point that is not reached may lie outside a domain that the text shows only in part: open, not
# refuted.
unsaid() { # PROGRAM SED
  left_out && return
  sed -E "$2" "$work/$1.ir" > "$work/unsaid.ir"
  cmp -s "$work/$1.ir" "$work/unsaid.ir" && fail "nothing was changed by $2"
  "$hlc" certify "$work/unsaid.ir" > "$work/out"
  [ $? -eq 1 ] || fail "exit code of $1 with $2"
  ! grep -q REFUTED "$work/out" || fail "$1 with $2: $(grep REFUTED "$work/out")"
  grep -A 2 -E '  OPEN +covered ' "$work/out" | grep -q 'since the text does not tell the whole domain' || fail "$1 with $2: $(cat "$work/out")"
}
unsaid fronts 's/for d.s1.f in \(0, s.extent.0/for d.s1.f in (0, -2 + s.extent.0/'
unsaid fronts 's/for d.s1.f in \(0, /for d.s1.f in (1, /'
unsaid fronts 's/for d.s1.j_o in \(0, /for d.s1.j_o in (1, /'
unsaid fronts 's/if d.s1.i <= s.extent.0 then/if d.s1.i < s.extent.0 then/'
unsaid cells 's/for d.s1.io in \(0, /for d.s1.io in (1, /'
"$hlc" lower tests/semantics/lengths_split.hl --schedule=nested > "$work/nested.ir"
unsaid nested 's/for f.s1.rk in \(0, max/for f.s1.rk in (0, 0 + max/'
unsaid nested 's/for f.s1.x in \(f.min.0, /for f.s1.x in (f.min.0, -1 + /'
"$hlc" lower tests/certify/triangle.hl --schedule=plain > "$work/triangle.ir"
spoil triangle covered 's/for out.s1.r in \(0, out.s1.q \+ 1\)/for out.s1.r in (0, out.s1.q)/'
spoil triangle image 's/for out.s1.q in \(0, index\(n\)\)/for out.s1.q in (0, index(n) + 1)/'
"$hlc" lower tests/golden/blends.hl --schedule=shifted --after=simplify > "$work/shifted.ir"
spoil shifted overlap 's/<- select\(f.s1.xo.*, (f\[f.s1.x, f.s1.y\]\*3:i32 .*), f\[f.s1.x, f.s1.y\]\)$/<- \1/'
spoil shifted covered 's/<- select\(f.s1.xo\*8 \+ out.min.0 <= /<- select(f.s1.xo*8 + out.min.0 < /'
"$hlc" lower tests/golden/blends.hl --schedule=rounded > "$work/steady.ir"
spoil steady overlap 's/out.extent.0\/8\), f.s1.x_o.begin\) in/(out.extent.0 + 7)\/8), f.s1.x_o.begin) in/'

# ---- folded memory: coordinates are places, one line says so, and nothing is refuted for it ----
places() { # PROGRAM LINES: the number of open obligations in a text, all because of places
  "$hlc" lower $1 > "$work/places.ir" || fail "lower $1"
  "$hlc" certify "$work/places.ir" > "$work/out"
  [ $? -eq 1 ] || fail "exit code of $1, folded"
  ! grep -q REFUTED "$work/out" || fail "$1, folded: $(grep REFUTED "$work/out")"
  [ "$(grep -cE '  OPEN +fold ' "$work/out")" -eq "$2" ] || fail "$1, folded: $(grep OPEN "$work/out")"
  [[ $(tail -n 1 "$work/out") == *", 0 refuted, $2 open" ]] || fail "$1, folded: $(tail -n 1 "$work/out")"
  grep -qF 'the program before the pass fold (hlc lower --after=simplify)' "$work/out" || fail "$1, folded: no reason"
}
places "tests/golden/slide.hl --schedule=rows --after=fold" 2
places "tests/golden/slide.hl --schedule=both" 2
places "tests/golden/slide_mirrored.hl --schedule=rows" 1
places "tests/golden/halved.hl --schedule=folded" 1
# It is unknown whether a value read from places is a function of the point, so that is not asked.
"$hlc" lower tests/golden/ring.hl --schedule=copies > "$work/ring.ir"
"$hlc" certify "$work/ring.ir" > "$work/out"
[ $? -eq 1 ] || fail "exit code of a ring's text"
grep -qE '(REFUTED|CHECK) ' "$work/out" && fail "a ring's text: $(grep -E 'REFUTED|CHECK' "$work/out")"
"$hlc" lower tests/golden/slide.hl --schedule=rows --after=fold > "$work/rows.ir"
spoil rows write 's/allocate g: i32 (.*), \(0, 4\)\]/allocate g: i32 \1, (0, 3)]/'
spoil rows read 's/out.s0.y - out.min.1 \+ 2\) % 4\]/out.s0.y - out.min.1 + 2) % 5]/'

# Rows slide past a loop over columns, in which an update writes a column that other iterations
# hold.
"$hlc" certify tests/certify/slid_scatter.ir > "$work/out"
[ $? -eq 1 ] || fail "exit code of a scatter that slides"
grep -qE '  REFUTED +held .*the write in f, update 1: x' "$work/out" || fail "a scatter that slides: $(cat "$work/out")"

# ---- wrong texts: the finding that the head of each asks for, and none is compiled as certified
# ----
wrong=0
for file in tests/certify/wrong/*.ir; do
  left_out && continue
  read -r finding clause < <(sed -n 's,^//! ,,p' "$file")
  "$hlc" certify "$file" > "$work/out" 2> "$work/err"
  [ $? -eq 1 ] || fail "exit code of $file: $(cat "$work/err"; tail -n 1 "$work/out")"
  grep -qE "  $finding +$clause " "$work/out" || fail "no $clause that is $finding in $file: $(grep -E 'REFUTED|OPEN|CHECK' "$work/out")"
  "$hlc" compile "$file" --certify -o "$work/wrong.o" > "$work/out" 2> "$work/err"
  [ $? -eq 1 ] && grep -q E0860 "$work/err" || fail "$file is compiled as certified: $(cat "$work/err")"
  wrong=$((wrong + 1))
done
[ "$wrong" -ge $((26 / share)) ] || fail "only $wrong texts that are wrong"
# Without the algorithm no check can be added.  An obligation that would be left to run time is
# open, with its condition.
"$hlc" lower tests/certify/left.hl --pipeline=product --schedule=a --after=checks > "$work/product.ir"
"$hlc" certify "$work/product.ir" > "$work/out" 2> "$work/err"
[ $? -eq 1 ] || fail "exit code of a text that would need a check"
grep -A 1 -E '  OPEN +needed ' "$work/out" | grep -q '^       a target program takes no check; it is right where out.extent.0 == 0 || ' || fail "a check that a text cannot take: $(cat "$work/out")"
# An update may write what the first stage leaves to it, whatever it reads elsewhere; so the text of
# a loop nest is certified.
for schedule in "" unrolled; do
  "$hlc" lower tests/semantics/recurrence_corners.hl --pipeline=middle ${schedule:+--schedule=$schedule} --after=checks > "$work/middle.ir"
  "$hlc" certify "$work/middle.ir" > "$work/out" || fail "middle '$schedule': $(grep -E 'REFUTED|OPEN' "$work/out")"
done

# ---- without Z3 ----
"$hlc" certify examples/blur.hl --schedule=tiled --solver=no-such-command > "$work/out" 2>&1 ||
  fail "blur, tiled, needs no Z3 and is not certified without"
"$hlc" certify examples/integral.hl --schedule=fast --solver=no-such-command > "$work/out" 2> "$work/err"
code=$?
if grep -q OPEN "$work/out"; then
  [ "$code" -eq 3 ] || fail "exit code $code, not 3, without Z3"
  grep -q E0857 "$work/err" || fail "no word of the missing Z3"
fi

printf '#!/bin/sh\nexec sleep 1000\n' > "$work/silent"
chmod +x "$work/silent"
if [ "$share" -eq 1 ]; then # twenty seconds of real time
  "$build/tests/limited" - 120 "$hlc" certify $PWD/tests/certify/left.hl --pipeline=stride --schedule=a --solver="$work/silent" > "$work/out" 2> "$work/err"
  [ $? -eq 3 ] || fail "exit code with a solver that never answers: $(cat "$work/err")"
  grep -q E0857 "$work/err" || fail "no word of a solver that never answers"
fi

# ---- obligations that are open for all sizes are refuted for some ----
cat > "$work/race.hl" <<'HL'
pipeline p(input: image<u8, 1>) -> out {
    fun out(x) = i32(input(x)) + 1;
}
schedule s for p { parallel(out.x); }
HL
"$hlc" lower "$work/race.hl" --schedule=s --after=checks | sed 's/ out\[out.s0.x\] <- / out[out.min.0] <- /' > "$work/race.ir"
"$hlc" certify "$work/race.ir" > "$work/out" 2> "$work/err"
[ $? -eq 1 ] || fail "exit code of a race for all sizes"
grep -qE '(OPEN|REFUTED) +race ' "$work/out" || fail "a race for all sizes: $(cat "$work/out")"
grep -q ' OPEN ' "$work/out" && { grep -q 'it speaks of single iterations, .*: ask for sizes (out=8)' "$work/out" || fail "what an open race means: $(cat "$work/out")"; }
grep -qE 'REFUTED +covered ' "$work/out" || fail "a race leaves points: $(cat "$work/out")"
grep -qE ' (2 refuted, 0 open|1 refuted, 1 open)$' "$work/out" || fail "the count of a race: $(tail -n 1 "$work/out")"
"$hlc" certify "$work/race.ir" out=8 input=zero:8 > "$work/out" 2> "$work/err"
[ $? -eq 1 ] || fail "exit code of a race at one size"
grep -qE 'REFUTED +race ' "$work/out" || fail "a race at one size: $(cat "$work/out")"

# ---- if nothing runs, the report says so: by rules, and once by Z3 ----
cat > "$work/nothing.hl" <<'HL'
pipeline before(input: image<u8, 1>) -> out {
    fun s(x) = { i32(input(x));  rdom(r = (input.min(0), input.extent(0))) in (r) <- s(r) + s(r - 1); }
    fun out(x) = s(x);
}
pipeline bound_to(input: image<u8, 1>) -> out {
    fun out(x) = i32(input(x));
}
schedule short for bound_to { bound(out, x, 0, 64); }
pipeline odd(input: image<u8, 1>, n: i32 = 3 in 1..40, m: i32 = 3 in 1..40) -> out {
    require(n * 15 - m * 21 == 8, "no such n and m");
    fun out(x) = i32(repeat_edge(input)(x)) + n;
}
HL
nothing() { # YES|NO ARGUMENTS..: does the report say that nothing runs?
  local expected=$1
  shift
  "$hlc" certify "$work/nothing.hl" "$@" > "$work/out" 2> "$work/err" || fail "$*: $(cat "$work/err" "$work/out")"
  local said=NO
  [ "$(tail -n 2 "$work/out" | head -n 1)" = "no input with a point to compute passes the entry: everything holds since nothing runs" ] && said=YES
  [ $said = "$expected" ] || fail "$*: that nothing runs is said: $said"
  "$hlc" certify "$work/nothing.hl" "$@" --json > "$work/out"
  said=NO
  tail -n 1 "$work/out" | grep -q ',"vacuous":true}$' && said=YES
  [ $said = "$expected" ] || fail "$*: that nothing runs is said in JSON: $said"
}
nothing YES --pipeline=before
nothing YES --pipeline=bound_to --schedule=short out=65
nothing NO --pipeline=bound_to --schedule=short out=64
nothing NO --pipeline=bound_to --schedule=short
nothing YES --pipeline=bound_to out=0
nothing YES --pipeline=odd

# ---- checks left to run time: they are reported, inserted before the first store, and refuse ----
left=tests/certify/left.hl
for pipeline in product stride; do
  [ "$share" -gt 1 ] && [ $pipeline = stride ] && continue # which takes seconds
  "$hlc" certify $left --pipeline=$pipeline --schedule=a > "$work/out" 2> "$work/err" || fail "certify $left, $pipeline: $(cat "$work/err")"
  [[ $(tail -n 1 "$work/out") == *", 1 left to run time, 0 refuted, 0 open" ]] || fail "what is left of $pipeline: $(tail -n 1 "$work/out")"
  grep -A 2 ' CHECK ' "$work/out" | grep -q '^       left to run time: out.extent.0 == 0 || ' || fail "the condition that is left of $pipeline"
  grep -A 2 ' CHECK ' "$work/out" | grep -q '^       since .* is proved by neither the rules nor the decision tier; Z3 has no answer within ' || fail "why $pipeline is left"
  "$hlc" certify $left --pipeline=$pipeline --schedule=a --json | grep '"finding":"check"' | grep -q '"check":"out.extent.0 == 0 || .*"reason":"' || fail "what is left of $pipeline, in JSON"
done
"$hlc" lower $left --pipeline=product --schedule=a --certify --after=checks > "$work/product.ir" 2> "$work/err" || fail "lower --certify"
grep -q 'note\[E0859\]: needed f(m\*r/n) in out, update 1: x is left to run time' "$work/err" || fail "no note of what is left"
# They stand after all other assertions, and before memory is allocated.
sed -n '/^    needs\|^  *assert\|^  *allocate out/p' "$work/product.ir" | grep -B 1 'allocate out' | head -n 1 | grep -q 'else not_certified("needed f(m\*r/n) in out, update 1: x")' || fail "where the check stands"
run_left() { # M EXPECTED-CODE OPTIONS..: product with n = 5
  local m=$1 expected=$2
  shift 2
  "$hlc" run $left --pipeline=product --schedule=a m="$m" n=5 input=random:1:100+-50 out=7 "$@" > "$work/out" 2> "$work/err"
  local code=$?
  [ $code -eq "$expected" ] || fail "exit code $code, not $expected, with m=$m $*: $(cat "$work/err")"
  [ "$expected" -eq 0 ] || grep -q 'refused (not_certified): needed f(m\*r/n) in out, update 1: x is not proved' "$work/err" || fail "no word of the check with m=$m $*"
}
for way in "" --optimize=0 --interpret=target; do
  left_out && continue
  # shellcheck disable=SC2086
  run_left 1 0 --certify $way
  cp "$work/out" "$work/checked"
  run_left 1 0
  cmp -s "$work/out" "$work/checked" || fail "the check changes a value"
  # shellcheck disable=SC2086
  run_left 2 2 --certify $way
  run_left 2 0
done
[ "$share" -gt 1 ] ||
  "$hlc" run $left --pipeline=stride --schedule=a --certify k=-2 out=9 input=random:1:100+-50 > "$work/out" 2> "$work/err" || fail "stride, checked: $(cat "$work/err")"
"$hlc" compile $left --pipeline=product --schedule=a --certify -o "$work/product.o" 2> "$work/err" || fail "compile --certify: $(cat "$work/err")"
grep -q 'E0859' "$work/err" || fail "compile --certify says nothing of what is left"
"$hlc" check examples/blur.hl --schedule=tiled --certify > "$work/out" 2> "$work/err" || fail "check --certify: $(cat "$work/err")"
refused() { # CODE DIAGNOSTIC FILE OPTIONS..: compile --certify refuses, and writes nothing
  local expected=$1 diagnostic=$2
  shift 2
  "$hlc" compile "$@" --certify -o "$work/refused.o" > "$work/out" 2> "$work/err"
  local code=$?
  [ $code -eq "$expected" ] || fail "exit code $code, not $expected, of compile --certify $*: $(cat "$work/err")"
  grep -q "$diagnostic" "$work/err" || fail "no $diagnostic of compile --certify $*"
  ls "$work"/refused* > /dev/null 2>&1 && fail "half an object of compile --certify $*"
}
refused 1 E0860 "$work/race.ir"
sed 's/compute out on \[(out.min.0, out.extent.0/compute out on [(out.min.0, out.extent.0 - 1/' "$work/blur.ir" > "$work/spoilt.ir"
refused 1 E0860 "$work/spoilt.ir"
"$hlc" lower $left --pipeline=product --schedule=a --after=checks > "$work/product.ir"
refused 1 E0860 "$work/product.ir"
refused 3 E0857 $left --pipeline=product --schedule=a --solver=no-such-command
"$hlc" compile "$work/blur.ir" --certify -o "$work/blur.o" 2> "$work/err" || fail "compile --certify of a target program: $(cat "$work/err")"

# ---- given values are assumed ----
"$hlc" certify examples/blur.hl --schedule=tiled out=640x480 w=3 > "$work/out" || fail "blur at 640x480"

echo "$runs runs, $obligations obligations, $spoilt spoilt programs"
[ "$runs" -ge $((25 / share)) ] || fail "only $runs runs"
[ "$failures" -eq 0 ]
