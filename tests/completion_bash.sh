#!/usr/bin/env bash
# The completions of bash, requested as bash requests them.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
export PATH="$build:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0 asked=0
"$build/hlc" --completion=bash > completion && . ./completion || exit 1
complete -p hlc | grep -q -- '-F _hlc' || { echo "hlc has no completion"; exit 1; }
cp "$source/examples/blur.hl" photo.hl
touch photo.png other.txt

# completes LINE EXPECTED..: exactly these words, in any order.
completes() {
  COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  shift
  _hlc
  local got wanted
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort)
  wanted=$(printf '%s\n' "$@" | sort)
  asked=$((asked + 1))
  [ "$got" = "$wanted" ] || { echo "FAILED: '$COMP_LINE' gives" $got "and not" $wanted; failures=$((failures + 1)); }
}
. "$source/tests/support/tables.sh"
commands=$(table_texts "$source/driver/commands.def" COMMAND)
completes "hlc " $commands
completes "hlc ru" rules run
completes "hlc ex" expand explain
completes "hlc run --sch" --schedule=
completes "hlc lower --unt" --until=
completes "hlc eval --wh" --why
completes "hlc run --why"
completes "hlc lower photo.hl --after=s" schedule short simplify slide sums
completes "hlc lower photo.hl --after b" bounds
completes "hlc run --interpret=" reference semantics target
completes "hlc run photo.hl --schedule=" tiled fast
completes "hlc run photo.hl --schedule f" fast
completes "hlc explain photo.hl --pipeline=" blur
completes "hlc run --threads="
completes "hlc run pho" photo.hl photo.png
completes "hlc run photo.hl -o o" other.txt
completes "hlc run photo.hl input=photo.p" photo.png
# Every option of every command.
for command in $commands; do
  completes "hlc $command --" $(hlc "$command" --help | sed -nE 's/^  (--[a-z-]*=?).*/\1/p')
done
echo "$asked lines completed, $failures failures"
[ "$failures" -eq 0 ]
