#!/usr/bin/env bash
# docs/language.md names each operator of `hlc --tables` in its section "Operators".  Arguments: source folder, build folder.
set -u
tables=$("$2/hlc" --tables) || exit 1
TABLES=$tables python3 - "$1/docs/language.md" << 'PY'
import os, re, sys
operators = [line.split(' ')[2] for line in os.environ['TABLES'].splitlines() if line.startswith('operator ')]
section = re.search(r'^## Operators\n(.*?)^## ', open(sys.argv[1]).read(), re.M | re.S).group(1)
words = {word for span in re.findall(r'`([^`]*)`', section) for word in re.findall(r'\w+|[^\w\s(),]+', span)}
# The page describes conversions in sections of their own.
missing = [text for text in operators if text not in words | {'cast', 'saturating_cast', 'reinterpret'}]
for text in missing:
    print(f'docs/language.md: the section "Operators" does not name `{text}`')
print(f'{len(operators)} operators, {len(missing)} are not described')
sys.exit(len(missing) > 0 or len(operators) < 70)
PY
