#!/usr/bin/env bash
# Plays a service that runs programs which others send (docs/hostility.md): each job is a folder, and a command with
# the service's limits.  Whatever the job is, the command ends in time with an exit code of 0 to 3, says why, quotes no
# file from outside, leaves no file that is not a result, and leaves no process.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_signal_unsafe=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$source/tests/support/share.sh"
failures=0 jobs=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
mkdir outside job
echo "the secret of the host" > outside/secret
cp outside/secret outside/secret.hl
cp "$source/examples/demo/sunset.jpg" outside/picture.jpg
cd job || exit 1

LIMITS=(--root=. --no-ir --no-extern --memory-limit=600 --limit=outputs=8 --limit=conditions=64 --limit=table_elements=4096
        --limit=funcs=512) seconds=4
declare -A SERVICE=([run]="--run-memory-limit=64 --picture-limit=16")

# lives SESSION: has it a process?
lives() { awk '{ print $6 }' /proc/[0-9]*/stat 2> /dev/null | grep -qx "$1"; }

# job CODE DIAGNOSTIC COMMAND ARGUMENT..: exit code (or two, as 2|3), and what the command says.
job() {
  local codes=$1 diagnostic=$2 command=$3 before
  shift 3
  before=$(ls -A)
  jobs=$((jobs + 1))
  # The clock of a busy machine is no test: `limited` ends what hangs.
  setsid --wait "$hlc" "$command" "$@" "${LIMITS[@]}" --time-limit=$seconds ${SERVICE[$command]:-} > ../out 2> ../err < /dev/null &
  local group=$!
  wait $group
  local got=$?
  [[ "|$codes|" = *"|$got|"* ]] || { fail "exit code $got, not $codes: $command $*"; cat ../err; }
  [ -z "$diagnostic" ] || grep -qF "$diagnostic" ../err || { fail "no $diagnostic: $command $*"; cat ../err; }
  grep -q "the secret" ../out ../err && { fail "a file from outside is quoted: $command $*"; cat ../err; }
  local new=$(comm -13 <(sort <<< "$before") <(ls -A | sort))
  local wanted=${RESULT:-}
  [ "$got" = 0 ] || wanted=
  [ "$new" = "$wanted" ] || fail "it leaves '$new', not '$wanted': $command $*"
  [ -z "$wanted" ] || rm -f "$wanted"
  for try in 1 2 3 4 5 6 7 8 9 10; do
    lives "$group" || return
    sleep 0.2
  done
  fail "a process is left: $command $*"
}

# Jobs that take seconds each.
long_job() { left_out || job "$@"; }

# ---- an honest job ----
cat > good.hl <<'HL'
import "part.hl";
pipeline good(a: image<u8, 2>) -> out {
    fun out(x, y) = u8(twice(i32(a(x, y))) / 2);
}
HL
echo 'let twice(v) = v * 2;' > part.hl
RESULT=out.png job 0 "" run good.hl a=random:1:64x48 -o out.png
RESULT=good.o job 0 "" compile good.hl -o good.o
job 0 "" check good.hl
job 0 "" eval good.hl 'out(1, 2)' a=ramp:8x8

# ---- files ----
ln -s ../outside/secret.hl link.hl
ln -s ../outside/picture.jpg link.jpg
ln -s ../outside folder
for import in /etc/passwd ../outside/secret ../outside/secret.hl "$work/outside/secret.hl" link.hl folder/secret.hl link.jpg; do
  echo "import \"$import\"; pipeline p() -> out { fun out(x) = 1; }" > spy.hl
  job 2 "E0" lower spy.hl
  grep -q "E0843\|E0240" ../err || fail "the import of $import is $(cat ../err)"
done
mkfifo pipe.hl
echo 'import "pipe.hl"; pipeline p() -> out { fun out(x) = 1; }' > wait.hl
job 2 E0206 lower wait.hl
job 2 E0843 lower ../outside/secret.hl
job 2 E0843 run good.hl a=gray:../outside/picture.jpg
job 2 E0843 run good.hl a=gray:link.jpg
job 2 E0843 run good.hl a=/dev/zero
mkfifo pipe.png
job 3 E0801 run good.hl a=pipe.png
for path in ../outside/out.png /tmp/out.png folder/out.png nowhere/../../outside/out.png; do
  job 2 E0843 run good.hl a=zero:8x8 -o "$path"
  job 2 E0843 compile good.hl -o "$path"
