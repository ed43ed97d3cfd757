#!/usr/bin/env bash
# A compiled pipeline and the run-time library in a shared object that a program loads.  Relocations
# are in data alone.  The object computes the right values, on two threads, also after it was closed
# and opened again (docs/c-api.md).  Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PKG_CONFIG_PATH=$build HLC_NUM_THREADS=2
sanitize=$(grep -q "^HLC_SANITIZE:BOOL=ON" "$build/CMakeCache.txt" && echo "-fsanitize=address,undefined")
cat > sum.hl << 'END'
pipeline sum(n: i32 in 1..1000) -> out {
    fun f(x, y) = x*3 + y*n;
    fun out(x, y) = f(x, y) + f(x + 1, y);
}
schedule fast for sum { parallel(out.y); compute-root(f); parallel(f.y); vectorize(f.x, 8, round-up); }
END
cat > host.c << 'END'
#include "hlc_runtime.h"
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    for (int again = 0; again < 2; again++) {
        void *object = dlopen("./libsum.so", RTLD_NOW | RTLD_LOCAL);
        int (*sum)(void **) = object ? (int (*)(void **))dlsym(object, "sum_argv") : NULL;
        if (!sum)
            return puts(dlerror()), 1;
        static int32_t data[401][67];
        halide_dimension_t dim[2] = {{0, 67, 1, 0}, {0, 401, 67, 0}};
        halide_buffer_t out = {.host = (uint8_t *)data, .type = {0, 32, 1}, .dimensions = 2, .dim = dim};
        int32_t n = 7;
        int error = sum((void *[]){&n, &out});
        int wrong = 0;
        for (int y = 0; y < 401; y++)
            for (int x = 0; x < 67; x++)
                wrong += data[y][x] != 6*x + 3 + 14*y, data[y][x] = 0;
        printf("error %d, wrong %d, closed %d\n", error, wrong, dlclose(object));
    }
    return 0;
}
END
"$build/hlc" compile sum.hl --schedule=fast --header=sum.h -o sum.o || exit 1
# -z text: no code may need relocation.
gcc $sanitize -shared -Wl,-z,text -Wl,-z,defs -Wl,-z,nodelete -o libsum.so sum.o $(pkg-config --libs hlc-runtime) \
  || { echo "FAILED: linking the shared object"; exit 1; }
gcc $sanitize -std=c99 -D_GNU_SOURCE $(pkg-config --cflags hlc-runtime) host.c -o host -ldl || exit 1
ASAN_OPTIONS=detect_leaks=0 ./host > told || { echo "FAILED: the program that loads it"; cat told; exit 1; }
printf 'error 0, wrong 0, closed 0\n%.0s' 1 2 | cmp - told || { cat told; exit 1; }
