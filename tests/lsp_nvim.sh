#!/usr/bin/env bash
# A session with `hlc lsp` in neovim, an editor that nobody here wrote: lsp/nvim.lua. Skipped where it is missing.
# Arguments: source folder, build folder.
set -u
command -v nvim > /dev/null || { echo "skipped: neovim is not installed"; exit 77; }
nvim --headless -u NONE -c 'if has("nvim-0.7") | cquit 0 | else | cquit 1 | endif' 2> /dev/null || { echo "skipped: this neovim is older than 0.7"; exit 77; }
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/examples/edges.hl" "$work/"
HLC=$hlc WORK=$work HOME=$work XDG_DATA_HOME=$work XDG_STATE_HOME=$work XDG_CACHE_HOME=$work XDG_CONFIG_HOME=$work \
  timeout 200 nvim --headless -u NONE -i NONE -n --cmd "set rtp^=$source/editors/vim" -c 'filetype on' -c "luafile $source/tests/lsp/nvim.lua" > "$work/out" 2>&1 < /dev/null
code=$?
tail -20 "$work/out"
[ "$code" -eq 0 ] && grep -q ' checks' "$work/out"
