#!/usr/bin/env bash
# The command hlc, as users type it: results on standard output, diagnostics on standard error, exit
# codes.  Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
hlc=$(realpath "$2")/hlc limited=$(realpath "$2")/tests/limited
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1

silent() { [ ! -s err ] || { fail "standard error is not empty"; cat err; }; }
# refuses CODE DIAGNOSTIC COMMAND..: refused with this diagnostic and nothing on standard output.
refuses() {
  local code=$1 diagnostic=$2
  shift 2
  expect "$code" "$@"
  complains "[$diagnostic]"
  [ ! -s out ] || fail "something on standard output: $*"
}

cat > blur.hl <<'HL'
pipeline blur(input: image<u8, 2>, w: i32 = 1 in 0..8) -> out {
    let src = repeat_edge(input);
    fun f(x, y) = i32(src(x, y));
    fun g(x, y) = { 0;  rdom(r = (-w, 2*w + 1)) in (x, y) <- g(x, y) + f(x + r, y); }
    fun out(x, y) = u8(g(x, y) / (2*w + 1));
}
schedule tiled for blur {
    tile(out.x, out.y, xo, yo, xi, yi, 8, 4);
    compute-at(g, out.xo);
}
schedule wide for blur { vectorize(out.x, 8); parallel(out.y); }
HL
cat > two.hl <<'HL'
pipeline one(a: image<f32, 2>) -> b { fun b(x, y) = a(x, y) * 0.5; }
pipeline two(a: image<u8, 3>, k: u8) -> (b, c) {
    fun b(x, y, i) = a(x, y, i) + k;
    fun c(x) = {x, f32(x)};
}
HL

# ---- a result goes to its path; a path that is no file stays as it is ----
mkfifo pipe
cat pipe > piped &
expect 0 "$hlc" compile blur.hl --emit=ll -o pipe; silent
wait $!
[ -p pipe ] || fail "the pipe was replaced by a file"
grep -q '^define' piped || fail "nothing came through the pipe"
mkdir there
ln -s there/behind.ll link.ll
touch there/behind.ll
expect 0 "$hlc" compile blur.hl --emit=ll -o link.ll; silent
{ [ -L link.ll ] && cmp -s there/behind.ll piped; } || fail "the symbolic link was replaced by a file"
cp blur.hl source.hl
refuses 2 E0802 "$hlc" compile source.hl -o ./source.hl
cmp -s blur.hl source.hl || fail "the source was written over"
refuses 2 E0802 "$hlc" compile blur.hl -o one.out --header=one.out
refuses 2 E0802 "$hlc" compile blur.hl -o two.out --header=one.out --depfile=one.out
[ ! -e one.out ] || fail "a file that was refused is there"
rm -r pipe piped there link.ll source.hl

# ---- code made in a process of its own is the same ----
for emit in object ll; do
  expect 0 "$hlc" compile blur.hl --schedule=wide --emit=$emit --debug -o apart.out; silent
  expect 0 "$hlc" compile blur.hl --schedule=wide --emit=$emit --debug --in-process -o here.out; silent
  cmp -s apart.out here.out || fail "--in-process makes other code ($emit)"
done
for file in "$source"/examples/{tone,equalize,unsharp}.hl; do
  expect 0 "$hlc" compile "$file" -o apart.out
  expect 0 "$hlc" compile "$file" --in-process -o here.out
  cmp -s apart.out here.out || fail "--in-process makes other code of $file"
done
# If memory runs out, a message says so, and no file is left behind.
rm -f none.o
if (ulimit -v 2000000; "$hlc" --version > /dev/null 2>&1); then # fails with AddressSanitizer
  refusals=0
  for kilobytes in 150000 170000 190000 200000 210000 220000 400000; do
    (ulimit -v $kilobytes; "$hlc" compile blur.hl -o none.o > out 2> err < /dev/null)
    code=$?
    case $code in
      0) rm none.o ;;
      3) refusals=$((refusals + 1)); complains "memory" ;;
      127) ;; # the system could not even start it
      *) fail "with $kilobytes kB: exit code $code"; cat out err ;;
    esac
    [ ! -e none.o ] || fail "with $kilobytes kB: a file is left"
  done
  [ $code -eq 0 ] || fail "400 MB are not enough"
fi
expect 0 "$hlc" run blur.hl --in-process input=ramp:4x4

