#!/usr/bin/env bash
# Streaming stores: which stores become streaming, and that functions with such stores end with a
# fence.  Values are the same for aligned and unaligned memory.  Arguments: source folder, build
# folder.
set -u
. "$1/tests/support/share.sh"
hlc=$2/hlc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat > stream.hl << 'HL'
pipeline p(input: image<u16, 2>) -> out {
    let src = repeat_edge(input);
    fun out(x, y) = src(x - 1, y) + src(x, y);
}
schedule whole for p { vectorize(out.x, 32); }
schedule whole_parallel for p { vectorize(out.x, 32); parallel(out.y, 2); }
schedule short for p { vectorize(out.x, 16); }
schedule told for p { vectorize(out.x, 16); stream(out); }
schedule told_parallel for p { vectorize(out.x, 8); parallel(out.y); stream(out); }
schedule told_scalar for p { stream(out); }
pipeline read_again(input: image<u16, 2>) -> (out, mean) {
    fun out(x, y) = input(x, y) + 1;
    fun mean(y) = sum(r in (0, 4)) out(r, y) / 4;
}
schedule whole for read_again { vectorize(out.x, 32); }
HL
failed=0
# pipeline schedule target, and are there streaming stores?
while read -r pipeline schedule target wanted; do
  "$hlc" compile stream.hl --pipeline="$pipeline" --schedule="$schedule" --target="$target" --emit=asm -o code.s || exit 1
  stores=$(grep -cE '\sv?movnt' code.s) fences=$(grep -cE '\ssfence' code.s)
  got=no
  [ "$stores" -gt 0 ] && [ "$fences" -gt 0 ] && got=yes
  [ "$stores" -eq 0 ] && [ "$fences" -gt 0 ] && got='a fence for nothing'
  [ "$stores" -gt 0 ] && [ "$fences" -eq 0 ] && got='no fence'
  if [ "$got" != "$wanted" ]; then
    echo "$pipeline $schedule $target: $got, $wanted expected"
    failed=$((failed + 1))
  fi
done << 'ROWS'
p whole x86-64-v4 yes
p whole x86-64-v3 yes
p whole x86-64 yes
p whole aarch64 no
p whole_parallel x86-64-v4 yes
p short x86-64-v4 no
p told x86-64-v4 yes
p told aarch64 no
p told_parallel x86-64-v3 yes
p told_scalar x86-64-v4 no
read_again whole x86-64-v4 no
ROWS
"$hlc" check stream.hl --pipeline=p | tail -1 || failed=$((failed + 1))
# Larger than any cache, so the default applies: rows that begin on cache lines, and rows that do
# not.
for size in 8192x2100 8191x2100; do
  one=$("$hlc" run stream.hl --pipeline=p --schedule=short "input=random:1:$size")
  for schedule in whole whole_parallel told told_parallel; do
    left_out && continue
    two=$("$hlc" run stream.hl --pipeline=p --schedule=$schedule "input=random:1:$size")
    if [ "$one" != "$two" ]; then
      echo "$schedule $size: $two, not $one"
      failed=$((failed + 1))
    fi
  done
done
echo "$failed failed"
[ "$failed" -eq 0 ]
