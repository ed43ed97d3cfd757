#!/usr/bin/env bash
# A table of command lines and their exit codes.  With code 0 or 1, only the answer is printed, on
# standard output.  Otherwise standard error has a diagnostic with the given code and text.
# `check`, and `certify` without a solver, print their results first.  Arguments: source folder,
# build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$source/tests/support/share.sh"
failures=0 rows=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

cat > a.hl <<'HL'
pipeline a(input: image<u8, 2>, w: i32 = 1 in 0..8) -> out {
    let src = repeat_edge(input);
    fun f(x, y) = src(x, y) + u8(w);
    fun out(x, y) = f(x, y) + f(x + 1, y);
}
schedule good for a { compute-at(f, out.y);  vectorize(out.x, 16); }
HL
cat > bad.hl <<'HL'
pipeline bad() -> out { fun out(x) = y; }
HL
cat > wrong.hl <<'HL'
import "a.hl";
schedule wrong for a { compute-at(f, out.yy); }
HL
cat > eager.hl <<'HL'
pipeline p() -> out {
    fun lut(v) = v * 3;
    fun out(x) = lut(clamp(x, 0, 255));
}
schedule good for p { bound(lut, v, 0, 256);  eager(lut); }
HL
cat > table.hl <<'HL'
pipeline p() -> out {
    fun lut(v) = v * 3;
    fun out(x) = lut(x);
}
schedule bad for p { eager(lut); }
HL
"$hlc" lower a.hl > a.ir
"$hlc" lower a.hl --after=checks | sed 's/compute f on \[(out.min.0/compute f on [(1 + out.min.0/' > spoilt.ir
left="$source/tests/certify/left.hl --pipeline=product --schedule=a"
printf 'pipeline n(const n in 1..9) -> out { fun out(x) = n; }' > n.hl
printf 'pipeline p() -> out {\n    fun out(x) = 1;\n}\n' > tidy.hl
printf 'pipeline p() -> out { fun out(x) = 1; }\n' > untidy.hl
printf 'pipeline p(\n' > broken.hl
mkdir folder
mkfifo pipe.hl

# CODE | text on standard error | command line
while IFS='|' read -r code says line; do
  case $code in '' | \#*) continue ;; esac
  left_out && continue
  code=${code// /} says=$(sed 's/^ *//; s/ *$//' <<< "$says")
  eval "set -- $line"
  "$hlc" "$@" > out 2> err < /dev/null
  got=$?
  rows=$((rows + 1))
  [ "$got" -eq "$code" ] || fail "exit code $got, not $code: hlc $line: $(cat err)"
  if [ -n "$says" ]; then
    grep -qF -- "$says" err || fail "hlc $line does not say '$says' but: $(cat err)"
    case $line in *check* | *" certify "*--solver=*) ;; *) ! grep -qv '^error: operand [0-9]*: ' out ;; esac || fail "hlc $line: a refusal on standard output"
  else
    [ ! -s err ] || fail "hlc $line: $(cat err)"
  fi
done <<'TABLE'
0 | | --help
0 | | --version
0 | | --completion=bash
0 | | --manual=hlc-run
2 | usage: hlc COMMAND |
2 | no command rnu | rnu a.hl
2 | did you mean `run`? | rnu a.hl
2 | hlc --help lists them | frobnicate
2 | E0820 | --completion=tcsh
2 | E0820 | --manual=hlc-frobnicate