# ---- help, versions, codes ----
expect 0 "$hlc" --version
. "$source/tests/support/tables.sh"
targets=$(table_texts "$source/codegen/targets.def" TARGET | paste -sd'|')
grep -Eq "^hlc [0-9]+\.[0-9]+\.[0-9]+, LLVM [0-9.]+, host ($targets)\$" out || { fail "--version"; cat out; }
expect 0 "$hlc" --help; says "simplify"; silent
expect 2 "$hlc"
expect 0 "$hlc" run --help; says "--interpret=reference|semantics|target"
expect 0 "$hlc" explain E0804; says "there is no pipeline"
refuses 2 E0819 "$hlc" explain E9999
refuses 2 E0820 "$hlc" frobnicate
refuses 2 E0821 "$hlc" run blur.hl --frobnicate
refuses 2 E0821 "$hlc" eval blur.hl --until=1
refuses 2 E0822 "$hlc" lower blur.hl --until=x
complains "option --until: x is not a whole number"
refuses 2 E0822 "$hlc" check blur.hl --rounds=0
complains "of at least 1"
refuses 2 E0822 "$hlc" lower blur.hl --until
refuses 2 E0822 "$hlc" run blur.hl --json=1
refuses 2 E0822 "$hlc" run blur.hl --interpret=nobody
refuses 2 E0823 "$hlc" run
refuses 2 E0823 "$hlc" eval blur.hl
expect 0 "$hlc" explain blur.hl; says "compute g at root"; silent
refuses 2 E0824 "$hlc" lower blur.hl more
refuses 2 E0824 "$hlc" run blur.hl nonsense

# ---- looking inside ----
expect 0 "$hlc" lower blur.hl --after=initial; says "?cpu.g.x.min"; silent
expect 0 "$hlc" lower blur.hl --schedule tiled; says "for out.s0.yo"
expect 0 "$hlc" lower blur.hl --schedule=tiled --until=0 --after schedule; says "for out.s0.y in"
refuses 2 E0822 "$hlc" lower blur.hl --after=lunch
refuses 2 E0807 "$hlc" lower blur.hl --schedule=slow
# `--schedule=` is the empty schedule, everywhere.
for command in lower explain bounds moves contract certify "run input=random:1:9x9"; do
  read -r word operand <<< "$command"
  expect 0 "$hlc" "$word" blur.hl $operand; cp out whole
  expect 0 "$hlc" "$word" blur.hl $operand --schedule=; cmp -s out whole || fail "$word --schedule="
done
expect 0 "$hlc" check blur.hl --rounds=2 --schedule=; says "blur: the empty schedule: "; [ "$(wc -l < out)" = 2 ] || fail "check --schedule="
expect 0 "$hlc" compile blur.hl --schedule= -o empty.o --header=empty.h
grep -q "under the empty schedule" empty.h || fail "compile --schedule="
"$hlc" lower blur.hl > lowered.ir && expect 0 "$hlc" lower lowered.ir --schedule=
expect 0 "$hlc" explain blur.hl --schedule=tiled
says "split(out.s0.x, xo, xi, 8)"; says "compute-at(g, out.s0.xo)"
expect 0 "$hlc" bounds blur.hl; says "read f(x + r, y) in g, update 1, blur.hl:4:72"
says "x: [out.min.0, out.extent.0 + out.min.0 - 1]"
expect 0 "$hlc" simplify 'x + 2 - x' 'max(y, y + 1)'
[ "$(cat out)" = "$(printf '2\ny + 1')" ] || fail "simplify"
printf 'a - a\nmin(b, b)\n' | "$hlc" simplify > out 2> err || fail "simplify from standard input"
[ "$(cat out)" = "$(printf '0\nb')" ] || fail "simplify, line by line"
# The printed form of a long conjunction can be read again.
seq 300 | sed 's/.*/a& < &/' | paste -sd'&' | sed 's/&/ \&\& /g' > chain
"$hlc" simplify < chain > once 2> err && "$hlc" simplify < once > twice 2>> err || fail "a long conjunction: $(cat err)"
clauses() { sed 's/ && /\n/g' "$1" | sort; }
{ [ "$(clauses once)" = "$(clauses twice)" ] && [ "$(clauses once | wc -l)" = 300 ]; } || fail "a long conjunction becomes another when it is read again"
# lines CODE ANSWERS COMMAND..: the command answers the lines of standard input with these.
lines() {
  local code=$1 answers=$2
  shift 2
  "$@" > out 2> err
  local got=$?
  [ $got -eq "$code" ] || fail "exit code $got, not $code: $*"
  [ "$(cat out)" = "$answers" ] || { fail "other answers: $*"; cat out; }
  silent
}
printf 'x + 1 + 1\nx +\n\n(y + 1)*1 - y\nmin(x, 256)\nx + z - x\n' |
  lines 2 "$(printf 'x + 2\nerror: expected an expression, but found the end\nerror: expected an expression, but found the end\n1\nerror: min is not defined on u8, index\nerror: + is not defined on u8, index')" \
    "$hlc" simplify --var=x:u8 --var y:i16
