#!/usr/bin/env bash
# --time: every pass has its row, the parts add up to no more than the whole, and the output is the
# same.
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
cd "$work" || exit 1

"$hlc" compile "$source/examples/blur.hl" --schedule=fast -o plain.o 2> err || fail "compiling"
[ ! -s err ] || fail "times nobody asked for"
passes=$("$hlc" lower --help | sed -n 's/.*--after=\([^ ]*\).*/\1/p' | tr '|' ' ')
[ "$(wc -w <<< "$passes")" -ge 10 ] || fail "the help of lower names only the passes: $passes"
for where in "" --in-process; do
  # shellcheck disable=SC2086
  "$hlc" compile "$source/examples/blur.hl" --schedule=fast $where --time -o timed.o 2> text || fail "with --time"
  cmp plain.o timed.o || fail "the object is another with --time $where"
  # shellcheck disable=SC2086
  "$hlc" compile "$source/examples/blur.hl" --schedule=fast $where --time --json -o timed.o 2> lines || fail "with --json"
  for pass in read rewrite $passes emit gvn 'machine code' all; do
    grep -q "^ *[0-9.]* *[0-9.]*  *$pass\( (.*)\)\?$" text || fail "no row for $pass"
  done
  python3 - lines <<'PY' || fail "the JSON"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
whole = rows.pop()
assert whole["part"] == "all" and whole["depth"] == 0
assert all(row["kind"] == "time" and 0 <= row["cpu_ms"] and 0 <= row["ms"] for row in rows)
assert sum(row["ms"] for row in rows if row["depth"] == 0) <= whole["ms"]
inner = outer = None
for row in rows:  # the components of a part are no more than the part
    if row["depth"] == 0:
        outer, inner = row, 0
    elif row["depth"] == 1:
        inner += row["ms"]
        assert inner <= outer["ms"] + 0.01, outer
sizes = {row["part"]: row for row in rows if "size" in row}
assert sizes["emit"]["unit"] == "instructions" and sizes["emit"]["size"] > 100
assert sizes["gvn"]["size"] < sizes["emit"]["size"]
assert sizes["machine code"]["unit"] == "bytes" and sizes["machine code"]["size"] > 1000
PY
done

"$hlc" run "$source/examples/blur.hl" input=random:1:9x7 --time > out 2> text || fail "run --time"
grep -q '^out: u8 9x7' out || fail "the result of a run"
for part in inputs lower code link run outputs all; do grep -q " $part\$" text || fail "no row for $part"; done
"$hlc" run "$source/examples/blur.hl" input=random:1:9x7 --interpret=reference --time > out 2> text
grep -q ' reference interpreter$' text || fail "no row for the reference interpreter"
"$hlc" lower "$source/examples/blur.hl" --after=bounds --time > out 2> text || fail "lower --time"
grep -q ' bounds$' text && ! grep -q ' simplify$' text || fail "lower stops after a pass"
[ $failures -eq 0 ]
