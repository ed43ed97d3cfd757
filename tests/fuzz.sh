#!/usr/bin/env bash
# The schedule fuzzer for less than a minute, always with the same seed: the reference, the target
# interpreter after every directive, and compiled code.  Then more programs without the compiler,
# with many cases each.  Arguments: source folder, build folder.
set -u
. "$1/tests/support/share.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
for run in "216" "1500 --interpreters" "900 --interpreters --reductions" "216 --interpreters --recurrences" "600 --interpreters --families" "200 --families" "600 --interpreters --scheduled" "216 --windows" "240 --split --scans" "240 --split --reductions"; do
  most=${run%% *} options=${run#"$most"}
  # shellcheck disable=SC2086
  result=$("$2/hlc" fuzz --seed=1 --cases=$((most / share)) $options) || { echo "$result"; cat "$folder"/*.hl 2>/dev/null; exit 1; }
  echo "$result"
  # All levels, numbers of threads and sanitizers are drawn (of a share's few programs, not all levels); targets only if
  # this machine has them.
  for all in "levels: 4 of 4" "threads: 8 of 8" "sanitizers: 2 of 2"; do
    [[ -n $options || $result == *"$all"* || ($share -gt 1 && $all == levels*) ]] || { echo "not $all"; exit 1; }
  done
  [[ $options != *scheduled* || $result == *"schedules were chosen for "[1-9]* ]] || { echo "no schedule was chosen"; exit 1; }
  # A run in which nothing ran, or most was refused, checks nothing. One program of a share may refuse all of its runs.
  read -r cases _ differ _ refused _ <<< "$(tail -n 1 <<< "$result" | tr -d ',')"
  [ "$cases" -ge $((200 / share)) ] && [ "$differ" -eq 0 ] && [ $((refused * 2)) -lt "$cases" ] || exit 1
done