printf 'select(b, 1, 2) + x - x\n3 + 4\nx + 1\n' |
  lines 0 "$(printf 'select(b, 1, 2)\n7\nx + 1')" "$hlc" simplify --machine --var=b:bool
printf 'x/4*4 <= x\nx + 1\nx < y && y < x\nx < y\n' |
  lines 2 "$(printf 'true\nerror: this must be of type bool, but is of type index\nfalse\nunknown')" "$hlc" prove
printf 'x < x + 1\n' | lines 0 true "$hlc" prove
printf 'x < x + 1\n' | lines 0 unknown "$hlc" prove --machine
echo 'x < x + 1' | "$hlc" prove --time > out; grep -qP '^true\t[0-9]+\.[0-9]$' out || fail "prove --time"
printf 'x*2 + 3 <= y\n3 - x\nx <\nmin(x, y) > z\n' |
  lines 2 "$(printf 'x <= (y + -3)/2\nx*-1 + 3\nerror: expected an expression, but found the end\nx > z && z < y')" "$hlc" solve --for x
printf 'x + 1 == 3\n' | lines 0 'x == 2' "$hlc" solve --for=x --var=x:u8
echo 'x < x + y' | "$hlc" solve --for=x --time > out; grep -qP '^0 < y\t[0-9]+\.[0-9]$' out || fail "solve --time"
for bad in x x:u7 :u8 3x:u8; do refuses 2 E0822 "$hlc" prove "--var=$bad" 'x < 1'; done
expect 0 "$hlc" prove '(x >> 3) == x/8' 'x << 2 == x*4'; [ "$(cat out)" = "$(printf 'true\ntrue')" ] || fail "shifts of indices"
expect 0 "$hlc" simplify 'x % y % y' --rule-stats; complains "in all"
expect 0 "$hlc" simplify 'x % y % y' --trace-rules; complains ".rules:"
rule=$(sed 's/ .*//' err)
expect 0 "$hlc" simplify 'x % y % y' --without-rule="$rule"; [ "$(cat out)" = "x % y % y" ] || fail "--without-rule"
expect 0 "$hlc" simplify 'x % y % y' --rule-limit=1; says "x % y"
expect 2 "$hlc" simplify 'x +'; complains "error[E0"
expect 3 sh -c '"$0" simplify < /' "$hlc"; complains "E0801"
# A bad operand is answered with a line too, whatever is wrong with it.
expect 2 "$hlc" simplify 'x + 0' 'x +' 'y*1' '$'; complains "error[E0701]"; complains "error[E0702]"
[ "$(sed 's/\(operand [0-9]\): .*/\1/' out)" = "$(printf 'x\nerror: operand 2\ny\nerror: operand 4')" ] ||
  fail "a line for an operand"
says "error: operand 2: expected an expression, but found the end"
expect 2 "$hlc" prove 'x + 1' 'x <= x'; says "error: operand 1: this must be of type bool"; [ "$(tail -n 1 out)" = true ] || fail "prove, operands"
expect 2 "$hlc" solve --for=x 'x <' 'x - 1 <= y'; says "error: operand 1: "; [ "$(wc -l < out)" = 2 ] || fail "solve, operands"

# ---- check, as JSON ----
expect 0 "$hlc" check blur.hl --rounds=2 --json; silent
python3 - out << 'PY' || fail "check --json"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
counts, verdict = [r for r in rows if r["kind"] == "counts"], rows[-1]
assert [r["schedule"] for r in counts] == [None, "tiled", "wide"] and all(r["pipeline"] == "blur" for r in counts), rows
assert verdict == {"kind": "verdict", "points": sum(r["points"] for r in counts), "equal": True}, verdict
PY

# ---- names ----
refuses 2 E0804 "$hlc" lower two.hl --pipeline=three
refuses 2 E0805 "$hlc" lower two.hl
echo "" > empty.hl
refuses 2 E0806 "$hlc" lower empty.hl
refuses 3 E0801 "$hlc" lower absent.hl
mkdir folder.hl
refuses 3 E0801 "$hlc" lower folder.hl

