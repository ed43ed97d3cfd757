# Selects: their conditions, arms and limits.
select(x < y, x, y) => min(x, y)
select(x > y, x, y) => max(x, y)
select(x <= y, y, x) => max(x, y)
select(x == 0, 0, x) => x
select(x > 0, x, -x) => abs(x)
select(x >= 0, x, -x) => abs(x)
select(x < 0, -x, x) => abs(x)
select(x < 5, x, 5) => min(x, 5)
select(x < 5, 5, x) => max(x, 5)
select(x < 5, 3, x) => select(x <= 4, 3, x)
select(x == y, x, y + 1) => select(x == y, x, y + 1)
select(x < y, x + 1, y + 1) => min(x, y) + 1
select(x < y, select(x < y, 1, 2), 3) => select(x < y, 1, 3)
select(x < y, 1, select(x < y, 2, 3)) => select(x < y, 1, 3)
select(x < y, select(y <= x, 1, 2), 3) => select(x < y, 2, 3)
select(x < 3, select(x < 5, 1, 2), 3) => select(x <= 2, 1, 3)
select(x < 5, 1, select(x < 3, 2, 3)) => select(x <= 4, 1, 3)
select(x < 5, min(x, 10), 0) => select(x <= 4, x, 0)
select(x > 0, max(x, 0), 7) => select(0 < x, x, 7)
select(x < y, max(x, y), 0) => select(x < y, y, 0)
select(x < y, 1, 0) == 1 => x < y
select(x < y, 1, 0) != 0 => x < y
select(x < y, 1, 0) == 0 => y <= x
select(x < y, 1, 2) == 3 => false
select(x < y, z, z + 1) - z => select(x < y, 0, 1)
select(x < y, z, w) == z => w == z || x < y
select(x < y, z, w) <= max(z, w) => true
select(x < y, 1, 2) + select(x < y, 2, 1) => 3
select(x < y, 3, 5) <= 5 => true
select(x < y, 3, 5) > 4 => y <= x
select(x < y, x, y) <= x => true
select(!(x < y), 1, 2) => select(y <= x, 1, 2)
select(x != y, 1, 2) => select(x != y, 1, 2)
select(x >= y, 1, 2) => select(y <= x, 1, 2)
select(x < y, 1, 1) => 1
select(x < y && x < y, 1, 2) => select(x < y, 1, 2)
select(true, x, y) => x
select(1 < 2, x, y) => x
select(x < y, true, false) => x < y
select(x < y, false, true) => y <= x
select(x < y, z < w, z < w) => z < w
select(x < y, true, z < w) => x < y || z < w
select(x < y, false, z < w) => z < w && y <= x
select(x < y, z < w, true) => z < w || y <= x
select(x < y, z < w, false) => x < y && z < w
select(x < y, x < y, z < w) => x < y || z < w
select(x < y, z < w, x < y) => x < y && z < w
select(x < y, y <= x, z < w) => z < w && y <= x
select(x < y, x < y + 1, z < w) => x < y || z < w
select(b_bool, c_bool, !c_bool) => b_bool == c_bool
select(b_bool, 1, 0) == select(c_bool, 1, 0) => b_bool == c_bool
select(b_bool, !b_bool, c_bool) => !b_bool && c_bool
select(b_bool && c_bool, 1, select(b_bool, 1, 2)) => select(b_bool, 1, 2)
select(b_bool, x, x + 1) => select(b_bool, 0, 1) + x
select(b_bool, x, y) - x => select(b_bool, 0, y - x)
select(b_bool, x, y) - select(b_bool, z, y) => select(b_bool, x - z, 0)
select(b_bool, x + 1, y + 1) => select(b_bool, x, y) + 1
select(b_bool, x*2, y*2) => select(b_bool, x, y)*2
select(b_bool, select(c_bool, x, y), y) => select(b_bool && c_bool, x, y)
select(b_bool, select(c_bool, x, y), x) => select(!c_bool && b_bool, y, x)
select(b_bool, x, select(c_bool, x, y)) => select(b_bool || c_bool, x, y)
select(b_bool, x, select(c_bool, y, x)) => select(!b_bool && c_bool, y, x)
select(b_bool, x, select(!b_bool, y, z)) => select(b_bool, x, y)
select(b_bool, x, y) < select(b_bool, x + 1, y + 1) => true
select(b_bool, x, y) == select(b_bool, x, y + 1) => b_bool
max(select(b_bool, 3, 5), 4) => select(b_bool, 4, 5)
min(select(b_bool, x, y), select(b_bool, y, x)) => min(x, y)
select(b_bool, 0, 8) % 8 => 0
select(b_bool, 8, 16)/8 => select(b_bool, 1, 2)
select(b_bool, x*8, y*8)/8 => select(b_bool, x, y)
select(b_bool, x, y)*2 => select(b_bool, x, y)*2
select(x < 0, 0, x) => max(x, 0)
select(x < 0, 0, min(x, 10)) => max(min(x, 10), 0)
select(x > 10, 10, max(x, 0)) => min(max(x, 0), 10)
select(x > 10, 10, select(x < 0, 0, x)) => min(max(x, 0), 10)
select(c != 0, x + 3, x) - x => select(c != 0, 3, 0)
select(c != 0, x, y) <= max(x, y) => true
select(c != 0, x, y) >= min(x, y) => true
select(c != 0, x, x + 1) <= x + 1 => true
select(c != 0, x, x + 1) >= x => true
select(x == 0, 1, x) == 0 => false
select(x == 0, 1, x) != 0 => true
x == 0 || select(x == 0, 1, x) == x => true
select(x % 2 == 0, x, x + 1) => select(x % 2 == 0, 0, 1) + x
select(x % 2 == 0, x, x + 1) % 2 => (select(x % 2 == 0, 0, 1) + x) % 2
select(x % 2 == 0, x/2, (x + 1)/2) => select(x % 2 == 0, x/2, (x + 1)/2)
select(x < 8, x % 8, x) => select(x <= 7, x % 8, x)
select(0 <= x && x < 8, x % 8, x) => x
select(0 <= x && x < 8, x/8, 0) => 0
