$ printf 'pipeline p(a: image<i32, 1>) -> out(8) { fun at(x) = clamp(a(x), 0, 7);  fun out(x) = a(at(x)); }' > p.hl && hlc split p.hl --at=at
$ printf 'pipeline p(a: image<i32, 1>) -> out(8) { fun at(x) = a(x);  fun out(x) = a(clamp(at(x), 0, 7)); }' > p.hl && hlc split p.hl --at=at