# ---- texts from anywhere ----
# An import of another file quotes nothing of it.
printf 'secret words\n' > secret
echo 'import "secret"; pipeline p() -> out { fun out(x) = 1; }' > spy.hl
refuses 2 E0240 "$hlc" lower spy.hl
! grep -q words err || fail "a file that is no source is quoted"
# What controls a terminal does not reach it: C0, C1 in UTF-8, a lone byte, a turned line.
controls=$'\xc2\x9b31m \x1b[31m \x9b32m \xe2\x80\xae'
is_clean() { ! LC_ALL=C grep -q $'\xc2\x9b\|\x1b\|[^\xc2]\x9b\|\xe2\x80\xae' err || { fail "$1 controls the terminal"; cat -v err; }; }
refuses 3 E0801 "$hlc" lower "$controls.hl"; is_clean "the name of a file"
expect 3 "$hlc" lower "$controls.hl" --json; is_clean "the name of a file, in JSON"
complains '\u009b'
printf 'pipeline p() -> out { fun out(x) = q; } // %s ä\n' "$controls" > controls.hl
refuses 2 E0201 "$hlc" lower controls.hl; is_clean "a source line"
complains " ä"
printf 'pipeline p(n: i32) -> out { require(n > 0, "%s"); fun out(x) = n; }' "$controls" > controls.hl
refuses 2 E0101 "$hlc" lower controls.hl; is_clean "a message"
# A byte order mark is no part of the text.
printf '\xef\xbb\xbfpipeline p() -> out {\n    fun out(x) = q;\n}\n' > marked.hl
refuses 2 E0201 "$hlc" lower marked.hl; complains "marked.hl:2:18:"
sed -i 's/q/1/' marked.hl
expect 0 "$hlc" run marked.hl out=4
expect 1 "$hlc" fmt --check marked.hl
# A file that is too long says so, imported or not.
truncate -s 100M long.hl
refuses 2 E0905 "$hlc" lower long.hl
echo 'import "long.hl";' > imports_long.hl
refuses 2 E0905 "$hlc" lower imports_long.hl; complains "imports_long.hl:1:8:"
rm long.hl
# A chain of boundary conditions is as deep as anything may be.
python3 -c '
for n in 200, 2000:
    print("pipeline p(a: image<u8, 2>) -> out { let b0 = repeat_edge(a);", *[f"let b{i} = repeat_edge(b{i - 1});" for i in range(1, n)],
          f"fun out(x, y) = b{n - 1}(x, y); }}", file=open(f"chain{n}.hl", "w"))'
expect 0 "$hlc" lower chain200.hl
refuses 2 E0903 "$hlc" lower chain2000.hl

# ---- one point ----
expect 0 "$hlc" eval blur.hl 'g(3, 4)' input=ramp:9x9
[ "$(cat out)" = 21 ] || fail "eval prints the value alone"
expect 0 "$hlc" eval blur.hl 'g(3, 4)' input=ramp:9x9 --why
[ "$(cat out)" = "$(printf '21\n  f(2, 4) = 6\n  f(3, 4) = 7\n  f(4, 4) = 8')" ] || fail "eval --why"
expect 0 "$hlc" eval two.hl --pipeline=two 'c(3)' a=zero:1x1x1 k=0
[ "$(cat out)" = "{3, 3.0}" ] || { fail "eval of a tuple"; cat out; }
expect 2 "$hlc" eval blur.hl 'g(3)' input=ramp:9x9
expect 2 "$hlc" eval blur.hl 'g(3, 4' input=ramp:9x9
refuses 2 E0823 "$hlc" eval blur.hl input=ramp:9x9
complains "a point"
refuses 2 E0815 "$hlc" eval blur.hl 'g(3, 4)' input=ramp:9x9 w=9
complains "parameter_too_large"
cat > divide.hl <<'HL'
pipeline p() -> out { fun out(x) = 1 / (x - 3); }
HL
expect 0 "$hlc" eval divide.hl 'out(3)'; [ "$(cat out)" = 0 ] || fail "total reading"
expect 0 "$hlc" eval divide.hl 'out(3)' --formal; [ "$(cat out)" = err_arith ] || fail "formal reading"
cat > require.hl <<'HL'
pipeline p(k: i32, m: i32) -> out { require(k / m == 0, "k is less");  fun out(x) = x; }
HL
# Both interpreters see the error in a requirement's condition; check reports it, and both agree.
expect 0 "$hlc" run require.hl k=3 m=0 out=4 --interpret=reference --formal
complains "the condition of the requirement \`k is less\` is err_arith"
expect 2 "$hlc" run require.hl k=3 m=0 out=4 --interpret=target --formal
complains "the condition is err_arith, in an assertion"
expect 0 "$hlc" check require.hl k=3 m=0
says "note: in the formal reading the condition of the requirement"

