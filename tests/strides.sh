#!/usr/bin/env bash
# A specialization for a stride: its code reads the image with the layout of the condition, dense or
# in pixels.  The code of the rest takes elements one by one.  Arguments: source folder, build
# folder.
set -u
hlc=$2/hlc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat > strides.hl << 'HL'
pipeline p(input: image<u8, 2, strided>) -> out {
    fun out(x, y) = input(x, y) + input(x + 1, y);
}
schedule any for p { vectorize(out.x, 32); }
schedule dense for p {
    specialize(out, input.stride(0) == 1);
    vectorize(out.z1.x, 32);  vectorize(out.x, 32);
}
schedule both for p {
    specialize(out, input.stride(0) == 1 && input.stride(1) == 4096, input.stride(0) == 3);
    vectorize(out.z1.x, 32);  vectorize(out.z2.x, 32);  parallel(out.z1.y);
}
HL
failed=0
# schedule, and are elements added 32 at a time directly from memory?
while read -r schedule wanted; do
  "$hlc" compile strides.hl --schedule="$schedule" --target=x86-64-v4 --emit=asm -o code.s || exit 1
  got=no
  grep -qE '\svpaddb\s.*\(.*\), %ymm' code.s && got=yes
  if [ "$got" != "$wanted" ]; then
    echo "$schedule: $got, $wanted expected"
    failed=$((failed + 1))
  fi
done << 'ROWS'
any no
dense yes
both yes
ROWS
# The second stride is the constant, too: rows are 4096 apart, without a multiplication.
"$hlc" compile strides.hl --schedule=both --target=x86-64-v4 --emit=asm -o code.s
grep -qE 'sh[lr]q\s+\$12,|(add|sub|lea)q\s+\$?-?4096' code.s || { echo 'no row is 4096 from the next'; failed=$((failed + 1)); }
"$hlc" check strides.hl | tail -1 || failed=$((failed + 1))
echo "$failed failed"
[ "$failed" -eq 0 ]
