$ echo "pipeline product(a: image<f32, 2>, b: image<f32, 2>) -> out { fun out(x, y) = a(x, y) * b(y, x); }" > p.hl; hlc run p.hl a=zero:3x4 b=zero:4x3
hlc: error[E0889]: the window of output `out` is not given, and the inputs `a` (3x4) and `b` (4x3) differ
      = help: give it, `out=3x4`, or let the pipeline propose it: `-> out(..)` with the length of each dimension
$ echo "pipeline product(a: image<f32, 2>, b: image<f32, 2>) -> out { fun out(x, y) = a(x, y) * b(y, x); }" > p.hl; hlc run p.hl a=zero:3x4 b=zero:4x3 out=3x4