# ---- running ----
expect 0 "$hlc" run blur.hl input=random:1:40x30 out=40x30; hash=$(cat out); silent
expect 0 "$hlc" run blur.hl input=random:1:40x30; [ "$(cat out)" = "$hash" ] || fail "the window is not the box of the input"
complains 'note[E0866]: the window of output `out` is not given: it is the box of input `input`'; complains "this one is out=40x30"
expect 0 "$hlc" run blur.hl input=random:1:40x30 --json; complains '{"code":"E0866","severity":"note",'
expect 0 "$hlc" bench blur.hl input=random:1:40x30 --seconds=0.01 --runs=1 --threads=1; [ "$(grep -c E0866 err)" = 1 ] || fail "bench guesses a window: $(cat err)"
expect 0 "$hlc" contract blur.hl input=random:1:40x30; complains "E0866"
cat > types.hl <<'HL'
pipeline p(a: image<u8, 1>) -> (t, n, g) { fun t(x) = a(x) > 3; fun n(x) = i32(a(x)); fun g(x) = f64(a(x)); }
HL
expect 0 "$hlc" run types.hl a=ramp:9; says "t: bool 9"; says "n: i32 9"; says "g: f64 9"
for way in --schedule=tiled --schedule=wide --interpret=reference --interpret=target; do
  expect 0 "$hlc" run blur.hl input=random:1:40x30 $way
  [ "$(cat out)" = "$hash" ] || fail "$way gives $(cat out), not $hash"
done
for threads in 1 2 7; do
  expect 0 "$hlc" run blur.hl input=random:1:40x30 --schedule=wide --threads=$threads
  [ "$(cat out)" = "$hash" ] || fail "$threads threads give $(cat out), not $hash"
done
refuses 2 E0822 "$hlc" run blur.hl input=random:1:40x30 --threads=0
refuses 2 E0822 "$hlc" check blur.hl --threads=many
cat > nan.hl <<'HL'
pipeline nan(a: image<i32, 1>) -> b { fun b(x) = reinterpret<f32>(a(x)); }
HL
expect 0 "$hlc" run nan.hl a=constant:-1:3 --interpret=reference; hash_nan=$(cat out)
expect 0 "$hlc" run nan.hl a=constant:-1:3
[ "$(cat out)" = "$hash_nan" ] || fail "all NaNs are one value"
refuses 2 E0809 "$hlc" run blur.hl output=3
refuses 2 E0810 "$hlc" run blur.hl
refuses 2 E0810 "$hlc" run two.hl --pipeline=two a=zero:2x2x3
refuses 2 E0811 "$hlc" run blur.hl input=random:1:9x9 w=1.5; complains "write a whole number from "
refuses 2 E0811 "$hlc" run two.hl --pipeline=two k=256; complains "write a whole number from 0 to 255"
refuses 2 E0811 "$hlc" run blur.hl input=random:one:9x9; complains "as SEED of random:SEED:SIZE"
refuses 2 E0811 "$hlc" run blur.hl input=constant:256:9x9; complains "write a whole number from 0 to 255 as VALUE of constant:VALUE:SIZE"
refuses 2 E0811 "$hlc" run blur.hl input=constant:7; complains "write random:SEED:SIZE, edges:SEED:SIZE"
refuses 2 E0811 "$hlc" run blur.hl input.min=1
refuses 2 E0812 "$hlc" run blur.hl input=random:1:9
refuses 2 E0812 "$hlc" run two.hl --pipeline=two a=zero:2x2 k=1
complains "2x2 is not a size for a, which has 3 dimensions"; complains "640x480x3+-1+0+0"
refuses 2 E0812 "$hlc" run blur.hl input=random:1:9x9+1
refuses 2 E0812 "$hlc" run blur.hl input=zero:9x9 out=3
refuses 2 E0813 "$hlc" run divide.hl
complains "with 1 extent"
refuses 3 E0815 "$hlc" run blur.hl input=zero:9x9 out=2147483647x2147483647
refuses 3 E0815 "$hlc" run blur.hl input=zero:2147483647x2147483647
refuses 2 E0815 "$hlc" run blur.hl input=zero:9x9 out=5x5+2147483647+0
complains "coordinate_range"
refuses 2 E0815 "$hlc" eval blur.hl 'g(2147483648, 0)' input=zero:9x9
refuses 2 E0815 "$hlc" run blur.hl input=zero:0x9 out=3x3
complains "empty_image"
expect 0 "$hlc" run blur.hl input=zero:9x9 out=0x9
cat > shift.hl <<'HL'
pipeline shift(a: image<u8, 2>) -> b { fun b(x, y) = a(x + 1, y); }
HL
refuses 2 E0815 "$hlc" run shift.hl a=ramp:9x9
complains "access_out_of_bounds"; complains "repeat_edge"
expect 0 "$hlc" run shift.hl a=ramp:9x9 b=8x9
expect 0 "$hlc" run shift.hl a=ramp:9x9 b=8x9+0+0; again=$(cat out)
expect 0 "$hlc" run shift.hl a=ramp:9x9+1+0 b.min=0,0
expect 0 "$hlc" run shift.hl a=ramp:9x9 a.min=1,0 b.min=0,0
expect 0 "$hlc" run shift.hl a=ramp:9x9 a.min=-4,7 b=8x9+-4+7
[ "$(cat out)" = "$again" ] || fail "a moved image"

