#!/usr/bin/env bash
# Work of more than two seconds shows a line on a terminal, and removes it; elsewhere nothing is
# shown.
# Arguments: source folder, build folder.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat > copy.hl <<'HL'
pipeline copy(a: image<u8, 2>) -> b { fun b(x, y) = a(x, y); }
HL
printf 'P5 2 2 255\nabcd' > a.pgm
python3 - "$2/hlc" <<'PY'
import os, pty, re, subprocess, sys, threading, time

def feed(writer, seconds):
    """The picture comes through a pipe, after a while."""
    def write():
        with open(writer, 'wb') as pipe:
            time.sleep(seconds)
            pipe.write(open('a.pgm', 'rb').read())
    thread = threading.Thread(target=write)
    thread.start()
    return thread

def run(arguments, terminal, seconds):
    """Standard output, and what came on standard error."""
    master, slave = pty.openpty()
    reader, writer = os.pipe()
    thread = feed(writer, seconds) if seconds else None
    process = subprocess.Popen([sys.argv[1]] + [word.replace('PIPE', f'/dev/fd/{reader}') for word in arguments],
                               pass_fds=[reader], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=slave if terminal else subprocess.PIPE)
    os.close(slave)
    os.close(reader)
    seen = b''
    if terminal:
        while True:
            try: piece = os.read(master, 4096)
            except OSError: break
            if not piece: break
            seen += piece
    out, err = process.communicate()
    if thread: thread.join()
    os.close(master)
    assert process.returncode == 0, (arguments, out, err, seen)
    return out, seen if terminal else err

slow = ['run', 'copy.hl', 'a=PIPE', 'b=2x2']
quick, seen = run(['run', 'copy.hl', 'a=a.pgm', 'b=2x2'], True, 0)
assert seen == b'', seen
out, seen = run(slow, False, 2.6)
assert out == quick and seen == b'', (out, seen)
out, seen = run(slow, True, 2.8)
assert out == quick and re.search(rb'\rrun: [2-9] s ', seen), (out, seen)
assert seen.endswith(b' \r'), seen
assert re.search(rb'\rinputs took [2-9]\.\d s, the compilation and the run \d\.\d s, outputs 0\.\d s\r\n', seen) or b'inputs' not in seen, seen

# If the share of finished work is known, it is shown.
master, slave = pty.openpty()
process = subprocess.Popen([sys.argv[1], 'check', 'copy.hl', '--rounds=1000000'], stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
seen = b''
while not re.search(rb'\rcheck: +[0-9]+ % ', seen):
    seen += os.read(master, 4096) # the test's time limit ends this if nothing comes
process.terminate()
process.wait()
assert b' s ' not in seen, seen
print('a line is shown and taken away')
PY
