#!/usr/bin/env bash
# The completions of zsh, requested from a zsh on its own terminal.  Arguments: source folder, build
# folder.
set -u
command -v zsh > /dev/null || { echo "skipped: zsh is not installed"; exit 77; }
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PATH="$build:$PATH"
failures=0
mkdir functions
"$build/hlc" --completion=zsh > functions/_hlc
zsh -n functions/_hlc || exit 1
cp "$source/examples/blur.hl" photo.hl
cat > ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= ; unsetopt zle_bracketed_paste; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=1000; zstyle ':completion:*' list-colors ''; bindkey '^I' complete-word; print READY-\${:-1}"
zpty -r shell before '*READY-1*'
zpty -w -n shell "$1"$'\t'
sleep $2
zpty -w -n shell $'\C-a\C-k'"print END-\${:-2}"$'\n'
zpty -r shell answer '*END-2*'
print -r -- "$answer"
zpty -d shell
ZSH
completes() {
  local line=$1 answer
  shift
  for seconds in 1 3 6 20; do # a busy machine needs more time
    answer=$("$limited" - 30 zsh -f ask.zsh "$line" $seconds 2>&1)
    grep -qF -- "${!#}" <<< "$answer" && break
  done
  for word in "$@"; do
    grep -qF -- "$word" <<< "$answer" || { echo "FAILED: '$line' does not give $word: $answer"; failures=$((failures + 1)); }
  done
}
completes "hlc explai" "explain"
completes "hlc run --interpret=" reference semantics target
completes "hlc run photo.hl --schedule=" tiled fast
[ "$failures" -eq 0 ]
