#!/usr/bin/env bash
# Messages to users are true: each file of tests/messages holds programs, and the output of commands
# on them.
#   //! ARGUMENTS => TEXT     `hlc ARGUMENTS` (FILE stands for the file) prints TEXT
#   //- ARGUMENTS => TEXT     and does not print TEXT
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc source=$(realpath "$1")
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
cd "$source/tests/messages" || exit 1
messages=0
for file in *.hl; do
  while IFS= read -r line; do
    arguments=${line#//? } text=${line#* => }
    arguments=${arguments%% => *}
    # shellcheck disable=SC2086 # arguments are words
    "$hlc" ${arguments//FILE/$file} > "$work/said" 2>&1 < /dev/null
    grep -qF -- "$text" "$work/said"
    found=$?
    grep -q "^hlc: error\[E080" "$work/said" && [[ $line == //-* ]] && found="the command is wrong"
    case $line$found in
      //!*0 | //-*1) messages=$((messages + 1)) ;;
      *) fail "$file: ${line%% => *}: $text"; cat "$work/said" ;;
    esac
  done < <(grep -E '^//[!-] .* => ' "$file")
done
[ "$messages" -ge 10 ] || fail "only $messages messages were looked at"
echo "$messages messages, $failures failures"
[ "$failures" -eq 0 ]