0 | | run a.hl input=zero:8x8 out=8x8
0 | | run a.hl --windows input=zero:8x8 out=8x8
0 | | run a.hl --domain=input=9x9 --domain=out=9x9 input=random:1:auto out=4x4+5+0
2 | E0822 | run a.hl --domain=out input=zero:8x8
2 | E0809 | run a.hl --domain=inptu=9x9 input=zero:8x8
2 | E0815 | run a.hl --domain=out=8x8 input=zero:8x8 out=4x4+5+0
0 | | run --schedule good a.hl input=zero:8x8 out=8x8
0 | | run a.hl input=zero:8x8 out=8x8 --schedule=good --threads 2 -o out.png
0 | | run a.ir input=zero:8x8 out=8x8
2 | E0823 | run
2 | E0810 | run a.hl
2 | E0809 | run a.hl inptu=zero:8x8
2 | did you mean `input`? | run a.hl inptu=zero:8x8
2 | E0835 | run a.hl input=randm:1:8x8
2 | did you mean `random:`? | run a.hl input=randm:1:8x8
2 | write random:SEED:SIZE | run a.hl input=fireworks:8x8
2 | E0812 | run a.hl input=zero:8
2 | 8 is not a size for input, which has 2 dimensions | run a.hl input=zero:8
2 | E0835 | run a.hl input=4x4
2 | zero:4x4 | run a.hl input=4x4
2 | zero:auto | run a.hl input=auto
2 | E0815 | run a.hl input=zero:0x4 out=4x4
2 | E0807 | run a.hl input=zero:8x8 --schedule=goood
2 | did you mean `good`? | run a.hl input=zero:8x8 --schedule=goood
2 | did you mean `a`? | run a.hl input=zero:8x8 --pipeline=aa
2 | E0821 | run a.hl --shedule=good
2 | did you mean `--schedule`? | run a.hl --shedule=good
2 | E0834 | run a.hl --schedule=good --schedule=good input=zero:8x8
2 | E0822 | run a.hl --interpret=refrence input=zero:8x8
2 | did you mean `reference`? | run a.hl --interpret=refrence input=zero:8x8
2 | E0822 | run a.hl --schedule
2 | E0201 | run bad.hl
2 | did you mean `out.s0.y`? | run wrong.hl --schedule=wrong input=zero:8x8
3 | E0801 | run nowhere.hl
3 | E0801 | run a.hl input=nowhere.png
3 | E0801 | run folder
3 | folder: Is a directory | bench a.hl input=zero:8x8 --schedule=good --threads=1 --seconds=0 --against=folder
2 | did you mean `out`? | run a.hl input=zero:8x8 -o otu=out.png
3 | E0802 | run a.hl input=zero:8x8 -o nowhere/out.png

0 | | check a.hl --rounds=2
0 | | check a.hl --rounds=2 --json
2 | E0503 | check wrong.hl
3 | E0801 | check nowhere.hl

0 | | eval a.hl 'f(1, 1)' input=zero:4x4
2 | E0823 | eval a.hl
3 | E0801 | eval nowhere.hl 'f(1)'

0 | | lower a.hl --schedule=good --until=0
0 | | lower a.hl --schedule=good --until=3
2 | E0833 | lower a.hl --schedule=good --until=99
2 | the first 99 directives cannot be applied: the schedule means 3 | lower a.hl --schedule=good --until=99
2 | E0833 | lower a.hl --until=1
2 | E0822 | lower a.hl --until=-1
2 | is not a whole number of at least 0 | compile a.hl --time-limit=soon -o a.o
2 | E0822 | run a.hl --memory-limit=-1 input=zero:8x8
0 | | compile a.hl --memory-limit=0 --time-limit=0 -o a.o
2 | E0822 | lower a.hl --until=99999999999999999999
2 | did you mean `simplify`? | lower a.hl --after=simplfy
2 | E0824 | lower a.hl a.hl
3 | E0801 | lower nowhere.hl

0 | | expand a.hl
0 | | expand n.hl n=3
0 | | lower n.hl n=3
0 | | compile n.hl n=3 -o n.o
2 | E0225 | expand n.hl n=30
2 | E0224 | expand n.hl n=many
2 | E0223 | expand n.hl m=3
2 | E0823 | expand
3 | E0801 | expand nowhere.hl

0 | | split a.hl
0 | | split a.hl --at=auto --json
0 | | split a.hl --check --rounds=1
2 | E0981 | split a.hl --at=nowhere
2 | E0822 | split a.hl --check --rounds=0
3 | E0801 | split nowhere.hl

0 | | explain a.hl
0 | | explain a.hl --schedule=good input=zero:640x480 out=640x480
0 | | explain E0401
2 | E0819 | explain E9999
2 | E0807 | explain a.hl --schedule=best
3 | E0801 | explain nowhere.hl

0 | | fmt --check tidy.hl
0 | | fmt tidy.hl
1 | | fmt --check untidy.hl
2 | E0102 | fmt broken.hl
3 | E0801 | fmt nowhere.hl
3 | E0802 | fmt pipe.hl
2 | E0822 | fmt --check=yes tidy.hl

