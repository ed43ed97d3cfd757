#!/usr/bin/env bash
# hlc contract: its output for one schedule and for two, with arguments, as JSON, and in the
# generated header.  tests/unit/library_contract.c checks that the contract is true.  Arguments:
# source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc source=$(realpath "$1")
[ -x "$hlc" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
# same NAME: standard input is the expected content of the file `said`
same() {
    diff - said > differs || { echo "$1:"; cat differs; failures=$((failures + 1)); }
}
cat > p.hl <<'HL'
pipeline p(input: image<u8, 1>, n: i32 = 2 in 1..9) -> out {
    require(n % 2 == 0, "n must be even */ /* and no more");
    fun g(x) = i32(input(x)) + i32(input(x + 2));
    fun out(x) = g(x) / n;
}
schedule shifted for p { split(out.x, xo, xi, 8, shift-inwards);
                         vectorize(out.xi); compute-at(g, out.xo); }
schedule bounded for p { bound(out, x, 0, 64); parallel(out.x, 16); compute-at(g, out.x_p);
                         split(g.x, xo, xi, 4, round-up); }
schedule blocks for p { split(out.x, xo, xi, 8192); parallel(out.xo); compute-at(g, out.xo); }
HL
"$hlc" contract --all p.hl > said; same "the empty schedule" <<'END'
p under the empty schedule runs where
  no extent is negative, and coordinates and extents of images and windows fit in 32 bits
  n >= 1                                            the range of n, p.hl:1:33
  n <= 9                                            the range of n, p.hl:1:33
  n % 2 == 0                                        n must be even */ /* and no more, p.hl:2:5
and where 0 < out.extent(0)
  input.extent(0) >= out.extent(0) + out.min(0) - input.min(0) + 2  input is read there, p.hl:3:36
  input.min(0) <= out.min(0)                        input is read there, p.hl:3:20
memory in bytes
  g: out.extent(0)*4
  at most at one time: g
END
# For people: one sentence a condition; what fails only near 2^31 is counted, and nothing else is left out.
"$hlc" contract p.hl > said; same "the empty schedule, for people" <<'END'
p under the empty schedule runs if
  n lies in 1..9: the range of n, p.hl:1:33
  n % 2 equals 0: n must be even */ /* and no more, p.hl:2:5
and, where 0 < out.extent(0), if
  input.extent(0) is at least out.extent(0) + out.min(0) - input.min(0) + 2: input is read there, p.hl:3:36
  input.min(0) is at most out.min(0): input is read there, p.hl:3:20
memory in bytes
  g: out.extent(0)*4
  at most at one time: g
END
cat > far.hl <<'HL'
pipeline far() -> out {
    fun g(x) = x;
    fun out(x) = g(x * 1000000) + g(x - 1);
}
HL
"$hlc" contract far.hl | sed '/^memory/,$d' > said; same "a small size that does not fit" <<'END'
far under the empty schedule runs if
  (no condition where no point is asked for)
and, where 0 < out.extent(0), if
  out.min(0)*1000000 is at least -2147483648: the least coordinates of g lie in 32 bits, far.hl:3:35
  out.extent(0) is at most min(out.min(0)*999999, -2147481500) + 2147483648: the extents of g lie in 32 bits, far.hl:3:35
  out.extent(0) is at most 2148 - out.min(0): the greatest coordinates of g lie in 32 bits, far.hl:3:35
END
"$hlc" contract --all p.hl --schedule=shifted --against= > said; same "shifted" <<'END'
split(out.x, xo, xi, 8, shift-inwards) at line 6 added `out.extent(0) >= input.min(0) - out.min(0) + 8`: input is read there
memory in bytes, at most at one time
  the empty schedule: out.extent(0)*4
  schedule shifted: select(out.extent(0) <= 7, max(out.extent(0), 8)*4, 0)
END
"$hlc" contract --all p.hl --schedule=bounded --against= > said; same "bounded" <<'END'
bound(out, x, 0, 64) at line 8 added `out.extent(0) <= 64 - out.min(0)`: out.x is bound, and holds what is needed
bound(out, x, 0, 64) at line 8 added `out.min(0) >= 0`: out.x is bound, and holds what is needed
bound(out, x, 0, 64) at line 8 turned `input.extent(0) >= out.extent(0) + out.min(0) - input.min(0) + 2` into `input.extent(0) >= 66 - input.min(0)`
bound(out, x, 0, 64) at line 8 turned `input.min(0) <= out.min(0)` into `input.min(0) <= 0`
memory in bytes, at most at one time
  the empty schedule: out.extent(0)*4
  schedule bounded: select(out.extent(0) != 64 || out.min(0) != 0, 256, 0)
END
"$hlc" contract --all p.hl --schedule=bounded --against=shifted --json > said; same "json" <<'END'
{"kind":"added","condition":"out.extent.0 <= 64 - out.min.0","asked":"0 < out.extent.0","words":"out.extent(0) <= 64 - out.min(0)","reason":"out.x is bound, and holds what is needed","error":"bound_too_small","place":"p.hl:8:26","directive":"bound(out, x, 0, 64)","directive_place":"p.hl:8:26"}
{"kind":"added","condition":"0 <= out.min.0","asked":"0 < out.extent.0","words":"out.min(0) >= 0","reason":"out.x is bound, and holds what is needed","error":"bound_too_small","place":"p.hl:8:26","directive":"bound(out, x, 0, 64)","directive_place":"p.hl:8:26"}
{"kind":"turned","before":"out.extent.0 + out.min.0 - input.min.0 + 2 <= input.extent.0","condition":"66 - input.min.0 <= input.extent.0","asked":"0 < out.extent.0","words":"input.extent(0) >= 66 - input.min(0)","reason":"input is read there","error":"access_out_of_bounds","place":"p.hl:3:36","directive":"bound(out, x, 0, 64)","directive_place":"p.hl:8:26"}
{"kind":"turned","before":"input.min.0 <= out.min.0","condition":"input.min.0 <= 0","asked":"0 < out.extent.0","words":"input.min(0) <= 0","reason":"input is read there","error":"access_out_of_bounds","place":"p.hl:3:20","directive":"bound(out, x, 0, 64)","directive_place":"p.hl:8:26"}
{"kind":"dropped","before":"input.min.0 - out.min.0 + 8 <= out.extent.0"}
{"kind":"peaks","before":"select(out.extent.0 <= 7, max(out.extent.0, 8)*4, 0)","after":"select(out.extent.0 != 64 || out.min.0 != 0, 256, 0)"}
END
"$hlc" contract --all p.hl --schedule=blocks | sed -n '/^memory/,$p' > said; same "memory" <<'END'
memory in bytes
  g: min(out.extent(0), 8192)*4, in each iteration of out.s0.xo that runs
  at most at one time: min((out.extent(0) + 8191)/8192, threads)*g
END
{ "$hlc" contract --all p.hl --schedule=bounded out=60 input=ramp:66 --json; echo $?
  "$hlc" contract --all p.hl --schedule=bounded out=60 input=ramp:65; echo $?
  "$hlc" contract --all p.hl --schedule=bounded out=65 input=ramp:99; echo $?
  "$hlc" contract --all p.hl out=60 input=ramp:65 n=3; echo $?
  "$hlc" contract --all p.hl out=0 input=ramp:0; echo $?; } > said 2>&1; same "arguments" <<'END'
{"kind":"verdict","holds":true,"bytes":256}
0
refused: input.extent(0) >= 66 - input.min(0) does not hold: input is read there, p.hl:3:36
1
refused: out.extent(0) <= 64 - out.min(0) does not hold: out.x is bound, and holds what is needed, p.hl:8:26
1
refused: n % 2 == 0 does not hold: n must be even */ /* and no more, p.hl:2:5
1
runs, with at most 0 bytes at one time
0
END
"$hlc" compile p.hl --schedule=bounded --header=p.h -o p.o
sed -n '/It runs where/,/^ \*$/p' p.h > said; same "header" <<'END'
 * It runs where
 *   no extent is negative, and coordinates and extents of images and windows fit in 32 bits
 *   n >= 1 (the range of n, line 1)
 *   n <= 9 (the range of n, line 1)
 *   n % 2 == 0 (n must be even *  /  and no more, line 2)
 * and where 0 < out.extent(0)
 *   out.extent(0) <= 64 - out.min(0) (out.x is bound, and holds what is needed, line 8)
 *   out.min(0) >= 0 (out.x is bound, and holds what is needed, line 8)
 *   input.extent(0) >= 66 - input.min(0) (input is read there, line 3)
 *   input.min(0) <= 0 (input is read there, line 3)
 * and takes at most so many bytes of memory at one time:
 *   select(out.extent(0) != 64 || out.min(0) != 0, 256, 0)
 *
END
# The end of an interval that must lie in 32 bits and may not, and the origin of that condition.
cat > ends.hl <<'HL'
pipeline p(a: image<i32, 1>, n: i32 = 4 in 0..2000000000) -> out {
    fun f(x) = a(x % 5) + x;
    fun out(x) =
        f(x - 2000000000)
        + f(x + n);
}
HL
{ "$hlc" contract --all ends.hl | grep ' lie in 32 bits, ' | sed 's/  */ /g'
  "$hlc" contract --all ends.hl n=2000000000 out=9+1000000000 a=zero:9; } > said; same "ends" <<'END'
 out.min(0) >= -147483648 the least coordinates of f lie in 32 bits, ends.hl:4:9
 out.extent(0) <= 2147483648 - n - out.min(0) the greatest coordinates of f lie in 32 bits, ends.hl:5:11
 out.extent(0) <= 147483647 - n the extents of f lie in 32 bits, ends.hl:4:9