# ---- images ----
expect 0 "$hlc" run blur.hl input=random:7:40x30 w=0 out=40x30 -o grey.png; silent
expect 0 "$hlc" run blur.hl input=grey.png w=0 -o copy.png
cmp -s grey.png copy.png || fail "reading and writing an image changes it"
expect 0 "$hlc" run two.hl --pipeline=two a=random:3:17x9x3 k=1 c=4 -o b=color.png
expect 0 "$hlc" run two.hl --pipeline=two a=color.png k=0 c=4 --output b=same.png
cmp -s color.png same.png || fail "reading and writing a colour image changes it"
refuses 2 E0829 "$hlc" run blur.hl input=color.png
complains "declare image<u8, 3>"
expect 0 "$hlc" run two.hl --pipeline=one a=grey.png -o half.png
cat > wide.hl <<'HL'
pipeline wide(a: image<u16, 2>) -> b { fun b(x, y) = a(x, y) + 256; }
HL
expect 0 "$hlc" run wide.hl a=half.png -o wide.png
expect 0 "$hlc" run wide.hl a=wide.png -o wide.png # onto its own input
cat > tuple.hl <<'HL'
pipeline tuple() -> out { fun out(x, y) = {u8(x), u8(y)}; }
HL
cat > many.hl <<'HL'
pipeline many(a: image<i32, 2>) -> b { fun b(x, y) = a(x, y); }
HL
refuses 2 E0829 "$hlc" run many.hl a=grey.png
refuses 2 E0826 "$hlc" run many.hl a=zero:3x3 -o many.png
refuses 2 E0826 "$hlc" run blur.hl input=zero:9x9 out=0x9 -o many.png
refuses 2 E0831 "$hlc" run two.hl --pipeline=two a=zero:3x3x3 k=1 c=4 -o many.png
refuses 2 E0827 "$hlc" run blur.hl input=zero:9x9 -o outt=many.png
complains "there is no output outt"
refuses 2 E0828 "$hlc" run blur.hl input=zero:9x9 -o many.gif
refuses 3 E0802 "$hlc" run blur.hl input=zero:9x9 -o nowhere/many.png
refuses 3 E0801 "$hlc" run blur.hl input=nowhere.png
head -c 100 grey.png > cut.png
refuses 3 E0825 "$hlc" run blur.hl input=cut.png
refuses 3 E0840 "$hlc" run blur.hl input=blur.hl
refuses 2 E0832 "$hlc" run tuple.hl -o out.0=many.png -o out.1=many.png out=3x3
(export GCOV_PREFIX="$PWD/counts"; ulimit -f 1; refuses 3 E0802 "$hlc" run blur.hl input=random:1:300x300 -o many.png; exit $failures) || fail "a file too large"
[ ! -e many.png ] && [ ! -e many.gif ] || fail "a refused run left a file"
ls | grep -q 'png\.' && fail "a temporary file is left"

