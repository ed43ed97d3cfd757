$ printf 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = a(x, y); } schedule s for p { align-bounds(out, x, 8); }' > p.hl && hlc compile p.hl --windows --schedule=s -o p.o
$ printf 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = a(x, y); } schedule s for p { vectorize(out.x, 8); }' > p.hl && hlc compile p.hl --windows --schedule=s -o p.o
