$ printf 'pipeline p(a: image<u8, 2, strided>) -> out { require(a.stride(0) == 1, "dense"); fun out(x, y) = a(x, y); }' > p.hl && hlc compile p.hl --windows -o p.o
$ printf 'pipeline p(a: image<u8, 2, strided>) -> out { require(a.extent(0) > 1, "wide"); fun out(x, y) = a(x, y); }' > p.hl && hlc compile p.hl --windows -o p.o
