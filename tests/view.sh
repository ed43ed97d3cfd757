#!/usr/bin/env bash
# hlc view: the page, what is in it, and what a browser shows of it. The browser's part is skipped, by name,
# where chromium, node or what drives it (tests/view/node_modules, setup.sh) is missing.
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
. "$source/tests/support/share.sh"
cd "$work" || exit 1

# The same program and arguments give the same bytes, whatever the number of threads.
name='we"ird <b>&$(x) .hl'
cp "$source/tests/view/hostile.hl" "$name"
expect 0 "$hlc" view "$name" input=random:1:64x48 --schedule=rows --schedule= --schedule=fast --no-times -o untimed.html
cp untimed.html first.html
expect 0 "$hlc" view "$name" input=random:1:64x48 --schedule=rows --schedule= --schedule=fast --no-times --threads=1 -o untimed.html
cmp first.html untimed.html || fail "two pages without times differ"
expect 0 "$hlc" view "$name" input=random:1:64x48 --schedule=rows --schedule= --schedule=fast --seconds=0.2 --threads=2 -o timed.html

# No text of the program ends a script; the data is JSON, and its values are those of `hlc eval`.
[ "$(grep -c '</script>' timed.html)" -eq 3 ] || fail "there are other </script> than the page's own three"
cat > check.py <<'P'
import json, re, subprocess, sys
hlc, file, page = sys.argv[1:]
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open(page).read(), re.S).group(1))
asked = 0
for values in data["values"]:
    if values["name"] == "input":
        continue
    for probe in values["probes"][:2]:
        point = values["name"] + "(" + ", ".join(map(str, probe["at"])) + ")"
        printed = subprocess.run([hlc, "eval", file, point, "input=random:1:64x48", "--why"], capture_output=True, text=True).stdout.split("\n")
        value = printed[0].strip("{}").split(", ")[max(values["component"], 0)]
        assert value == probe["value"], (point, printed, probe)
        reads = [line.strip() for line in printed[1:] if line]
        mine = [name + "(" + ", ".join(map(str, at)) + ")" + (f".{c}" if c >= 0 else "") + " = " + read for name, c, at, read in probe["reads"]]
        assert reads[:len(mine)] == mine and len(reads) == probe["read_count"], (point, reads, mine)
        asked += 1
assert asked >= 10, asked
assert [schedule["name"] for schedule in data["schedules"]] == ["rows", "", "fast"]
assert all(schedule["assembly"]["text"] for schedule in data["schedules"])
assert all(abs(sum(row["share"] for row in schedule["times"]["rows"]) - 1) < 0.01 for schedule in data["schedules"] if schedule["times"]["rows"])
print(asked, "points are those of hlc eval")
P
python3 check.py "$hlc" "$name" timed.html || fail "the data"

# What is refused.
expect 2 "$hlc" view "$name" input=random:1:64x48
complains "-o page.html"
expect 2 "$hlc" view "$name" input=random:1:64x48 --schedule=slow -o page.html
expect 3 "$hlc" view "$name" input=random:1:64x48 --no-times -o none/page.html
[ ! -e page.html ] || fail "a page was written all the same"

# Pipelines whose funcs cannot all be shown: a recurrence, and images of the size that is needed.
expect 0 "$hlc" view "$source/examples/recurrences/lcs.hl" a=random:1:12 b=random:2:14 --no-times -o lcs.html
expect 0 "$hlc" view "$source/examples/blur.hl" input=random:1:auto out=32x24 --schedule=fast --no-times -o auto.html
expect 0 "$hlc" view "$source/examples/equalize.hl" input=random:1:90x70 --no-times -o equalize.html

# A large page stays below 5 MB. The time is told, not judged. It takes seconds: the tier `test` leaves it out.
if [ "$share" -eq 1 ]; then
  TIMEFORMAT='the page of the local Laplacian: %U s and %S s of the processor'
  time expect 0 "$hlc" view "$source/examples/local_laplacian.hl" input=random:1:712x474x3 --no-times -o laplacian.html
  [ "$(stat -c %s laplacian.html)" -lt 5000000 ] || fail "the page of the local Laplacian has $(stat -c %s laplacian.html) bytes"
fi

missing=""
browser=$(command -v chromium || command -v chromium-browser) || missing=chromium
command -v node > /dev/null || missing="$missing node"
[ -d "$source/tests/view/node_modules/playwright-core" ] || missing="$missing playwright-core"
if [ -n "$missing" ]; then
  echo "the browser's part is skipped: there is no $missing"
else
  pages=("timed hostile" "untimed untimed" "lcs any" "equalize any" "laplacian any")
  [ "$share" -eq 1 ] || pages=("timed hostile" "lcs any")
  for page in "${pages[@]}"; do
    node "$source/tests/view/page.mjs" "$browser" "$work/${page% *}.html" "${page#* }" || fail "the page ${page% *}"
  done
fi
echo "$failures failures"
[ $failures -eq 0 ]