0 | | bounds a.hl --schedule=good
3 | E0801 | bounds nowhere.hl

0 | | certify a.hl --schedule=good
0 | | certify a.ir
0 | | certify a.hl w=2 out=8x8
1 | | certify spoilt.ir
0 | | certify $left
0 | | certify $left --json
3 | E0857 | certify $left --solver=no-such-command
3 | E0857 | certify $left --certificate=a.smt2 --solver=no-such-command
3 | E0802 | certify a.hl --certificate=nowhere/a.smt2
2 | E0809 | certify a.hl v=2
2 | E0807 | certify a.hl --schedule=goood
3 | E0801 | certify nowhere.hl

# All commands say the same about a schedule.
2 | E0570 | certify table.hl --schedule=bad
2 | E0570 | bounds table.hl --schedule=bad
2 | E0570 | moves table.hl --schedule=bad
2 | E0570 | explain table.hl --schedule=bad
2 | E0570 | contract table.hl --schedule=bad
2 | E0570 | compile table.hl --schedule=bad -o a.o
2 | E0570 | run table.hl --schedule=bad out=4
2 | E0570 | lower table.hl --schedule=bad
2 | bound(f, x, 0, 256) fixes the region | check table.hl
0 | | certify eager.hl --schedule=good
0 | | bounds eager.hl --schedule=good
0 | | moves eager.hl --schedule=good
0 | | explain eager.hl --schedule=good
0 | | contract eager.hl --schedule=good
0 | | compile eager.hl --schedule=good -o a.o
0 | | run eager.hl --schedule=good out=4

0 | | run a.hl --schedule=good --certify input=zero:8x8 out=8x8
0 | | check a.hl --certify --rounds=2
0 | | bench a.hl --schedule=good --certify input=zero:8x8 out=8x8 --threads=1 --seconds=0
0 | | lower a.hl --schedule=good --certify
0 | | compile a.hl --schedule=good --certify -o a.o
0 | E0859 | compile $left --certify -o a.o
0 | E0859 | check $left --certify --rounds=2
2 | refused (not_certified) | run $left --certify input=zero:auto n=2 m=3 out=4
2 | refused (not_certified) | bench $left --certify input=zero:auto n=2 m=3 out=4 --threads=1 --seconds=0
3 | E0857 | run $left --certify --solver=no-such-command input=zero:auto n=2 m=3 out=4
3 | E0857 | compile $left --certify --solver=no-such-command -o a.o
1 | E0860 | run spoilt.ir --certify input=zero:8x8

0 | | compile a.hl -o a.o
2 | E0823 | compile a.hl
2 | did you mean `asm`? | compile a.hl --emit=asn
3 | E0802 | compile a.hl -o nowhere/a.o
3 | E0801 | compile nowhere.hl -o a.o

0 | | simplify 'x + 0'
2 | E0701 | simplify 'x +'
2 | has a type already | simplify x --var=x:u8 --var=x:i8
0 | | rules
0 | | rules mod_mod --json
2 | E0836 | rules frobnicate
2 | E0836 | simplify x --without-rule=frobnicate
0 | | prove 'x <= x'
0 | | prove 'x < x'
2 | E0822 | explain a.hl --associative=g
2 | E0822 | explain a.hl --associative=f
0 | | assoc 'i32: x + y' 'i32: x - y'
2 | E0701 | assoc 'i7: x + y'
2 | E0703 | assoc 'i32: x + w'
0 | | solve --for=x 'x*2 < y'
2 | E0823 | solve 'x*2 < y'
2 | E0822 | solve --for=3x 'x*2 < y'
2 | E0701 | solve --for=x 'x <'

0 | | bench a.hl input=zero:8x8 out=8x8 --schedule=good --threads=1 --seconds=0
2 | E0810 | bench a.hl
2 | did you mean `good`? | bench a.hl input=zero:8x8 --schedule=goood
3 | E0801 | bench nowhere.hl

