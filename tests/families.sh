#!/usr/bin/env bash
# Names and arguments of the compile-time layer in commands: members of families as outputs, stages by a static number,
# members that there are not, schedules with arguments, misspelt const parameters.
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1

# ---- outputs ----
cat > pyramid.hl <<'HL'
template down(f) {
    fun dx(x, y) = f(2*x, y) + f(2*x + 1, y);
    fun down(x, y) = dx(x, 2*y) + dx(x, 2*y + 1);
}

pipeline pyramid(const n = 3 in 1..5, input: image<i32, 2>) -> (g[n](input.width / (1 << n), input.height / (1 << n)), g[1].dx(4, 4)) {
    fun g[0](x, y) = input(x, y);
    for k in 1..n { fun g[k] = down(g[k - 1]); }
    require(g[n].min(0) == 0, "the top begins at 0");
}

schedule fast for pyramid { vectorize(g[1].dx.x, 8);  compute-root(g[2]); }
HL
expect 0 "$hlc" run pyramid.hl input=random:1:64x64; says "g[3]: i32 8x8, hash"; says "g[1].dx: i32 4x4, hash"; cp out wanted
for way in --schedule=fast --interpret=reference --interpret=target; do
  expect 0 "$hlc" run pyramid.hl input=random:1:64x64 $way; cmp -s out wanted || fail "$way: $(diff out wanted)"
done
"$hlc" lower pyramid.hl > pyramid.ir; expect 0 "$hlc" run pyramid.ir input=random:1:64x64; cmp -s out wanted || fail "the text form: $(diff out wanted)"
"$hlc" expand pyramid.hl > expanded.hl; expect 0 "$hlc" run expanded.hl input=random:1:64x64; cmp -s out wanted || fail "expanded: $(diff out wanted)"
expect 0 "$hlc" run pyramid.hl n=2 input=random:1:64x64 g[1].dx=3x5; says "g[2]: i32 16x16"; says "g[1].dx: i32 3x5"
expect 0 "$hlc" run pyramid.hl input=random:1:64x64 -o 'g[3]=top.npy' -o 'g[1].dx=dx.npy'
[ -s top.npy ] && [ -s dx.npy ] || fail "no files"
expect 2 "$hlc" run pyramid.hl input=random:1:64x64 g[3].min=1,0; complains "the top begins at 0"
expect 0 "$hlc" check pyramid.hl --rounds=10
expect 0 "$hlc" compile pyramid.hl --header=pyramid.h -o pyramid.o
grep -q "\*g_3_,$" pyramid.h && grep -q "\*g_1_dx_);" pyramid.h || fail "names in C: $(grep g_ pyramid.h)"
sed 's/-> (g\[n\]/-> (g[n + 1]/' pyramid.hl > none.hl; expect 2 "$hlc" run none.hl input=random:1:64x64; complains "g[4]"

# ---- stages ----
cat > stages.hl <<'HL'
pipeline stages(input: image<i32, 1>) -> out(input.width) {
    fun out(x) = { 0;  rdom(r = (0, 4)) in (x) <- out(x) + input(x);  rdom(r = (0, 4)) in (x) <- out(x) + 1; }
}
schedule all(v = 8) for stages { for k in 0..2 { vectorize(out.s[k].x, v); } }
schedule one(v) for stages extends all(v = v) { specialize(out, input.width > 10);  unroll(out.z[1].s[2].r); }
HL
expect 0 "$hlc" explain stages.hl --schedule=all; says "split(out.s0.x, x_o, x_v, 8);"; says "split(out.s2.x, x_o, x_v, 8);"
expect 0 "$hlc" explain stages.hl --schedule='one(4)'; says "split(out.s1.x, x_o, x_v, 4);"; says "traverse(out.z1.s2.r, unrolled);"
expect 0 "$hlc" check stages.hl --schedule='one(v = 4)' --rounds=10

# ---- members that there are not ----
refused() { # DIRECTIVE TEXT ..
  sed "s/^schedule .*/schedule s for pyramid { $1 }/" pyramid.hl > wrong.hl
  expect 2 "$hlc" lower wrong.hl --schedule=s
  for text in "${@:2}"; do complains "$text"; done
}
refused "compute-root(g[2].dy);" '[E0221]: `g[2]` has no member `dy` here' 'it has `dx`'
refused "vectorize(g[2].dy.x, 8);" '[E0221]: `g[2]` has no member `dy` here'
refused "compute-root(g[2].dx.dz);" '[E0221]: `g[2].dx` has no member `dz` here' 'the func has none'
refused "compute-root(g[7]);" 'it has `g[0]`, `g[1]`, `g[2]`, `g[3]`'
refused "vectorize(g[2].s[1].x);" "[E0505]: func g[2] has no stage s1"
refused "vectorize(g[2].s[-1].x);" "stages count from 0"

# ---- schedules with arguments ----
expect 2 "$hlc" run stages.hl --schedule=one input=random:1:9; complains "[E0839]"; complains "--schedule='one(v = ..)'"
expect 0 "$hlc" run stages.hl input=random:1:90; cp out wanted
for schedule in 'all(v = 16)' 'all(4)' 'all()' 'one(2)'; do
  expect 0 "$hlc" run stages.hl --schedule="$schedule" input=random:1:90; cmp -s out wanted || fail "$schedule: $(diff out wanted)"
done
expect 0 "$hlc" bench stages.hl --schedule='all(4)' --schedule='all(8)' --threads=1 --seconds=0 input=random:1:90; says "all(4)"; says "all(8)"
expect 0 "$hlc" contract stages.hl --schedule='all(4)' --against='all(8)'
expect 2 "$hlc" run stages.hl --schedule='all(w = 4)' input=random:1:9; complains "--schedule:1:5: error[E0201]: there is no parameter \`w\` here"
expect 2 "$hlc" run stages.hl --schedule='none(4)' input=random:1:9; complains "there is no schedule \`none\`"
expect 2 "$hlc" run stages.hl --schedule='one()' input=random:1:9; complains "[E0232]"
expect 2 "$hlc" run stages.hl --schedule='all(v = 4) { }' input=random:1:9; complains "expected the end of the arguments"
expect 2 "$hlc" run stages.hl --schedule='all(' input=random:1:9; complains "[E0102]"

# ---- const parameters ----
expect 2 "$hlc" lower pyramid.hl m=2; complains "[E0890]: \`m\` is no const parameter, and lower takes no other values"
expect 2 "$hlc" expand pyramid.hl nn=2; complains "did you mean \`n\`?"
expect 2 "$hlc" lower stages.hl m=2; complains "there is none"

echo "$failures failures"
[ $failures -eq 0 ]
