$ printf 'pipeline p(a: image<u8, 2, strided>) -> out { require(a.stride(0) == 1, "dense"); fun out(x, y) = a(x, y); }' > p.hl && hlc compile p.hl --windows -o p.o
p.hl:1:55: error[E0871]: the window form has no strides in requirements: those of a are of a window, and a requirement is about the whole
    1 | pipeline p(a: image<u8, 2, strided>) -> out { require(a.stride(0) == 1, "dense"); fun out(x, y) = a(x, y); }
      |                                                       ^~~~~~~~
      = help: require minima and extents only, which are those of the whole; or compile without --windows
$ printf 'pipeline p(a: image<u8, 2, strided>) -> out { require(a.extent(0) > 1, "wide"); fun out(x, y) = a(x, y); }' > p.hl && hlc compile p.hl --windows -o p.o
