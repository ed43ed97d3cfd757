#!/bin/bash
# coverage.py on a small program: shares, missing reasons, stale reasons, corrupt counts.
set -eu
source=$(realpath "$1")
command -v gcov > /dev/null || { echo "skipped: no gcov"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{lower,tests,build/CMakeFiles/hlc_lower.dir/lower}
cd "$folder"
cat > lower/sign.c <<'END'
#include <stdbool.h>
#include <stdlib.h>
#define hlc_assert(condition, text) ((condition) ? (void)0 : abort())
int sign(int value);
int sign(int value) {
    hlc_assert(value > -100,
               "values are small");
    if (value < 0)
        return -1;
    switch (value) {
    case 7:
        hlc_assert(false,
                   "7 is no truth");
        return 7;
    default:
        return value > 0;
    }
}
int other(int value);
int other(int value) {
    return value;
}
int main(int count, char **arguments) {
    return sign(count) + (arguments ? 0 : other(1)) - 1;
}
END
object=build/CMakeFiles/hlc_lower.dir/lower/sign.c
gcc -O0 --coverage -c lower/sign.c -o $object.o
gcc --coverage $object.o -o build/sign
build/sign

fail() { echo "FAILED: $1"; cat got; exit 1; }
report() { code=0; python3 "$source/tests/coverage.py" . build --lines > got || code=$?; }
has() { grep -qF -- "$1" got || fail "the report has: $1"; }
has_not() { ! grep -qF -- "$1" got || fail "the report has not: $1"; }

echo "# nothing yet" > tests/uncovered.txt
report
[ $code = 1 ] || fail "lines without a reason are a failure"
has "3 lines that did not run have no reason"
has "lower/sign.c:9: sign: return -1;"
has "lower/sign.c:20: other: int other(int value) {"
has "lower/sign.c:8: (1 of 2 branches) if (value < 0)"
has_not "lower/sign.c:6:" # assertions are left out
has_not "lower/sign.c:7:"
for line in 11 12 13 14; do has_not "lower/sign.c:$line:"; done

cat > tests/uncovered.txt <<'END'
Nothing here is below 0.
    lower/sign.c sign: return -1;

Nobody calls it.
    lower/sign.c other: int other(int value) {
    lower/sign.c other: return value;
    lower/sign.c sign: return value > 0;
    lower/sign.c sign: return 7;
END
report
has "0 lines that did not run have no reason"
has "a line that runs or is gone: lower/sign.c sign: return value > 0;"
has "a line that runs or is gone: lower/sign.c sign: return 7;"
has_not "gone: lower/sign.c other"
[ $code = 1 ] || fail "a share below the goal is a failure"

echo "    lower/sign.c sign: a line without its reason" > tests/uncovered.txt
python3 "$source/tests/coverage.py" . build > got 2>&1 && fail "a line stands under its reason"
has "uncovered.txt:1:"

# The program was killed while it wrote its counts.
echo > tests/uncovered.txt
truncate -s -60 $object.gcda
report
has "sign.c.gcda is corrupt and left out, as functions are missing"
[ $code = 1 ] || fail "corrupt counts are a failure"
rm $object.gcda && sed -i 's/value < 0/value < 1/' lower/sign.c && build/sign
gcc -O0 --coverage -c lower/sign.c -o $object.o
report
has "sign.c.gcda is corrupt and left out, as gcov cannot read it"
