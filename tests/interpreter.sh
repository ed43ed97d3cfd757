#!/usr/bin/env bash
# The target interpreter on programs in tests/interpreter/.  Each has one fault, or none.  A line
# `//! ARGUMENTS => TEXT` runs the program with the arguments.  TEXT stands in the message, or is
# `same`: then the outputs equal those of the line before.  Notes on error values (E0838) count as
# messages.  A line `//* ARGUMENTS => TEXT` is a run of compiled code.  Arguments: source folder, build folder.
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
        # 0 with an output, 2 if the run was refused, 3 if memory was
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
