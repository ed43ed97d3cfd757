$ printf 'pipeline p(a: image<i32, 1>) -> out(8) { fun at(x) = clamp(a(x), 0, 7);  fun out(x) = a(at(x)); }' > p.hl && hlc split p.hl --at=at
p.hl:1:10: error[E0980]: pipeline `p` cannot be split so: the part `p_1` cannot be compiled: the index of a(index(at(x))) in dimension 0 cannot be bounded sensibly: at(x) is read from memory and may be any i32
    1 | pipeline p(a: image<i32, 1>) -> out(8) { fun at(x) = clamp(a(x), 0, 7);  fun out(x) = a(at(x)); }
      |          ^
      = help: cut elsewhere (--at=FUNCS); if a coordinate is read from memory, clamp it
$ printf 'pipeline p(a: image<i32, 1>) -> out(8) { fun at(x) = a(x);  fun out(x) = a(clamp(at(x), 0, 7)); }' > p.hl && hlc split p.hl --at=at
