#!/usr/bin/env bash
# `hlc` is position-independent, so each process gets its own random addresses.  With LLVM's static
# libraries inside, its relocations are packed if the linker can do that: cmake/llvm.cmake.
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
readelf -hW "$hlc" | grep -q "Type: *DYN" || { echo "hlc has fixed addresses"; exit 1; }
ld --help | grep -q pack-relative-relocs && ! ldd "$hlc" | grep -q libLLVM || exit 0
readelf -SW "$hlc" | grep -q "\.relr\.dyn" || { echo "the relocations of hlc are not packed"; exit 1; }
