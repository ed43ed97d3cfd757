#!/usr/bin/env bash
# Warnings: those that are meant appear, and no others.
#   tests/warnings/*.hl     `//! SCHEDULE => CODE LINE:COLUMN ..` lists all warnings of the file under the schedule,
#                           in their order; without a schedule those of the algorithms
# examples/, bench/ and the packages' pipelines have none, under all schedules, but those that a comment allows.
# Then: --deny, --allow, comments, JSON.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
. "$source/tests/support/share.sh"
cd "$source" || exit 1
programs=0 quiet=0

# Prints `CODE LINE:COLUMN ..` of a file under a schedule; empty: of the algorithms alone.  A file that is refused: no.
warnings() {
  local command=(expand "$1")
  [ -z "$2" ] || command=(lower "$1" --schedule="$2" ${3:+--pipeline="$3"} --after=simplify)
  "$hlc" "${command[@]}" --json 2> "$work/said" > "$work/out" < /dev/null || { cat "$work/said"; return 1; }
  sed -nE 's/.*"code":"(E[0-9]*)","severity":"warning".*"line":([0-9]*),"column":([0-9]*).*/\1 \2:\3/p' "$work/said" | tr '\n' ' '
}

for file in tests/warnings/*.hl; do
  while IFS= read -r line; do
    schedule=${line#//! } schedule=${schedule%%=>*} wanted=${line#*=>} wanted=${wanted# }
    got=$(warnings "$file" "${schedule% }")
    [ "${got% }" = "$wanted" ] || fail "$file, schedule '$schedule': $got, not $wanted"
    programs=$((programs + 1))
  done < <(grep '^//! ' "$file")
done
[ "$programs" -ge 18 ] || fail "only $programs programs"

# No warnings but those that are meant.
schedules() {
  grep -hoE '^ *schedule +[A-Za-z_0-9]+( *\([^)]*\))? +for +[A-Za-z_0-9]+' "$1" |
    sed -E 's/ *schedule +([A-Za-z_0-9]+) *(\([^)]*\))? +for +(.*)/\1 \3/' | sort -u
}
for file in $(find examples bench tests/packages -name '*.hl' | sort); do
  left_out && continue
  warnings "$file" "" > "$work/warned" || continue # it needs the values of constants
  { echo; schedules "$file"; } > "$work/schedules"
  while read -r schedule pipeline; do
    [ -z "$schedule" ] || warnings "$file" "$schedule" "$pipeline" > "$work/warned" || continue # likewise
    for code in $(grep -o 'E04[34][0-9]' "$work/warned"); do
      fail "$file, schedule '$schedule': $code"
    done
    quiet=$((quiet + 1))
  done < "$work/schedules"
done
[ "$quiet" -ge $((150 / share / 2)) ] || fail "only $quiet programs are quiet"

# --deny and --allow, in any command that reads programs.
cat > "$work/p.hl" << 'END'
pipeline p(a: image<u8, 2>, k: i32 = 1) -> out { fun out(x, y) = (a(x, y) + a(x + 1, y)) / 2; }
END
exits() { # CODE COMMAND..
  local wanted=$1
  shift
  "$hlc" "$@" > "$work/out" 2> "$work/said" < /dev/null
  local got=$?
  [ "$got" -eq "$wanted" ] || fail "$*: exit code $got, not $wanted: $(cat "$work/said")"
}
says() { grep -qF -- "$1" "$work/said" || fail "no $1 in: $(cat "$work/said")"; }
silent() { grep -qF -- "$1" "$work/said" && fail "$1 in: $(cat "$work/said")"; }
for command in run check eval lower expand explain moves bounds certify contract compile; do
  arguments=("$command" "$work/p.hl")
  [ "$command" != eval ] || arguments+=('out(0, 0)' a=zero:9x9)
  [ "$command" != run ] || arguments+=(a=zero:9x9 out=8x8)
  [ "$command" != compile ] || arguments+=(-o "$work/p.o")
  [ "$command" != check ] || arguments+=(--rounds=1)
  exits 0 "${arguments[@]}"
  says 'warning[E0430]'
  says 'warning[E0433]'
  exits 0 "${arguments[@]}" --allow=E0433
  silent E0433
  says 'warning[E0430]'
  exits 2 "${arguments[@]}" --deny=E0430
  says 'error[E0430]'
  says 'warning[E0433]'
  exits 0 "${arguments[@]}" --deny=all --allow=E0430 --allow=E0433
  silent E0430
done
exits 2 lower "$work/p.hl" --deny=all
says 'error[E0433]'
exits 0 lower "$work/p.hl" --allow=all
[ ! -s "$work/said" ] || fail "--allow=all says $(cat "$work/said")"
exits 2 lower "$work/p.hl" --deny=E9999
says 'error[E0819]'
exits 2 lower "$work/p.hl" --allow=E0401
says 'error[E0930]'
exits 0 lower "$work/p.hl" --json
says '"code":"E0430","severity":"warning"'
printf '// allow E0433, E0430: for a test\n%s\n' "$(cat "$work/p.hl")" > "$work/q.hl"
exits 0 lower "$work/q.hl"
[ ! -s "$work/said" ] || fail "an allowed program: $(cat "$work/said")"
printf '// allow E0433\n\n%s\n' "$(cat "$work/p.hl")" > "$work/q.hl"
exits 0 lower "$work/q.hl"
says 'warning[E0433]'

# A floats' output as a picture: white where most samples are beyond 1, else clamped here and there.
printf 'pipeline p(a: image<u8, 2>, s: f32) -> out { fun out(x, y) = f32(a(x, y)) * s; }' > "$work/f.hl"
exits 0 run "$work/f.hl" a=ramp:16x16 out=16x16 s=1 -o "$work/out.png"
says 'warning[E0434]'
exits 0 run "$work/f.hl" a=ramp:16x16 out=16x16 s=0.05 -o "$work/out.png"
silent E0434
says 'note[E0867]'
exits 0 run "$work/f.hl" a=ramp:16x16 out=16x16 s=0.001 -o "$work/out.png"
[ ! -s "$work/said" ] || fail "a dark picture: $(cat "$work/said")"
exits 0 run "$work/f.hl" a=ramp:16x16 out=16x16 s=1 -o "$work/out.pfm"
silent E0434
echo "$programs programs, $quiet quiet, $failures failures"
[ "$failures" -eq 0 ]
