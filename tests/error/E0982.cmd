$ printf 'pipeline p(a: image<i32, 1>) -> out(8) { fun f(x, y, z, u, v) = a(x) + y + z + u + v;  fun out(x) = f(x, 0, 1, 2, 3); }' > p.hl && hlc split p.hl --at=f
p.hl:1:46: error[E0982]: `f` cannot be cut: it has more than 4 dimensions, and an image has 4 at most
    1 | pipeline p(a: image<i32, 1>) -> out(8) { fun f(x, y, z, u, v) = a(x) + y + z + u + v;  fun out(x) = f(x, 0, 1, 2, 3); }
      |                                              ^
      = help: cut at a func that it reads, or at one that reads it
$ printf 'pipeline p(a: image<i32, 1>) -> out(8) { fun f(x, y, z, u, v) = a(x) + y + z + u + v;  fun out(x) = f(x, 0, 1, 2, 3); }' > p.hl && hlc split p.hl --at=out
