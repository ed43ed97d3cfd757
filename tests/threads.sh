#!/usr/bin/env bash
# The parallel loops of the run-time library under ThreadSanitizer: runtime/ and its test, in a
# separate build.
# Arguments: source folder, build folder.
set -eu
source=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=${CC:-gcc}
echo 'int main(void) { return 0; }' > "$work/empty.c"
if ! "$compiler" -fsanitize=thread "$work/empty.c" -o "$work/empty" 2> /dev/null || ! "$work/empty"; then
  echo "skipped: $compiler has no ThreadSanitizer here"
  exit 77
fi
"$compiler" -std=gnu17 -D_GNU_SOURCE -O1 -g -fsanitize=thread -I"$source" \
  "$source"/runtime/*.c "$source/tests/unit/runtime_parallel.c" -o "$work/parallel" \
  $(pkg-config --cflags --libs check) -lm -lpthread
TSAN_OPTIONS="halt_on_error=1 exitcode=66" "$work/parallel"
