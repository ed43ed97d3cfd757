#!/usr/bin/env bash
# Each directive that `hlc --tables` prints has two things: a schedule of its name in a program of
# tests/golden with a golden text, and a section or row in docs/scheduling.md.  All those schedules
# compute what the reference computes.  The table in docs/language.md is made from the two: the
# signatures of docs/scheduling.md and the sentences of the table.  With BLESS=1 it is written.
# Arguments: source folder, build folder.
set -uo pipefail
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
. "$source/tests/support/share.sh"
rounds=$([ "$share" -eq 1 ] || echo --rounds=2) # of each program and schedule
export ASAN_OPTIONS=detect_leaks=0
"$hlc" --tables | SOURCE=$source python3 -c '
import glob, os, re, sys
source, faults, table = os.environ["SOURCE"], 0, ["| directive | meaning |", "| --- | --- |"]
read = lambda path: open(f"{source}/{path}").read()
pages = read("docs/scheduling.md")
rows = [line.split(" ", 7) for line in sys.stdin.read().splitlines() if line.startswith("directive ")]
for _, _, text, _, _, _, _, sentence in rows:
    if not glob.glob(f"{source}/tests/golden/*.{text.replace(chr(45), chr(95))}.*.ir"):
        print(f"{text} has no golden text tests/golden/*.{text}.schedule.ir of a schedule of its name")
        faults += 1
    signature = re.findall(r"^(?:## (?:.*, )?|\| `)(" + text + r"\([^()]*\))", pages, re.M)
    if not signature:
        print(f"{text} has no section \"## {text}(..)\" and no row in docs/scheduling.md")
        faults += 1
        continue
    signature = re.sub(r" +\[", "[", signature[-1]).replace("|", "\\|")
    table.append(f"| `{signature}` | {sentence} |")
page = read("docs/language.md")
made = re.sub(r"\| directive \| meaning \|\n(\|.*\n)+", lambda _: "\n".join(table) + "\n", page)
if made != page and os.environ.get("BLESS") == "1":
    open(f"{source}/docs/language.md", "w").write(made)
elif made != page or table[-1] not in page:
    print("the table of directives in docs/language.md is old: BLESS=1 bash tests/directives.sh . build")
    faults += 1
print(f"{len(rows)} directives, {faults} faults")
sys.exit(faults or not rows)' || exit 1
for program in directives eager rfactor compute_with compute_with_outputs compute_with_three recurrence_product recurrence_mutual atomic; do
  "$hlc" check "$source/tests/golden/$program.hl" $rounds | tail -1
  [ "${PIPESTATUS[0]}" = 0 ] || exit 1
done
"$hlc" check "$source/tests/golden/recurrence.hl" $rounds s=random:1:19 t=random:2:37 | tail -1
[ "${PIPESTATUS[0]}" = 0 ] || exit 1
