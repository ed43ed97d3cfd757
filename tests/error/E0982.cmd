$ printf 'pipeline p(n: i32 = 9 in 1..99) -> out(8) { recurrence (i = (0, 99)) { fun f(i): i32 = select(i == 0, 1, 2*f(i - 1)); }  fun out(x) = f(x) + n; }' > p.hl && hlc split p.hl --at=f
$ printf 'pipeline p(n: i32 = 9 in 1..99) -> out(8) { recurrence (i = (0, 99)) { fun f(i): i32 = select(i == 0, 1, 2*f(i - 1)); }  fun out(x) = f(x) + n; }' > p.hl && hlc split p.hl --at=out
