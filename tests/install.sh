#!/usr/bin/env bash
# The installed copy, below a private prefix: small projects with CMake's hlc_add_pipeline(), with a
# Makefile and pkg-config, and with the compiler as a library.  If an imported file changes, exactly
# what depends on it is made again.  Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; tail -5 log 2> /dev/null; failures=$((failures + 1)); }

DESTDIR=$work/staged cmake --install "$build" --prefix /opt/hlc > log 2>&1 || fail "install with DESTDIR"
for file in man/man1/hlc.1 man/man1/hlc-run.1 bash-completion/completions/hlc zsh/site-functions/_hlc fish/vendor_completions.d/hlc.fish hlc/blur.hl; do
  [ -s "$work/staged/opt/hlc/share/$file" ] || fail "share/$file is not installed"
done
mv staged/opt/hlc prefix || fail "DESTDIR and the prefix"
export PATH=$work/prefix/bin:$PATH PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
grep -rlF "$source" prefix/include prefix/lib/pkgconfig prefix/lib/cmake && fail "the installed copy points to the source"

mkdir project project/parts
cat > project/parts/gain.hl <<'HL'
let gain(v) = v * 2;
HL
cat > project/twice.hl <<'HL'
import "parts/gain.hl";
pipeline twice(input: image<i32, 1>) -> out { fun out(x) = gain(input(x)); }
pipeline thrice(const n = 1 in 1..9, input: image<i32, 1>) -> out { fun out(x) = input(x) * n; }
schedule fast for twice { split(out.x, xo, xi, 8); parallel(out.xo); vectorize(out.xi); }
HL
cat > project/main.c <<'C'
#include "thrice.h"
#include "twice.h"
#include <stdio.h>
int main(void) {
    int32_t from[40], to[40];
    halide_dimension_t dim = {0, 40, 1, 0};
    halide_buffer_t input = {0}, out = {0};
    for (int i = 0; i < 40; i++)
        from[i] = i;
    input.host = (uint8_t *)from, out.host = (uint8_t *)to;
    input.type.bits = out.type.bits = 32;
    input.type.lanes = out.type.lanes = 1;
    input.dimensions = out.dimensions = 1;
    input.dim = out.dim = &dim;
    if (twice(&input, &out))
        return 1;
    int first = to[39];
    if (thrice(&input, &out))
        return 1;
    printf("%d %d\n", first, to[39]);
    return 0;
}
C
cat > project/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES C)
find_package(hlc 0.2 REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/version ${hlc_VERSION})
hlc_add_pipeline(TARGET twice SOURCE twice.hl PIPELINE twice SCHEDULE fast)
hlc_add_pipeline(TARGET three SOURCE twice.hl PIPELINE thrice OPTIMIZE 1 TARGETS host CONSTANTS n=3
                 SCHEDULE auto SIZES input=zero:40 OPTIONS --debug --in-process)
add_executable(small main.c)
target_link_libraries(small PRIVATE twice three)
C
cat > project/Makefile <<'M'
CFLAGS = -std=c99 -Wall -Wextra -Werror -pedantic -I. $(shell pkg-config --cflags hlc-runtime)
small: main.o twice.o thrice.o
	$(CC) $^ $(shell pkg-config --libs hlc-runtime) -o $@
main.o: twice.o thrice.o
%.o: twice.hl
	hlc compile twice.hl n=3 --pipeline=$* --header=$*.h --depfile=$*.d -o $@
main.o: main.c
	$(CC) $(CFLAGS) -c main.c
-include twice.d thrice.d
M

says() {
  local got
  got=$("$1") || fail "$1 fails"
  [ "$got" = "$2" ] || fail "$1 says $got, not $2"
}
change() { # in a way that every file system notices
  sleep 1.1
  echo "let gain(v) = v * $1;" > project/parts/gain.hl
}

for generator in Ninja "Unix Makefiles"; do
  echo 'let gain(v) = v * 2;' > project/parts/gain.hl
  folder="made by $generator"
  cmake -S project -B "$folder" -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" > log 2>&1 || fail "cmake with $generator"
  cmake --build "$folder" > log 2>&1 || fail "build with $generator"
  says "./$folder/small" "78 117"
  cmake --build "$folder" > log 2>&1
  grep -q "Compiling the pipeline" log && fail "$generator makes pipelines again though nothing changed"
  change 5
  cmake --build "$folder" > log 2>&1 || fail "second build with $generator"
  says "./$folder/small" "195 117"
done

echo 'let gain(v) = v * 2;' > project/parts/gain.hl
make -C project small > log 2>&1 || fail "make"
says project/small "78 117"
make -C project small 2>&1 | tee log | grep -q "hlc compile" && fail "make compiles again though nothing changed"
change 7
make -C project small > log 2>&1 || fail "second make"
says project/small "273 117"

# The compiler as a library.
cat > library.c <<'C'
#include "hlc.h"
int main(int count, char **arguments) {
    hlc *h = hlc_create();
    if (count < 2 || hlc_set_constant(h, "n", "3") != HLC_YES || hlc_load(h, arguments[1]) != HLC_YES ||
        !hlc_has_constant(h, "n") || hlc_pipeline_count(h) != 2)
        return 1;
    hlc_arguments *a = hlc_arguments_create(h, "thrice");
    if (!a || hlc_arguments_set(a, "input", "constant:5:9") != HLC_YES || hlc_run(a, NULL, HLC_COMPILED) != HLC_YES)
        return 1;
    int good = ((int32_t *)hlc_arguments_output(a, 0)->data)[8] == 15;
    hlc_destroy(h);
    puts(hlc_version());
    return !good;
}
C
gcc -std=c99 -Wall -Wextra -Werror library.c $(pkg-config --cflags --libs hlc) -o library 2> log && ./library project/twice.hl > version ||
  fail "the compiler as a library"

# One version; the ABI number is a part of it.
version=$(sed -n 's/^project(hlc VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
is_version() { [ "$2" = "$version" ] || fail "$1 says version $2, not $version"; }
is_version "hlc --version" "$(hlc --version | sed -n '1s/^hlc \([^,]*\),.*/\1/p')"
is_version hlc_version "$(cat version)"
is_version "a header" "$(sed -n 's/.*, compiled by hlc \([0-9.]*\) under.*/\1/p' project/twice.h)"
is_version hlc.pc "$(pkg-config --modversion hlc)"
is_version hlc-runtime.pc "$(pkg-config --modversion hlc-runtime)"
is_version "find_package(hlc)" "$(cat "made by Ninja/version")"
abi=$(sed -n 's/^#define HLC_ABI //p' prefix/include/hlc/hlc_runtime.h)
[[ $version == 0.$abi.* ]] || fail "version $version has ABI $abi"
[ $failures -eq 0 ]
