# expected.sh -- files that hold what a command must print; read by `.`, before `fail` is used.
# BLESS=1 writes them.  A file that is missing, and one that nothing prints any more, make the test fail.

declare -A expected_files=()

# expected FILE: standard input is what the file holds.
expected() {
  expected_files[$1]=1
  if [ "${BLESS:-}" = 1 ]; then
    cat > "$1"
  elif [ ! -e "$1" ]; then
    fail "there is no $1; BLESS=1 writes it"
  else
    diff -u "$1" - || fail "$1 is not what is printed"
  fi
}

# unexpected FILE..: of these, each was expected.
unexpected() {
  local file
  for file in "$@"; do
    [ -n "${expected_files[$file]:-}" ] || fail "$file is expected of nothing: no test prints it"
  done
}
