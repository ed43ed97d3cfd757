#!/usr/bin/env bash
# Whole programs with hard bounds: every schedule equals the reference on random windows, and the
# compiler refuses none.  Arguments: source folder, build folder.
set -u
. "$1/tests/support/share.sh"
failed=0
rounds=$([ "$share" -eq 1 ] || echo --rounds=10) # of each schedule
for file in "$1"/tests/bounds/*.hl; do
  left_out && continue
  if ! output=$("$2/hlc" check $rounds "$file" 2>&1) || grep -q "refused by the compiler" <<< "$output" ||
    ! grep -q '^[1-9][0-9]* points compared, all equal$' <<< "$output"; then
    printf '%s:\n%s\n' "$file" "$output"
    failed=$((failed + 1))
  fi
done
# No value that was never computed decides anything.  The interpreter sees that even where values do
# not show it.
for arguments in "--pipeline=p --schedule=inner w=4" "--pipeline=q"; do
  # shellcheck disable=SC2086
  "$2/hlc" run "$1/tests/bounds/masked_update.hl" $arguments --interpret=target out=1+0 > /dev/null || failed=$((failed + 1))
done
# Partial results in the loop over the variable that they are kept for: one result an iteration.
for case in "each r1 out.s1.r1" "single kept out.s1.r1_o"; do
  read -r schedule dimension loop <<< "$case"
  output=$("$2/hlc" bounds "$1/tests/bounds/partial_within.hl" --schedule="$schedule" 2>&1) && grep -qF "  $dimension: [$loop, $loop]" <<< "$output" ||
    { printf '%s: not one an iteration\n%s\n' "$schedule" "$output"; failed=$((failed + 1)); }
done
# What a select's condition says of its arms: `image` is read in exactly this region.
region_is() { # FILE PIPELINE SCHEDULE TEXT
  output=$("$build/hlc" bounds "$source/tests/bounds/$1.hl" --pipeline="$2" --schedule="$3" 2>&1) && grep -qF "  0: $4" <<< "$output" ||
    { printf '%s, %s: the region is not %s\n%s\n' "$1" "$3" "$4" "$output"; failed=$((failed + 1)); }
}
source=$1 build=$2
region_is shifted_tail shifted shifts '[0, 2999]'
region_is masked_extent single one '[out.min.0, out.extent.0 + out.min.0 - 1]'
region_is specialized_arms arms rest '[select(p, 10, -10) + f.min.0, select(p, 9, -11) + f.extent.0 + f.min.0]'
for schedule in at_root tiles inlined; do region_is chosen_index halves "$schedule" '[0, 2047]'; done
# Of each: the pipeline, and an argument with which `a` is long enough for one arm.
for case in "arms p=true a=random:1:20+10" "arms p=false a=random:1:20-10" "modes mode=0 a=random:1:20+10" "modes mode=7 a=random:1:20-10" \
            "orders mode=0 a=random:1:20+10" "orders mode=1 a=random:1:20-10" "twelve mode=4 a=random:1:20+4" \
            "twelve mode=11 a=random:1:20+11"; do
  read -r pipeline argument image <<< "$case"
  "$build/hlc" run "$source/tests/bounds/specialized_arms.hl" --pipeline="$pipeline" --schedule=rest $image $argument f=20 > /dev/null ||
    { echo "$case: the arm that is not chosen is asked for"; failed=$((failed + 1)); }
done
# A branch with a tail that shifts asks for no more than the window where its condition says that a block fits.
"$build/hlc" contract "$source/tests/bounds/specialized_tail.hl" --schedule=shifted --against= 2> /dev/null | grep -E "added|turned" &&
  { echo "the shifted tail of a specialization asks for more"; failed=$((failed + 1)); }
"$build/hlc" contract "$source/tests/bounds/specialized_tail.hl" --schedule=short --against= 2> /dev/null | grep -q "added" ||
  { echo "a block that does not fit asks for nothing"; failed=$((failed + 1)); }
# Folds that nobody asks for are as small as those that may be asked for; less is refused.
for case in "halved unasked h 4" "clamped tile_unasked p 2"; do
  read -r pipeline schedule func factor <<< "$case"
  "$build/hlc" lower "$source/tests/bounds/folds.hl" --pipeline="$pipeline" --schedule="$schedule" --after=slide |
    grep -q "allocate $func: .* folding y by $factor\$" || { echo "$func is not folded by $factor"; failed=$((failed + 1)); }
done
small=$(mktemp --suffix=.hl) many=$(mktemp --suffix=.hl)
trap 'rm -f "$small" "$many"' EXIT
sed 's/fold-storage(p, y, 2)/fold-storage(p, y, 1)/' "$source/tests/bounds/folds.hl" > "$small"
"$build/hlc" lower "$small" --pipeline=clamped --schedule=tile_two 2>&1 | grep -qF '2 coordinates are needed at a time' ||
  { echo "a fold that is too small is not refused"; failed=$((failed + 1)); }
# And `hlc bounds` tells the regions of every func under every schedule, of those that schedules make besides too.
told=0
for file in "$1"/tests/semantics/*.hl "$1"/tests/golden/*.hl; do
  while read -r schedule pipeline; do
    left_out && continue
    output=$("$2/hlc" bounds "$file" --pipeline="$pipeline" --schedule="$schedule" 2>&1) && grep -q ', computed at ' <<< "$output" ||
      { printf '%s, %s:\n%s\n' "$file" "$schedule" "$output"; failed=$((failed + 1)); }
    told=$((told + 1))
  done < <(sed -nE 's/^schedule ([a-z_0-9]+) for ([a-z_0-9]+).*/\1 \2/p' "$file")
done
[ "$told" -ge $((100 / share)) ] || { echo "only $told schedules"; failed=$((failed + 1)); }
# More outputs than sets of them are told apart, each with reads of its own of one image: a hull that grows.
awk -v n=300 'BEGIN {
  printf "pipeline many(a: image<u8, 1>) -> (o0"; for (i = 1; i < n; i++) printf ", o%d", i; print ") {"
  for (i = 0; i < n; i++) printf "    fun o%d(x) = a(x + %d) + a(x*%d - %d);\n", i, i*7 % 13, i % 3 + 1, i % 5
  print "}" }' > "$many"
"$2/tests/limited" - 60 "$2/hlc" bounds "$many" | grep -q '^image a$' || { echo "no region where there are many outputs"; failed=$((failed + 1)); }
echo "$failed failed"
[ "$failed" -eq 0 ]
