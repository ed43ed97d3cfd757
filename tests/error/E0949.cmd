$ { echo 'pipeline p() -> out {'; for i in $(seq 105); do echo "let v$i = 1;"; done; echo 'fun out(x) = x; }'; } > p.hl && hlc lower p.hl --deny=E0432 2>&1 >/dev/null | tail -1 >&2; false
hlc: note[E0949]: 5 more warnings are not shown
$ { echo 'pipeline p() -> out {'; for i in $(seq 5); do echo "let v$i = 1;"; done; echo 'fun out(x) = x; }'; } > p.hl && hlc lower p.hl
