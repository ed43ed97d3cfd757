#!/usr/bin/env bash
# What compiling calls of LLVM lies together in `hlc`, in the order of first calls (cmake/first_use.c): the functions of the build
# folder's list ascend, and between the first and the last of them lies next to nothing else.  (Of libraries in C whose objects are one
# section each, a function brings the others of its file.)  Skipped where the linker is not told (no lld, no
# static LLVM).  Arguments: source folder, build folder.
set -u
build=$(realpath "$2")
order=$build/function_order.txt
grep -q -- "--symbol-ordering-file" "$build/build.ninja" && [ -s "$order" ] || { echo "skipped: hlc is linked in no order"; exit 77; }
nm "$build/hlc" | awk -v order="$order" '
  function number(hex,   i, n) { n = 0; for (i = 1; i <= length(hex); i++) n = n*16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
  BEGIN { while ((getline name < order) > 0) if (name ~ /^_Z/ && !(name in rank)) rank[name] = ++listed }
  $2 ~ /[tTwW]/ && $3 ~ /^_Z/ {
    # Of several names of one place, as constructors have, the one that the list has first.
    if (!($1 in place)) { place[$1] = 0; at[$1] = number($1) }
    if ($3 in rank && (!place[$1] || rank[$3] < place[$1])) place[$1] = rank[$3]
    if ($3 in rank && seen[$3]++) place[$1] = 0
  }
  END { for (p in place) printf "%d %d\n", at[p], place[p] }' | sort -n | awk '
  { rank[NR] = $2; if ($2) { if (!first) first = NR; last = NR; listed++; if ($2 < before) descend++; before = $2 } }
  END {
    printf "%d functions in order, %d out of order, within %d\n", listed, descend, last - first + 1
    exit !(listed > 5000 && descend*100 < listed && listed*1.2 > last - first + 1)
  }'
