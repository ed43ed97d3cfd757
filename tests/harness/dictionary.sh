#!/bin/sh
# The words of the languages, in the form of libFuzzer's and AFL++'s dictionaries.  Arguments: source folder, hlc.
set -eu
hlc=$(realpath "$2")
tables=$("$hlc" --tables)
cd "$1"
{
  printf '%s\n' "$tables" | cut -d' ' -f3
  sed -n '/keywords\[\] = {/,/}/p' frontend/parser.c | grep -o '"[^"]*"' | tr -d '"'
  sed -n '/builtins\[\] = {/,/}/p' frontend/scope.c | grep -o '"[^"]*"' | tr -d '"'
  printf '%s\n' parallel vectorized unrolled serial guard round-up shift-inwards produce consume allocate '<-' '->' \
    .. 0 1 2147483647 -2147483648 9223372036854775807 18446744073709551615 1e308 0x1p-149
} | sort -u | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/'
