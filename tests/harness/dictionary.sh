#!/bin/sh
# The words of the languages, in the form of libFuzzer's and AFL++'s dictionaries.  Arguments: source folder, hlc.
set -eu
hlc=$(realpath "$2")
tables=$("$hlc" --tables)
cd "$1"
# One list of words; an empty one means that the list is elsewhere now.
table() { printf '%s\n' "$tables" | cut -d' ' -f1,3 | sed -n "s/^$1 //p" | grep . || missing "the table of ${1}s"; }
array() { sed -n '/'"$2"'\[\] = {/,/}/p' "$1" | grep -o '"[^"]*"' | tr -d '"' | grep . || missing "$1"; }
missing() { echo "harness/dictionary.sh: no words in $1" >&2; exit 1; }
words=$(
  table operator
  table directive
  array frontend/parser.c keywords
  array frontend/scope.c builtins
  printf '%s\n' parallel vectorized unrolled serial guard round-up shift-inwards produce consume allocate '<-' '->' \
    .. 0 1 2147483647 -2147483648 9223372036854775807 18446744073709551615 1e308 0x1p-149
)
printf '%s\n' "$words" | sort -u | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/'
