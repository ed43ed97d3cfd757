#!/usr/bin/env bash
# The target interpreter on programs in tests/interpreter/, each made to go wrong in one way, or not to.  A line
# `//! ARGUMENTS => TEXT` runs the program with them; TEXT stands in what is said, or is `same`: the outputs are
# those of the line before.  A line `//* ARGUMENTS => TEXT` is a run of compiled code.  Notes on error values (E0838)
# count as said.  Arguments: source folder, build folder.
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
[ -x "$hlc" ] || exit 77
cd "$source/tests/interpreter" || exit 1
failures=0 runs=0
for program in *.ir; do
    before=
    inputs=$(grep -o '[a-z]*: image<[^>]*>' "$program" | sed 's/\(.*\): image.*/\1=random:1:4/')
    while IFS= read -r line; do
        machine=--interpret=target
        case $line in '//*'*) machine= ;; esac
        line=${line#//? }
        arguments=${line%% => *} wanted=${line#* => }
        # shellcheck disable=SC2086
        said=$("$hlc" run "$program" $machine $arguments $inputs 2>&1)
        code=$?
        [ "$wanted" = same ] && wanted=$before
        case $said in *"$wanted"*) ;; *) wanted= ;; esac
        # 0 where there is an output, 2 where the run was refused, 3 where memory was
        case $code$said in 0*"hash "* | 2*error* | 3*out_of_memory*) ;; *) wanted= ;; esac
        if [ -z "$wanted" ]; then
            echo "$program $arguments: exit code $code, wanted ${line#* => }"
            echo "$said"
            failures=$((failures + 1))
        fi
        before=$(grep 'hash ' <<< "$said")
        runs=$((runs + 1))
    done < <(grep '^//[!*] ' "$program")
done
[ $runs -gt 60 ] || { echo "only $runs runs were found"; exit 1; }
[ $failures -eq 0 ]
