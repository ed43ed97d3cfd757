$ echo "pipeline inner(input: image<u8, 2>) -> out(input.width - 2, input.height) { fun out(x, y) = input(x + 2, y); }" > p.hl; hlc run p.hl input=zero:1x5
p.hl:1:43: error[E0888]: the window that output `out` proposes is refused: dimension 0 has -1 coordinates
    1 | pipeline inner(input: image<u8, 2>) -> out(input.width - 2, input.height) { fun out(x, y) = input(x + 2, y); }
      |                                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
      = help: give another one, `out=SIZE`, or arguments for which it can be
$ echo "pipeline inner(input: image<u8, 2>) -> out(input.width - 2, input.height) { fun out(x, y) = input(x + 2, y); }" > p.hl; hlc run p.hl input=zero:5x5
