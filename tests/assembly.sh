#!/usr/bin/env bash
# Checks the instructions in the assembly of the programs in tests/assembly/*.hl, under the schedule
# `fast`.  Comments in a program say what to find:
#
#     // x86-64-v3: vpavgb          some line of the assembly for this target matches
#     // x86-64-v3: no vpmulld      no line matches
#     // x86-64-v4: 16 vfmadd       exactly this many lines match
#
# The pattern is an extended regular expression, matched where an instruction begins; after `anywhere`, within the line.
# Arguments: source folder, build folder.
set -u
folder=$1/tests/assembly hlc=$2/hlc
export ASAN_OPTIONS=detect_leaks=0
. "$1/tests/support/share.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0
for program in "$folder"/*.hl; do
  name=$(basename "$program" .hl)
  pipelines=$(sed -n 's/^pipeline \([a-z0-9_]*\).*/\1/p' "$program")
  for pipeline in $pipelines; do
    left_out && continue
    # The comments directly above a pipeline belong to it.
    awk -v name="$pipeline" '/^\/\/ / { held = held $0 "\n"; next }
      $0 ~ "^pipeline " name "\\(" { printf "%s", held } { held = "" }' "$program" > "$work/rules"
    while read -r _ target rule; do
      target=${target%:}
      case $target in x86-64* | aarch64) ;; *) continue ;; esac
      assembly=$work/$name.$pipeline.$target.s
      [ -f "$assembly" ] || "$hlc" compile "$program" --pipeline="$pipeline" --schedule=fast --target="$target" --emit=asm \
        -o "$assembly" || { failed=$((failed + 1)); break; }
      wanted=some start='^[[:space:]]+'
      case $rule in
        "no "*) wanted=0 rule=${rule#no } ;;
        [0-9]*) wanted=${rule%% *} rule=${rule#* } ;;
      esac
      case $rule in "anywhere "*) start= rule=${rule#anywhere } ;; esac
      found=$(grep -cE "$start$rule" "$assembly")
      count=$((count + 1))
      if { [ "$wanted" = some ] && [ "$found" = 0 ]; } || { [ "$wanted" != some ] && [ "$found" != "$wanted" ]; }; then
        echo "$name.hl, $pipeline on $target: $rule: $found lines, wanted $wanted"
        failed=$((failed + 1))
      fi
    done < "$work/rules"
  done
done
echo "$count rules, $failed broken"
[ "$count" -ge $((90 / share)) ] && [ "$failed" = 0 ]