# ---- the text form, run ----
expect 0 "$hlc" lower blur.hl --schedule=tiled --after=simplify; cp out blur.ir
expect 0 "$hlc" run blur.ir input=random:1:40x30
[ "$(cat out)" = "$hash" ] || fail "the printed program, read back and run"
expect 0 "$hlc" run blur.ir input=random:1:40x30 --interpret=target
[ "$(cat out)" = "$hash" ] || fail "the printed program, interpreted"
for pass in bounds checks simplify eager partition; do
  expect 0 "$hlc" lower blur.hl --schedule=tiled --after=$pass; cp out pass.ir
  expect 0 "$hlc" run pass.ir input=random:1:40x30 --interpret=target
  [ "$(cat out)" = "$hash" ] || fail "the program after $pass, read back and interpreted"
done
expect 0 "$hlc" explain blur.hl --schedule=tiled; directives=$(grep -c ';$' out)
[ "$directives" -ge 4 ] || fail "tiled means $directives primitives"
for until in $(seq 0 "$directives"); do
  expect 0 "$hlc" lower blur.hl --schedule=tiled --until="$until"; cp out until.ir
  expect 0 "$hlc" run until.ir input=random:1:40x30
  [ "$(cat out)" = "$hash" ] || fail "the program after $until directives"
done
refuses 2 E0817 "$hlc" run blur.ir input=random:1:40x30 --interpret=reference
# Programs with planted faults: indices, a let, a guard, memory.
for change in 's/out\[out.s0.x, /out[out.s0.x*1000000000, /' 's/g\[out.s0.x, /g[out.s0.x + 1000000000, /' \
  's/= out.min.0 + .* in$/= 1000000000 in/' 's/if out.s0.y < .* then guard/if true then guard/' \
  's/allocate f: i32 \[(/&1000 + /'; do
  sed "$change" blur.ir > wrong.ir
  cmp -s blur.ir wrong.ir && fail "nothing to change by $change"
  refuses 2 E0830 "$hlc" run wrong.ir input=random:1:40x30
done
expect 0 "$hlc" lower blur.hl --after=initial; cp out holes.ir
refuses 2 E0818 "$hlc" run holes.ir input=random:1:40x30
complains "still has holes"
# A text may contain anything: its faults are found, never executed.
sed 's/input\[[^]]*\]/input[1000000000, 0]/' blur.ir > far.ir
refuses 2 E0830 "$hlc" run far.ir input=random:1:40x30
complains "goes wrong: input is read at 1000000000 in dimension 0"
refuses 2 E0830 "$hlc" run far.ir input=random:1:40x30 --interpret=target
refuses 2 E0815 "$hlc" run blur.ir input=random:1:40x30 w=9
refuses 2 E0817 "$hlc" run blur.ir input=random:1:40x30 --schedule=wide
refuses 2 E0817 "$hlc" lower blur.ir --schedule=wide
refuses 2 E0817 "$hlc" lower blur.ir --after=checks
refuses 2 E0817 "$hlc" lower blur.ir --until=1
refuses 2 E0804 "$hlc" run blur.ir input=random:1:40x30 --pipeline=two
refuses 2 E0804 "$hlc" lower blur.ir --pipeline=two
expect 0 "$hlc" lower blur.ir --pipeline=blur; cmp -s out blur.ir || fail "a program that is read, printed"

