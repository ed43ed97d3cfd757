$ printf 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = a(x, y); } schedule s for p { align-bounds(out, x, 8); }' > p.hl && hlc compile p.hl --windows --schedule=s -o p.o
p.hl:1:84: error[E0873]: the window form has no align-bounds of out: what it computes beyond a window may lie beyond the whole
    1 | pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = a(x, y); } schedule s for p { align-bounds(out, x, 8); }
      |                                                                                    ^~~~~~~~~~~~
      = help: fix the interval with `bound`, or leave the directive out; or compile without --windows
$ printf 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = a(x, y); } schedule s for p { vectorize(out.x, 8); }' > p.hl && hlc compile p.hl --windows --schedule=s -o p.o