refused: out.extent(0) <= 2147483648 - n - out.min(0) does not hold: the greatest coordinates of f lie in 32 bits, ends.hl:5:11
END

# A clause part that cannot hold is left out; a clause that never holds is printed.
cat > never.hl <<'HL'
pipeline p(input: image<u8, 1>) -> out {
    fun s(x) = i32(input(x));
    fun out(x) = s(x) + s(input.min(0) - 1);
}
HL
{ "$hlc" contract --all never.hl --pipeline=p | sed '/^memory/,$d'
  "$hlc" contract --all never.hl --pipeline=p out=3 input=zero:9; echo $?
  "$hlc" contract --all never.hl --pipeline=p out=0 input=zero:9; echo $?
  "$hlc" contract --all never.hl --pipeline=p --json | grep '"clause"' | grep '"asked":"' | sed 's/,"error.*//'
  "$hlc" contract --all "$source/examples/integral.hl" | grep 'lie in 32 bits, ' | grep -c -e '||' -e 'a formula of'; } > said; same "never" <<'END'
p under the empty schedule runs where
  no extent is negative, and coordinates and extents of images and windows fit in 32 bits
and where 0 < out.extent(0)
  false (it runs on no size)                        input is read there, never.hl:2:20
refused: it runs on no size: input is read there, never.hl:2:20
1
runs, with at most 4 bytes at one time
0
{"kind":"clause","condition":"false","asked":"0 < out.extent.0","words":"false (it runs on no size)","reason":"input is read there"
0
END
# Memory on the stack is printed beside the peak.  A formula that is too long to read is complete in
# JSON.
cat > tiles.hl <<'HL'
pipeline p(input: image<u8, 1>) -> out {
    fun g(x) = i32(input(x));
    fun h(x) = u8(g(x) + g(x + 1));
    fun out(x) = h(x) + h(x + 2);
}
schedule tiles for p { split(out.x, xo, xi, 8, shift-inwards); compute-at(h, out.xo); compute-at(g, out.xo); }
HL
{ "$hlc" contract --all tiles.hl --schedule=tiles | sed '1,/^memory/d'
  "$hlc" contract --all tiles.hl --schedule=tiles --json | tail -n 1
  "$hlc" contract --all "$source/tests/contract/stacks.hl" --schedule=shared | tail -n 1 | sed 's/[0-9]* terms/N terms/'
  "$hlc" contract --all "$source/tests/contract/stacks.hl" --schedule=shared --json | tail -n 1 | grep -o '"names":"min(.*t0 .*[*]t9","bytes":".*,"stack":0}$' | wc -l; } > said; same "stack" <<'END'
  out: max(out.extent(0), 8), where out.extent(0) <= 7
  g: 44, on the stack
  h: 10, on the stack
  at most at one time: out, beside 54 bytes on the stack of a thread
{"kind":"peak","names":"out","bytes":"select(out.extent.0 <= 7, max(out.extent.0, 8), 0)","stack":54}
  at most at one time: (a formula of N terms)
1
END
# Folded memory counts with the length of its ring, hoisted memory once, with room for all
# iterations.
cat > rings.hl <<'HL'
pipeline p(input: image<u8, 2>) -> out {
    fun f(x, y) = u16(input(x, y)) * 3;
    fun out(x, y) = f(x, y) + f(x, y + 2);
}
schedule ring for p { compute-at(f, out.y); store-root(f); }
schedule five for p { compute-at(f, out.y); store-root(f); fold-storage(f, y, 5); }
schedule hoisted for p { split(out.y, yo, yi, 64); parallel(out.yo); compute-at(f, out.yi); hoist-storage(f, out.yo); }
HL
for schedule in ring five hoisted; do "$hlc" contract --all rings.hl --schedule=$schedule | sed '1,/^memory/d'; done > said; same "rings" <<'END'
  f: out.extent(0)*8
  at most at one time: f
  f: out.extent(0)*10
  at most at one time: f
  f: out.extent(0)*6, in each iteration of out.s0.yo that runs
  at most at one time: min((out.extent(1) + 63)/64, threads)*f
END
# There are as many partial results as iterations of the reduction.  If constants fix another
# number, it is that one, in blocks of at most as many as lanes.  If a copy of them has another
# number, the equality of both becomes a condition.
cat > partial.hl <<'HL'
pipeline p(a: image<i32, 1>, n: i32 = 5 in 0..30, k: i32 = 8 in 1..30) -> f {
    fun sum() = { 0;  rdom(r = (0, n)) in () <- sum() + a(r); }
    fun f(x) = sum() + i32(x);
}
schedule said for p   { split(sum.s1.r, ro, ri, 8);  rfactor(sum.s1.ri, v, part);  wrap(part, w);  bound(w, v, 0, k); }
schedule more for p   { split(sum.s1.r, ro, ri, 8);  rfactor(sum.s1.ri, v, part);  wrap(part, w);  bound(w, v, -2, 24); }
schedule beyond for p { split(sum.s1.r, ro, ri, 8);  rfactor(sum.s1.ri, v, part);  wrap(part, w);  bound(w, v, 0, 300); }
schedule blocks for p { split(sum.s1.r, ro, ri, 8);  rfactor(sum.s1.ri, v, part);  wrap(part, w);  bound(w, v, 0, 300);  split(w.v, vo, vi, 7);  compute-at(part, w.vo); }
HL
for schedule in said more beyond blocks; do "$hlc" contract --all partial.hl --schedule=$schedule | grep -E '^  (part|k ==|false)'; done > said; same "partial results" <<'END'
  k == 8                                            part.v is bound, and holds what is needed, partial.hl:5:54; by bound(w, v, 0, k) at line 5
  part: 32, on the stack
  part: 96, on the stack
  part: 1200, on the stack
  false (it runs on no size)                        part.v is bound, and holds what is needed, partial.hl:8:54; by compute-at(part, w.vo) at line 8
  part: 32, on the stack
END
# People get no formula that is too long to read.
"$hlc" contract --windows "$source/examples/turn.hl" | sed -n 's/^\(  (a formula of\) [0-9]*\(.*\),.*/\1 N\2/p' > said; same "long formulas" <<'END'
  (a formula of N terms, which --json prints): input is read there
  (a formula of N terms, which --json prints): input is read there
END
# A program in the text form has a contract, too.
"$hlc" lower p.hl --schedule=bounded > p.ir
"$hlc" contract --all p.ir | sed 's/  .*//; s/, in each.*//' > said; cp said from_text
"$hlc" contract --all p.hl --schedule=bounded | sed 's/  .*//; s/, in each.*//; s/schedule bounded/the empty schedule/' | same "from text"
[ $failures -eq 0 ]