# ---- check ----
expect 0 "$hlc" check blur.hl --rounds=6
says "the empty schedule"; says "tiled"; says "wide"
tail -1 out | grep -q '^[1-9][0-9]* points compared, all equal$' || fail "the last line of check"
expect 0 "$hlc" check blur.hl --schedule=wide w=2 input=random:1:20x20 --rounds=3
expect 0 "$hlc" check shift.hl --rounds=5 --seed=3
expect 2 "$hlc" check shift.hl a=zero:9x9 b=9x9
says "refused, by the reference too, for example: buffer a is read in [1, 9]"
[ "$(tail -1 out)" = "0 points compared" ] || fail "nothing was compared, and check says that all is equal"
cat > three.hl <<'HL'
pipeline c(a: image<u8, 3, interleaved>) -> out: interleaved {
    require(a.channels == 3, "RGB");
    let src = repeat_edge(a);
    fun out(x, y, c) = src(x, y, c) + 1;
}
schedule s for c { bound(out, c, 0, 3); }
schedule never for c { bound(out, c, 7, 0); }
HL
# If schedules contradict each other, they take turns: each run compares something.
expect 0 "$hlc" check three.hl --schedule=s --rounds=10 --seed=20
[ "$(sed -n 's/.* \([0-9]*\) refused$/\1/p' out)" -lt 10 ] || fail "bound: nearly every window is refused"
expect 2 "$hlc" check three.hl --rounds=10 --seed=20
complains 'error[E0865]: pipeline `c` under schedule `never`: only 0 of 20 runs compared a point'
says "points compared, none different, but not under every schedule"
expect 2 "$hlc" check three.hl --rounds=10 --seed=20 --json
says '"schedule":"never","runs":20,"compared":0,'; says '"equal":false}'; complains '{"code":"E0865","severity":"error",'
# If the reference refuses for another reason, both reasons are printed; if nothing was drawn, that
# is printed.
cat > far.hl <<'HL'
pipeline p(a: image<i32, 1>) -> out { fun f(x) = a(x); fun out(x) = f(x) + f(100000000 - x); }
schedule s for p { bound(f, x, 0, 4); }
HL
expect 2 "$hlc" check far.hl --schedule=s a=ramp:8 out=5
says "refused, by the reference too, for example: f.x is bound to [0, 3], but [0, 100000000] is needed (the reference: buffer a is read in [100000000, 100000000]"
expect 2 "$hlc" check far.hl --rounds=2
complains "only 0 of 2 runs compared a point"; complains "no arguments were found that are small enough"
# The length of a stretch may be known only at run time.
cat > stretch.hl <<'HL'
pipeline p(a: image<i32, 1>, k: i32) -> out {
    fun total() = { 0;  rdom(r = (0, 30)) in () <- total() + a(r); }
    fun out(i) = total();
}
schedule s for p { parallel(total.s1.r, k); }
HL
expect 0 "$hlc" check stretch.hl --schedule=s a=random:5:30 out=2 k=7 --rounds=2
for k in 0 -3; do
  expect 2 "$hlc" check stretch.hl --schedule=s a=random:5:30 out=2 k=$k --rounds=2
  says "refused, but not by the reference, for example: the factor of r is $k; it must lie in 1..2147483647"
done
# Sums of floats in another order are compared with that order, and that order with the algorithm's.
cat > sums.hl <<'HL'
pipeline p(a: image<f32, 1>) -> out with reassociation {
    fun total() = { 0.0;  rdom(r = (0, 300)) in () <- total() + a(r); }
    fun product() = { 1.0;  rdom(r = (0, 300)) in () <- product() * (a(r) * 0.01 + 1.0); }
    fun out(i) = total() + product();
}
schedule s for p { parallel(total.s1.r, 16); vectorize(total.s1.r_i, 4); parallel(product.s1.r, 16); }
HL
expect 0 "$hlc" check sums.hl --schedule=s a=random:5:300 out=2 --rounds=2
says "floats are added in another order: equal, bit for bit, to the reference of the algorithm with its rfactors"
grep -q 'total: 2 elements compared with the order of the algorithm; the closest to its bound differs by [1-9].*, and 0\.00[0-9]* is allowed$' out || fail "the bound of a sum: $(cat out)"
says "product: not compared with the order of the algorithm: it is no sum"
expect 0 "$hlc" check sums.hl --schedule=s a=random:5:300 out=2 --rounds=2 --json
says '{"kind":"order","pipeline":"p","schedule":"s","by_reference":true}'
says '{"kind":"reassociated","pipeline":"p","schedule":"s","func":"total","elements":2,"difference":'
for seed in $(seq 20 29); do
  "$hlc" check three.hl --schedule=s --rounds=2 --seed=$seed > out
  case $?$(sed -n 's/^c: s: .* \([0-9]*\) points.*/ \1/p' out) in
    '0 0' | '2 '[1-9]*) fail "check, seed $seed: $(cat out)" ;;
  esac
done
cat > refused.hl <<'HL'
pipeline p(a: image<u8, 1>) -> b { fun b(x) = a(x); }
schedule s for p { vectorize(b.x); }
HL
expect 2 "$hlc" check refused.hl --rounds=3; complains "refused.hl:2:"
expect 0 "$hlc" check divide.hl --rounds=20; says "err_arith"

# ---- an import that would make the compiler wait ----
mkfifo pipe.hl
printf 'import "pipe.hl";\n' > waits.hl
expect 2 "$limited" - 10 "$hlc" lower waits.hl; complains "waits.hl:1:"

# ---- JSON ----
expect 2 "$hlc" lower blur.hl --schedule=slow --json
complains '"code":"E0807","severity":"error"'
python3 -c 'import json; [json.loads(line) for line in open("err")]' 2> /dev/null || fail "JSON lines"

[ $failures -eq 0 ] && echo "all commands behave"
exit $((failures > 0))
