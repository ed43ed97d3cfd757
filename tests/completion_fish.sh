#!/usr/bin/env bash
# The completions of fish, requested from fish.  Arguments: source folder, build folder.
set -u
command -v fish > /dev/null || { echo "skipped: fish is not installed"; exit 77; }
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work PATH="$build:$PATH"
failures=0
"$build/hlc" --completion=fish > hlc.fish
cp "$source/examples/blur.hl" photo.hl
completes() {
  local line=$1 got
  shift
  got=$(fish --no-config -c "source hlc.fish; complete -C '$line'" 2> err | cut -f1 | sort | tr '\n' ' ')
  [ "$got" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] && [ ! -s err ] ||
    { echo "FAILED: '$line' gives $got and not $*: $(cat err)"; failures=$((failures + 1)); }
}
completes "hlc ru" rules run
completes "hlc run --sch" --schedule
completes "hlc lower photo.hl --after=s" --after=schedule --after=short --after=simplify --after=slide --after=sums
completes "hlc run photo.hl --schedule " fast tiled
[ "$failures" -eq 0 ]
