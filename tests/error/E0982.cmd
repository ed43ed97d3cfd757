$ printf 'pipeline p(n: i32 = 9 in 1..99) -> out(8) { recurrence (i = (0, 99)) { fun f(i): i32 = select(i == 0, 1, 2*f(i - 1)); }  fun out(x) = f(x) + n; }' > p.hl && hlc split p.hl --at=f
p.hl:1:76: error[E0982]: `f` cannot be cut: it is an equation of a recurrence
    1 | pipeline p(n: i32 = 9 in 1..99) -> out(8) { recurrence (i = (0, 99)) { fun f(i): i32 = select(i == 0, 1, 2*f(i - 1)); }  fun out(x) = f(x) + n; }
      |                                                                            ^
      = help: cut at a func that it reads, or at one that reads it
$ printf 'pipeline p(n: i32 = 9 in 1..99) -> out(8) { recurrence (i = (0, 99)) { fun f(i): i32 = select(i == 0, 1, 2*f(i - 1)); }  fun out(x) = f(x) + n; }' > p.hl && hlc split p.hl --at=out
