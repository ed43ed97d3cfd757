# expect.sh -- what tests of commands share; read by `.`.  A test fails where `failures` is not 0 in the end.

failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# expect CODE COMMAND..: runs it; output in out, diagnostics in err.
expect() {
  local code=$1
  shift
  "$@" > out 2> err < /dev/null
  local got=$?
  [ $got -eq "$code" ] || { fail "exit code $got, not $code: $*"; cat out err; }
}
# What the output, or the diagnostics, of the last command must hold.
says() { grep -qF -- "$1" out || { fail "standard output lacks: $1"; cat out; }; }
complains() { grep -qF -- "$1" err || { fail "standard error lacks: $1"; cat err; }; }