0 | | profile a.hl input=zero:8x8 out=8x8 --schedule=good --threads=1 --seconds=0
0 | | profile a.hl input=zero:8x8 out=8x8 --json --threads=2 --seconds=0
2 | E0823 | profile
2 | E0810 | profile a.hl
2 | did you mean `good`? | profile a.hl input=zero:8x8 --schedule=goood
2 | E0822 | profile a.hl input=zero:8x8 --seconds=x
2 | refused | profile a.hl input=zero:8x8 w=99 --seconds=0
3 | E0801 | profile nowhere.hl
2 | E0822 | run a.hl input=zero:8x8 --interpret=reference --trace-to=t.txt
3 | E0802 | run a.hl input=zero:8x8 --trace-to=nowhere/t.txt
2 | E0802 | run a.hl input=zero:8x8 --trace-to=a.hl

0 | | contract a.hl
0 | | contract a.hl --schedule=good --against= --json
2 | E0823 | contract
2 | E0807 | contract a.hl --schedule=goood
2 | E0807 | contract a.hl --against=goood
2 | E0503 | contract wrong.hl --schedule=wrong
0 | | schedule a.hl
0 | | schedule a.hl --name=mine
2 | E0823 | schedule
2 | E0960 | schedule a.hl --name=a-b
2 | E0961 | schedule a.hl --name=good
0 | | view a.hl input=zero:8x8 out=8x8 --no-times -o page.html
0 | | view a.hl input=zero:8x8 out=8x8 --schedule=good --seconds=0 -o page.html
2 | -o page.html | view a.hl input=zero:8x8
2 | E0810 | view a.hl -o page.html
2 | E0807 | view a.hl input=zero:8x8 --schedule=goood -o page.html
3 | E0802 | view a.hl input=zero:8x8 --no-times -o nowhere/page.html
2 | E0802 | view a.hl input=zero:8x8 --no-times -o a.hl
0 | | moves a.hl
0 | | moves a.hl --all
0 | | moves a.hl input=zero:64x64 --threads=2 --json
0 | | moves a.hl --schedule=good --json
2 | E0823 | moves
2 | E0807 | moves a.hl --schedule=goood
2 | E0503 | moves wrong.hl --schedule=wrong

1 | | lsp
2 | E0824 | lsp a.hl
2 | E0822 | lsp --time-limit=soon
2 | E0821 | lsp --schedule=good

0 | | fuzz --cases=1
0 | | fuzz --cases=2 --jobs=2 --interpreters
0 | | fuzz --cases=2 --windows
2 | E0822 | fuzz --cases=none
0 | | machine --kept
0 | | machine --target=aarch64 --json
0 | | machine --target=x86-64-v4 -o v4
0 | | schedule a.hl --machine=typical
0 | | schedule a.hl --machine=v4
2 | E0963 | schedule a.hl --machine=a.hl
3 | E0801 | schedule a.hl --machine=nowhere
2 | E0824 | machine a.hl
2 | one file | machine --kept -o v4 -o v5
3 | E0802 | machine --kept -o nowhere/v4
3 | cannot write /nowhere: No such file | fuzz --cases=1 --folder=/nowhere
3 | Not a directory | fuzz --cases=1 --folder=a.hl
TABLE
# AddressSanitizer reserves more than any limit.
if (ulimit -v 2000000; "$hlc" --version > /dev/null 2>&1); then
  "$hlc" compile a.hl --memory-limit=50 -o a.o > out 2> err < /dev/null
  code=$?
  [ "$code" -eq 3 ] && grep -q 'E085' err || fail "exit code $code under a limit of memory: $(cat err)"
fi
[ "$rows" -ge $((150 / share)) ] || fail "only $rows rows"

# Every command has rows.
. "$source/tests/support/tables.sh"
for command in $(table_texts "$source/driver/commands.def" COMMAND); do
  grep -qE "^[0-4] \|[^|]*\| $command " "$source/tests/exit_codes.sh" || fail "no row for the command $command"
done
# Output that cannot be written is a failure outside hlc.
for command in --help "explain E0401" "lower a.hl" "run a.hl input=zero:8x8" "explain a.hl"; do
  "$hlc" $command > /dev/full 2> err
  [ $? -eq 3 ] || fail "hlc $command > /dev/full: not 3"
done
echo "$rows rows, $failures failures"
[ "$failures" -eq 0 ]
