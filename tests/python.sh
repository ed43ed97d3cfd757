#!/usr/bin/env bash
# The Python package: its tests, from the source folder and from an installed wheel.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
needs='numpy'
. "$source/tests/support/python.sh"

for tests in "$source"/tests/python/test_*.py; do
  HLC_LIBRARY=$library PYTHONPATH=$source/python "$python" "$tests" -q > "$work/out" 2>&1 || { cat "$work/out"; fail "$tests"; }
done

# With a share, the two examples that take seconds are left out.
examples="volume tuned"
[ "${HLC_SHARE:-1}" -gt 1 ] || examples="photograph in_windows $examples"
for example in $examples; do
  HLC_LIBRARY=$library PYTHONPATH=$source/python "$python" -W ignore "$source/examples/python/$example.py" $([ $example = tuned ] && echo 1) > "$work/out" 2>&1 &&
    grep -q ': True' "$work/out" && ! grep -q ': False' "$work/out" || { cat "$work/out"; fail "examples/python/$example.py"; }
done

# What a call costs, and how soon it ends: only that it is measured; a busy machine has no limit.
HLC_LIBRARY=$library PYTHONPATH=$source/python "$python" "$source/bench/python.py" 2 > "$work/out" 2>&1 &&
  [ "$(grep -cE '^(a call with three arrays|cancel ends|Ctrl-C ends) .* (us|ms)' "$work/out")" = 7 ] || { cat "$work/out"; fail "bench/python.py"; }

# What the library exports is what its headers declare.
nm -D --defined-only "$library" | sed -nE 's/.* [TDBR] ([a-z_]\w*).*/\1/p' | sort > "$work/exported"
cat "$source"/include/*.h "$source"/runtime/hlc_runtime.h > "$work/headers"
while read -r name; do
  grep -qw "$name" "$work/headers" || [[ $name = *jit_debug* || $name = llvm_orc* ]] || fail "libhlc.so exports $name, which no header declares"
done < "$work/exported"
[ "$(wc -l < "$work/exported")" -gt 80 ] || fail "libhlc.so exports little"

# A C host links it.
cat > "$work/host.c" <<'C'
#include "hlc.h"
#include "hlc_runtime.h"
int main(void) {
    char text[200];
    hlc_describe(text, sizeof text);
    puts(text);
    return hlc_set_thread_count(2) < 0;
}
C
flags=$(PKG_CONFIG_PATH=$build pkg-config --cflags --libs hlc-shared)
gcc "$work/host.c" $flags -o "$work/host" && LD_LIBRARY_PATH=$build/shared "$work/host" | grep -q '^hlc [0-9.]*, LLVM' ||
  fail "a host that links hlc-shared"

# A wheel, installed without the network, and used without the source. It takes seconds: a share leaves it out.
if [ "${HLC_SHARE:-1}" -gt 1 ]; then
  :
elif "$python" -m pip --version > /dev/null 2>&1; then
  HLC_LIBRARY=$library "$python" -m pip install --no-index --no-deps --quiet --disable-pip-version-check --root-user-action=ignore \
    --target "$work/site" "$source/python" > "$work/out" 2>&1 || { cat "$work/out"; fail "pip install"; }
  (cd "$work" && env -u HLC_LIBRARY PYTHONPATH="$work/site" "$python" -m doctest "$source/docs/python.md") || fail "docs/python.md with the wheel"
else
  echo "no pip: the wheel is not tested"
fi
[ "$failures" -eq 0 ]
