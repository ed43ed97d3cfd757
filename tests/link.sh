#!/usr/bin/env bash
# examples/link, a C program that contains a compiled pipeline: on a PNG file it does what `hlc run`
# does.
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
mkdir -p examples
cp -r "$source/examples/link" "$source/examples/blur.hl" examples
# The same as the Makefile's: make 4.3 passes these variables to recipes, not to $(shell ..).
make -C examples/link PKG_CONFIG_PATH="$build" CFLAGS="-Wall -Wextra -Werror -pedantic" > log 2>&1 || { fail "make"; cat log; }
make -C examples/link 2>&1 | grep -q "hlc compile" && fail "made again though nothing changed"

hlc run "$source/examples/blur.hl" w=0 input=random:3:97x61 -o grey.png > log 2>&1 || { fail "no grey picture"; cat log; }
for width in 0 1 5; do
  examples/link/blur_png grey.png $width linked.png || fail "blur_png, width $width"
  hlc run "$source/examples/blur.hl" input=grey.png w=$width -o run.png > /dev/null || fail "hlc run"
  # The same pixels: both are read back through w = 0.
  for file in linked run; do
    hlc run "$source/examples/blur.hl" w=0 input=$file.png > $file.txt || fail "reading $file.png"
  done
  cmp -s linked.txt run.txt || { fail "width $width: not what hlc run gives"; cat linked.txt run.txt; }
done
examples/link/blur_png grey.png 99 bad.png 2> err
[ $? -eq 1 ] && grep -q "blur refuses (parameter_too_large): parameter w is 99" err || { fail "a width beyond the range"; cat err; }
[ -e bad.png ] && fail "a refusal wrote a file"
[ $failures -eq 0 ]
