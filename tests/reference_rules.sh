#!/usr/bin/env bash
# The rules of the report (--interpret=semantics) and the reference engine agree on the examples, on
# tests/semantics and tests/programs at small sizes, and on HLC_RULES_PROGRAMS random programs.  The
# default is 3,334 programs of three cases each; with HLC_SHARE all shares together have 500.
# Arguments: source folder, build folder.
set -u
. "$1/tests/support/share.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
python3 - "$1" "$2/hlc" "$share" <<'PYTHON' || exit 1
import glob, itertools, re, subprocess, sys
source, hlc, share = sys.argv[1:]
files = [f for part in ('examples', 'examples/recurrences', 'tests/semantics', 'tests/programs')
         for f in sorted(glob.glob(f'{source}/{part}/*.hl'))][::int(share)]
SIZES = ['24x16', '24', '8x6x3', '', '5x4x3x2']
def run(interpreter, words):
    return subprocess.run([hlc, 'run', *words, f'--interpret={interpreter}'], capture_output=True, text=True)
compared, differ, left = 0, 0, []
for f in files:
    text = re.sub(r'//.*', '', open(f).read())
    for name, inputs, outputs in re.findall(r'\bpipeline\s+(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*->\s*\(?([\w\s,]+)\)?', text):
        images = [f'{i}=random:1:auto' for i in re.findall(r'(\w+)\s*:\s*image\b', inputs)]
        values = [f'{p}={3 if kind[0] in "iu" else "true" if kind == "bool" else 1.5}' for p, kind in
                  re.findall(r'(\w+)\s*:\s*([iu]\d+|f\d+|bool)\b(?!\s*[^,]*=)', inputs)]
        outs = re.findall(r'\w+', outputs)
        done = False
        for sizes in itertools.islice(itertools.product(SIZES, repeat=len(outs)), 130):
            words = [f, f'--pipeline={name}', *images, *values, *(f'{o}={s}' for o, s in zip(outs, sizes) if s)]
            engine = run('reference', words)
            if engine.returncode:
                continue
            for reading in ([], ['--formal'], ['--strict']):
                engine, rules = run('reference', words + reading), run('semantics', words + reading)
                first = [re.sub(r' at .*|\(.*', '', r.stderr) for r in (engine, rules)]
                if engine.stdout != rules.stdout or engine.returncode != rules.returncode or first[0] != first[1]:
                    differ += 1
                    print(f'{" ".join(words + reading)}\n  engine: {engine.stdout}{engine.stderr}\n  rules:  {rules.stdout}{rules.stderr}')
                compared += 1
            done = True
            break
        if not done:
            left.append(f'{f[len(source) + 1:]}:{name}')
print(f'{compared} runs of programs compared, {differ} differ; no input was found for {len(left)}: {" ".join(left)}')
sys.exit(differ > 0 or compared * int(share) < 150)
PYTHON
programs=$((${HLC_RULES_PROGRAMS:-$((share > 1 ? 500 : 3334))} / share))
result=$("$2/hlc" fuzz --seed=1 --semantics --cases=$((programs * 3))) || { echo "$result"; cat ./*.hl 2> /dev/null; exit 1; }
tail -n 2 <<< "$result"
read -r cases _ differ _ refused _ proved _ <<< "$(tail -n 1 <<< "$result" | tr -d ',')"
# Three readings a case, if the proof is short enough.
[ "$cases" -ge $((programs * 3)) ] && [ "$differ" -eq 0 ] && [ $((refused * 10)) -lt "$cases" ] && [ "$proved" -ge $((cases * 2)) ]
