#!/usr/bin/env bash
# tests/error/CODE.cmd holds a command line that is refused with CODE, the message, and a command
# line that is accepted.  BLESS=1 rewrites the messages.  The test also checks what `hlc explain`
# prints for every code.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd)
export PATH="$(cd "$2" && pwd):$PATH" ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 commands=0 codes=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
for file in "$source"/tests/error/E*.cmd; do
  code=$(basename "$file" .cmd)
  mkdir "$work/$code" && cd "$work/$code" || exit 1
  ln -s "$source/examples" examples
  wrong=$(sed -n '1s/^\$ //p' "$file") right=$(sed -n '$s/^\$ //p' "$file")
  said=$(bash -c "$wrong" 2>&1 > /dev/null < /dev/null)
  status=$?
  [ "$status" -ge 1 ] && [ "$status" -le 3 ] || fail "$code: exit code $status"
  grep -qF "[$code]" <<< "$said" || fail "$code is not what is said: $said"
  [ "${BLESS:-}" != 1 ] || printf '$ %s\n%s\n$ %s\n' "$wrong" "$said" "$right" > "$file"
  [ "$said" = "$(sed '1d;$d' "$file")" ] || fail "$file is out of date: $said"
  bash -c "$right" > out 2>&1 < /dev/null || fail "$code, mended: $(cat out)"
  commands=$((commands + 1))
done
[ "$commands" -ge 30 ] || fail "only $commands commands"

cd "$work" || exit 1
. "$source/tests/support/tables.sh"
. "$source/tests/support/share.sh"
for code in $(table_texts "$source/base/diag.def" DIAG); do
  codes=$((codes + 1))
  left_out && continue
  hlc explain "$code" > out 2>&1 || fail "explain $code: $(cat out)"
  if [ -e "$source/tests/error/$code.hl" ] || [ -e "$source/tests/error/$code.ir" ] || [ -e "$source/tests/error/$code.cmd" ]; then
    [ "$code" = E0901 ] && continue
    grep -q "^A \(program\|command\) that provokes it:" out && grep -qF "[$code]" out && grep -q "^Mended:" out ||
      fail "explain $code shows no example: $(cat out)"
    grep -q '%[1-9]' out && ! grep -q '%[1-9]' "$source/tests/error/$code."* && fail "explain $code has holes"
  fi
done
[ "$codes" -ge 250 ] || fail "only $codes codes"
echo "$commands commands, $codes codes, $failures failures"
[ "$failures" -eq 0 ]
