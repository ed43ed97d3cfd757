#!/usr/bin/env bash
# Vim finds the file type, colours words as the lines `vim: WORD GROUP` in tests/editors/scopes.hl
# demand, and gives tests/editors/indent.hl its indentation back.
# Arguments: source folder, build folder.
set -u
command -v vim > /dev/null || { echo "skipped: vim is not installed"; exit 77; }
vim --version | grep -q '+syntax' || { echo "skipped: this vim has no syntax"; exit 77; }
limited=$(realpath "$2")/tests/limited
cd "$1" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 asked=0
{
  echo "set nocompatible"
  echo "set rtp^=$PWD/editors/vim"
  echo "filetype on | syntax on"
  echo "edit $PWD/tests/editors/scopes.hl"
  echo "redir! > $work/answers"
  echo "echo 'filetype' &filetype"
  sed -nE 's|^// (vim: [^ ]+ [A-Za-z]+)$|\1|p' tests/editors/scopes.hl | while read -r _ word _; do
    echo "call cursor(1, 1) | call search('^import', 'c') | call search('\\V\\C' . '$word', 'c') | echo '$word' synIDattr(synID(line('.'), col('.'), 1), 'name')"
  done
  echo "redir END"
  echo "qall!"
} > "$work/ask.vim"
HOME=$work "$limited" - 60 vim -u NONE -i NONE -n -es -S "$work/ask.vim" < /dev/null > "$work/out" 2>&1
grep -q "^filetype hl$" "$work/answers" || { echo "FAILED: the file type: $(cat "$work/out")"; exit 1; }
while read -r _ word group; do
  asked=$((asked + 1))
  grep -qxF -- "$word $group" "$work/answers" ||
    { echo "FAILED: $word is not $group but: $(grep -F -- "$word " "$work/answers")"; failures=$((failures + 1)); }
done < <(sed -nE 's|^// (vim: [^ ]+ [A-Za-z]+)$|\1|p' tests/editors/scopes.hl)
sed 's/^ *//' tests/editors/indent.hl > "$work/indent.hl"
HOME=$work "$limited" - 60 vim -u NONE -i NONE -n -es -c "set nocompatible rtp^=$PWD/editors/vim" -c "filetype indent on" \
  -c "edit $work/indent.hl" -c "normal! gg=G" -c wq < /dev/null > "$work/out" 2>&1
diff tests/editors/indent.hl "$work/indent.hl" || { echo "FAILED: the indentation"; failures=$((failures + 1)); }
echo "$asked words, $failures failures"
[ "$asked" -ge 12 ] && [ "$failures" -eq 0 ]
