#!/usr/bin/env bash
# The table of errors in docs/functions.md is what `ulp --table` prints of tests/ulp/functions.def, which the test `ulp`
# measures; and every function of floats in docs/language.md has a row.  With BLESS=1 the table is written.
# Arguments: source folder, build folder.
set -u
[ -x "$2/tests/ulp" ] || exit 77
table=$("$2/tests/ulp" --table) || exit 1
TABLE=$table python3 - "$1" << 'PY'
import os, re, sys
table = os.environ['TABLE']
path = sys.argv[1] + '/docs/functions.md'
page = open(path).read()
made, found = re.subn(r'\| function \| f16 .*\n(\|.*\n)+', lambda _: table + '\n', page)
if made != page and os.environ.get('BLESS') == '1':
    open(path, 'w').write(made)
elif made != page or found != 1:
    sys.exit('the table of docs/functions.md is old: BLESS=1 bash tests/ulp_table.sh . build')
functions = re.search(r'^\| floats \| (.*) \|$', open(sys.argv[1] + '/docs/language.md').read(), re.M)[1]
words = re.findall(r'[a-z_0-9]+(?=[ (`])', functions)
missing = [w for w in words if w not in 'floor ceil trunc round fma is_nan is_inf is_finite'.split() and f'| `{w}` |' not in made]
print(f'{len(words)} functions', *(f'{w} has no row' for w in missing))
sys.exit(len(words) < 25 or bool(missing))
PY
