#!/usr/bin/env bash
# The table of formats in docs/images.md is made from the rows `format` of `hlc --tables`.  With BLESS=1 it is written.
# Arguments: source folder, build folder.
set -u
tables=$("$2/hlc" --tables) || exit 1
TABLES=$tables python3 - "$1/docs/images.md" << 'PY'
import os, re, sys
table = ['| format | endings | holds | channels |', '| --- | --- | --- | --- |']
rows = [line[7:].split(':') for line in os.environ['TABLES'].splitlines() if line.startswith('format ')]
code = lambda words: ', '.join(f'`{word}`' for word in words)
for name, endings, types, channels in rows:
    channels = {'': 'any, in 0 to 4 dimensions', '1 2 3 4': '1 to 4'}.get(channels.strip(), ', '.join(channels.split()))
    table.append(f"| {name} | {code('.' + ending for ending in endings.split())} | {code(types.split())} | {channels} |")
page = open(sys.argv[1]).read()
made, found = re.subn(r'\| format \| endings .*\n(\|.*\n)+', lambda _: '\n'.join(table) + '\n', page)
if made != page and os.environ.get('BLESS') == '1':
    open(sys.argv[1], 'w').write(made)
elif made != page or not found:
    sys.exit('the table of formats in docs/images.md is old: BLESS=1 bash tests/formats.sh . build')
print(f'{len(rows)} formats')
sys.exit(len(rows) < 10)
PY
