#!/usr/bin/env bash
# examples/jit, a C program that contains the compiler: on a PNG file it does what `hlc run` does.
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
export PATH=$build:$PATH
sanitize=$(grep -q '^HLC_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" && echo -fsanitize=address,undefined)
cp -r "$source/examples/jit" .
make -C jit PKG_CONFIG_PATH="$build" CFLAGS="-Wall -Wextra -Werror -pedantic $sanitize" > log 2>&1 || { fail "make"; cat log; exit 1; }

hlc run "$source/examples/blur.hl" w=0 input=random:3:97x61 -o grey.png > log 2>&1 || { fail "no grey picture"; cat log; }
for schedule in - tiled fast; do
  option=--schedule=$schedule
  [ $schedule = - ] && option=
  jit/jit_png "$source/examples/blur.hl" $schedule grey.png jit.png w=4 || fail "jit_png, schedule $schedule"
  hlc run "$source/examples/blur.hl" $option input=grey.png w=4 -o run.png > /dev/null || fail "hlc run"
  for file in jit run; do
    hlc run "$source/examples/blur.hl" w=0 input=$file.png > $file.txt || fail "reading $file.png"
  done
  cmp -s jit.txt run.txt || { fail "schedule $schedule: not what hlc run gives"; cat jit.txt run.txt; }
done
# refuses TEXT ARGUMENTS ..: exit code 2, this text, and no file.
refuses() {
  local text=$1
  shift
  jit/jit_png "$@" 2> err
  local code=$?
  [ $code -eq 2 ] && grep -qF "$text" err || { fail "exit code $code: $*"; cat err; }
  [ -e bad.png ] && fail "a refusal wrote a file"
}
refuses "(E0815)" "$source/examples/blur.hl" fast grey.png bad.png w=99
refuses "(E0807)" "$source/examples/blur.hl" nothing grey.png bad.png
refuses "(E0809)" "$source/examples/blur.hl" - grey.png bad.png z=1
echo 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = b(x, y); }' > wrong.hl
refuses "wrong.hl:1: there is no func \`b\` here (E0201)" wrong.hl - grey.png bad.png
[ $failures -eq 0 ]
