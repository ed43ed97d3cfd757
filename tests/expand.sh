#!/usr/bin/env bash
# `hlc expand`: the printed file means the same as the file, under the empty schedule and all of its
# own: the lowered text is the same.  Its own expansion is itself, and it is in the layout of
# `hlc fmt`.  This holds for all programs, and for those of tests/static under the arguments that a
# line `//! NAME=VALUE ..` gives.
#   //! ARGUMENTS                  the program is compared under these constants
#   //= f(3) [ARGUMENTS] => TEXT   the value of a point
# A median by a network is compared with a sort, an FFT with a DFT.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/share.sh"
failures=0 compared=0 values=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# compare FILE ARGUMENT..
compare() {
  local file=$1 lines pipeline schedule
  shift
  (cd "$(dirname "$file")" && "$hlc" expand "$file" "$@") > "$work/expanded.hl" 2> "$work/said" || { fail "expand $file $*: $(cat "$work/said")"; return; }
  "$hlc" expand --allow=all "$work/expanded.hl" > "$work/again.hl" 2>&1 && cmp -s "$work/expanded.hl" "$work/again.hl" || fail "$file $*: the expansion of the expansion: $(diff "$work/expanded.hl" "$work/again.hl" | head -5)"
  "$hlc" fmt --check "$work/expanded.hl" > /dev/null 2>&1 || fail "$file $*: the layout"
  lines=$(sed -nE 's/^pipeline (\w+).*/\1/p; s/^schedule (\w+) for (\w+).*/\2 \1/p' "$work/expanded.hl")
  while read -r pipeline schedule; do
    "$hlc" lower "$file" "$@" --pipeline="$pipeline" ${schedule:+--schedule=$schedule} > "$work/a" 2> "$work/said"
    local code=$?
    "$hlc" lower "$work/expanded.hl" --pipeline="$pipeline" ${schedule:+--schedule=$schedule} > "$work/b" 2> "$work/said.b"
    [ $? -eq $code ] || fail "$file $* $pipeline $schedule: $(head -1 "$work/said.b")"
    sed -E 's/line [0-9]+/line/' "$work/a" > "$work/a.text"
    sed -E 's/line [0-9]+/line/' "$work/b" | cmp -s - "$work/a.text" || fail "$file $* $pipeline $schedule: another program"
    if [[ $file == */static/* ]]; then # names of members in the text form
      cp "$work/a" "$work/a.ir" && "$hlc" lower "$work/a.ir" > "$work/a2.ir" 2> "$work/said" && cmp -s "$work/a.ir" "$work/a2.ir" ||
        fail "$file $* $pipeline $schedule: the text form: $(cat "$work/said")"
    fi
    compared=$((compared + 1))
  done <<< "$lines"
}

for file in "$source"/examples/*.hl "$source"/examples/recurrences/*.hl "$source"/tests/semantics/*.hl "$source"/tests/programs/*.hl "$source"/tests/packages/*.hl; do
  left_out || compare "$file"
done
for file in "$source"/tests/static/*.hl; do
  "$hlc" fmt --check "$file" > /dev/null 2>&1 || fail "$file: the layout"
  while read -r mark arguments; do
    # shellcheck disable=SC2086 # arguments are words
    case $mark in
      //!) compare "$file" $arguments
           said=$("$hlc" check --rounds=4 "$file" $arguments 2>&1) || fail "check $file $arguments: $said" ;;
      //=) point=${arguments%%)*}")" wanted=${arguments##* => } given=${arguments#"$point"}
           got=$("$hlc" eval "$file" "$point" ${given% => *} 2>&1)
           [ "$got" = "$wanted" ] || fail "$file: $arguments, but is $got"
           values=$((values + 1)) ;;
    esac
  done < <(grep -E '^//[!=] ' "$file")
done

# ---- oracles ----
cd "$work" || exit 1
cat > same.hl <<'HL'
pipeline bytes(input: image<u8, 2>) -> out { fun out(x, y) = input(x, y); }
pipeline floats(input: image<f32, 3>) -> out { fun out(x, y, c) = input(x, y, c); }
HL
"$hlc" run same.hl --pipeline=bytes input=random:1:24x12 -o bytes.npy > said 2>&1 || fail "$(cat said)"
"$hlc" run "$source/tests/static/median.hl" r=1 --schedule=fast input=bytes.npy out=22x10+1+1 -o median.npy > said 2>&1 || fail "$(cat said)"
"$hlc" run same.hl --pipeline=floats input=random:2:16x32x2 -o yxc:floats.npy > said 2>&1 || fail "$(cat said)"
for schedule in radix2 radix4; do
  "$hlc" run "$source/tests/static/fft.hl" L=5 --schedule=$schedule input=yxc:floats.npy out=16x32x2 -o yxc:$schedule.npy > said 2>&1 || fail "$(cat said)"
done
python3 - <<'PY' || fail "an oracle"
import ast, cmath, itertools, struct
def load(path, code):
    data = open(path, 'rb').read()
    length = struct.unpack('<H', data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    shape = header['shape']
    values = struct.unpack('<%d%s' % (len(data[10 + length:]) // struct.calcsize(code), code), data[10 + length:])
    assert not header['fortran_order']  # (rows, columns, channels), the last varies fastest
    indices = itertools.product(*(range(n) for n in shape))
    return {(i[1], i[0]) + i[2:]: value for i, value in zip(indices, values)}, shape
pixels, size = load('bytes.npy', 'B')
median, inner = load('median.npy', 'B')
assert sorted(size) == [12, 24] and sorted(inner) == [10, 22], (size, inner)
for (x, y), value in median.items():
    near = sorted(pixels[x + 1 + i, y + 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1))
    assert near[4] == value, (x, y)
samples, size = load('floats.npy', 'f')
for name in 'radix2', 'radix4':
    result, size = load(name + '.npy', 'f')
    for b in range(16):
        line = [complex(samples[b, i, 0], samples[b, i, 1]) for i in range(32)]
        for k in range(32):
            wanted = sum(v * cmath.exp(-2j * cmath.pi * i * k / 32) for i, v in enumerate(line))
            assert abs(complex(result[b, k, 0], result[b, k, 1]) - wanted) < 1e-4, (name, b, k)
PY
[ "$compared" -ge 10 ] && [ "$values" -ge 10 ] || fail "only $compared programs and $values values"
echo "$compared programs compared, $values values, $failures failures"
[ "$failures" -eq 0 ]
