#!/usr/bin/env bash
# Runs the commands in README.md and in the pages that show some.  In their `sh` blocks, a line
# `$ COMMAND` is run from the source folder (`hlc` is the new build), and must print the lines after it.  Also: every command and option is documented, and every file that
# the pages point to exists.
# Arguments: source folder, build folder.
set -u
cd "$1" || exit 1
export PATH="$(cd "$2" && pwd):$PATH"
failures=0 ran=0
command="" expected=""
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

finish() {
  [ -n "$command" ] || return 0
  local got
  got=$(eval "$command" 2>&1; echo "exit $?")
  [ "$got" = "${expected}exit 0" ] || fail "$command
gives:
$got
not:
${expected}exit 0"
  ran=$((ran + 1))
  command="" expected=""
}

for page in README.md docs/commands.md docs/tutorial.md docs/scheduling.md docs/autoscheduler.md docs/from-halide.md; do
  inside=false
  while IFS= read -r line; do
    case "$line" in
      '```sh') inside=true ;;
      '```') $inside && finish; inside=false ;;
      '$ '*) $inside && { finish; command=${line#'$ '}; } ;;
      *) $inside && expected+="$line"$'\n' ;;
    esac
  done < "$page"
  folder=$(dirname "$page")
  for link in $(grep -o '](\([^)#]*\)' "$page" | sed 's/^](//'); do
    [ -e "$folder/$link" ] || fail "$page points to $link, which is not there"
  done
done
# The pipeline that README.md asks its reader to type is an example.
sed -n '/^```hl$/,/^```$/p' README.md | grep -v '^```' > "${TMPDIR:-/tmp}/readme.$$.hl"
tail -n +2 examples/edges.hl | cmp -s - "${TMPDIR:-/tmp}/readme.$$.hl" || fail "README.md's pipeline is not examples/edges.hl"
rm -f "${TMPDIR:-/tmp}/readme.$$.hl"
[ "$ran" -ge 6 ] || fail "only $ran commands were found"

. tests/support/tables.sh
for command_name in $(table_texts driver/commands.def COMMAND); do
  grep -q "^## $command_name$" docs/commands.md || fail "docs/commands.md has nothing on $command_name"
done
for option in $(table_texts driver/options.def OPTION); do
  case $option in output) option=o; grep -q -- "-o" docs/commands.md ;; *) grep -q -- "--$option" docs/commands.md ;; esac ||
    fail "docs/commands.md has nothing on --$option"
done
for folder in */; do
  case $folder in build*/) continue ;; esac
  [ -z "$(git ls-files "$folder" 2> /dev/null | head -1)" ] || grep -q "\`$folder\`" README.md ||
    fail "README.md has nothing on $folder"
done
[ $failures -eq 0 ] && echo "$ran commands do what the pages say"
exit $((failures > 0))