done
job 2 E0843 compile good.hl -o good.o --header=../outside/good.h
[ "$(ls ../outside)" = "$(printf 'picture.jpg\nsecret\nsecret.hl')" ] || fail "something is written outside: $(ls ../outside)"
echo 'pipeline p() -> (out)' > text.ir
job 2 E0844 run text.ir
echo 'pipeline p() -> out(4) { fun out(x): i32 = extern "system"(); }' > calls.hl
job 2 E0893 run calls.hl
job 2 E0893 compile calls.hl -o calls.o
rm calls.hl
python3 - <<'PY'
import struct, zlib
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open('bomb.png', 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 30000, 30000, 8, 0, 0, 0, 0)) +
                             chunk(b'IDAT', zlib.compress(bytes(30001 * 30000), 1)) + chunk(b'IEND', b''))
PY
job 3 E0842 run good.hl a=bomb.png

# ---- time ----
seconds=1 # each of these jobs takes them all
cat > spin.hl <<'HL'
pipeline spin(n: i32 = 1000000000) -> out {
    fun out(x) = { 0; rdom(i = (0, n); j = (0, 1000)) in (x) <- out(x) * 3 + i ^ j; }
}
schedule rows for spin { parallel(out.s1.x); }
HL
long_job 3 E0849 run spin.hl out=4
long_job 3 E0849 run spin.hl out=4 --json
long_job 3 E0849 run spin.hl out=4 --schedule=rows --threads=2 -o out.npy
for machine in reference target; do
  long_job 3 E0869 run spin.hl out=4 --interpret=$machine
done
long_job 3 "limit of" run spin.hl out=4 --interpret=semantics # of time, or of memory
long_job 3 E0869 eval spin.hl 'out(0)'
long_job 3 E0869 check spin.hl n=1000000000

# ---- programs that are large ----
seconds=4
python3 - <<'PY'
def write(name, text):
    open(name, 'w').write(text)
chain = ''.join(f' fun g{i}(x, y) = g{i-1}(x, y) * g{i-1}(x + 1, y) + g{i-1}(x, y + 1) / {i};\n' for i in range(1, 500))
write('chain.hl', 'pipeline p(a: image<i32, 2>) -> out {\n fun g0(x, y) = a(x, y);\n' + chain + ' fun out(x, y) = g499(x, y);\n}\n'
      'schedule s for p { ' + ' '.join(f'vectorize(g{i}.x, 16);' for i in range(500)) + ' }\n')
write('funcs.hl', 'pipeline p() -> out {\n' + ''.join(f' fun g{i}(x) = x;\n' for i in range(600)) + ' fun out(x) = x;\n}\n')
write('table.hl', 'pipeline p() -> out { let k = [' + '1, ' * 5000 + '2]; fun out(x) = k[x]; }\n')
write('conditions.hl', 'pipeline p(n: i32) -> out { fun out(x) = n; }\nschedule s for p { specialize(out, '
      + ', '.join(f'n == {i}' for i in range(70)) + '); }\n')
write('outputs.hl', 'pipeline p() -> (' + ', '.join(f'o{i}' for i in range(9)) + ') {' + ' '.join(f'fun o{i}(x) = x;' for i in range(9)) + ' }\n')
write('deep.hl', 'pipeline p() -> out { fun out(x) = ' + '(' * 100000 + 'x' + ')' * 100000 + '; }\n')
write('doubling.hl', 'pipeline p(a: image<i32, 1>) -> out { ' + 'let l0(v) = v + v; '
      + ' '.join(f'let l{i}(v) = l{i-1}(l{i-1}(v));' for i in range(1, 40)) + ' fun out(x) = l39(a(x)); }\n')
write('random.hl', ''.join(chr(33 + (i * i * 7919 + i) % 90) + ('\n' if i % 60 == 0 else '') for i in range(1000000)))
write('memory.hl', 'pipeline p(a: image<i32, 2>) -> out {\n fun f(x, y) = a(x, y) + 1;\n fun out(x, y) = f(x, y) + f(x, y);\n}\n')
PY
RESULT=chain.o job "0|3" "" compile chain.hl --schedule=s -o chain.o
job 2 E0908 lower funcs.hl
job 2 E0915 lower table.hl
job 2 E0956 lower conditions.hl --schedule=s
job 2 E0914 lower outputs.hl
job 2 E0902 lower deep.hl
job 2 E090 lower doubling.hl
job 2 E0 lower random.hl
job 2 E0848 run memory.hl a=zero:5000x5000
job 0 "" run memory.hl a=zero:1000x1000
echo "$jobs jobs, $failures failures"
[ "$failures" -eq 0 ] && [ "$jobs" -ge $((share > 1 ? 40 : 45)) ]
