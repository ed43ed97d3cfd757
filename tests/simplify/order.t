# Comparisons of sums, min and max.
clamp(x, 0, 10) <= 10 => true
clamp(x, 0, 10) >= 0 => true
clamp(x, 0, 10) < 11 => true
clamp(x, 0, 10) == 11 => false
clamp(x, 0, 10) > 10 => false
min(x, y) <= x => true
min(x, y) <= max(x, y) => true
min(x, y) > y => false
max(x, y) >= x => true
max(x, y) < y => false
min(x, y) < x => y < x
min(x, y) >= x => x <= y
min(x, y) == x => x <= y
max(x, y) == y => x <= y
max(x, y) <= x => y <= x
max(x, y) > x => x < y
max(x, y) != x => x < y
min(x, y) != y => x < y
min(x, y) < x + 1 => true
min(x, y) <= x - 1 => y < x
min(x, y + 3) <= y + 5 => true
min(x, y) + 3 <= x => y <= x + -3
min(x, y) <= min(x, y + 1) => true
min(x, y) <= min(x + 1, y) => true
min(x, y) < min(x + 1, y + 1) => true
min(x, y) < min(x, y + 1) => y < x
max(x, y) <= max(x + 1, y + 2) => true
max(x, y) - min(x, y) >= 0 => true
x*2 == 3 => false
x*2 + 1 == y*2 => false
x*4 + y*2 == 1 => false
x*6 == y*4 => x*3 == y*2
x*6 == 9 => false
x*6 == 12 => x == 2
x*6 <= 13 => x <= 2
x*6 < 13 => x <= 2
x*6 >= 13 => 3 <= x
x*6 + 5 <= y*6 => x < y
x*6 + 5 < y*6 => x < y
x*6 + 5 <= y*6 + 3 => x < y
x*6 <= y*6 + 5 => x <= y
x*6 != 13 => true
(x < y) == (x < y) => true
(x < y) == (y <= x) => false
(x < y) != (y <= x) => true
(x < y) == (x < y + 1) => x < y == x <= y
x < x + 1 => true
x <= x => true
x < x => false
x == x + 1 => false
x != x + 1 => true
x + 3 < x + 5 => true
x + 5 < x + 3 => false
x + y < x + z => y < z
x + y < y => x < 0
x - y < z - y => x < z
x - y < x - z => z < y
x + 3 < y + 5 => x <= y + 1
x + 3 <= y + 3 => x <= y
x + 3 == y + 5 => y + 2 == x
3 - x < 5 => -1 <= x
3 - x < 5 - y => y <= x + 1
-x < -y => y < x
-x < 3 => -2 <= x
x*2 < y*2 => x < y
x*3 < y*6 => x < y*2
x*-2 < y*-2 => y < x
x*2 < y*2 + 1 => x <= y
x*2 <= y*2 + 1 => x <= y
x*2 == y*2 + 1 => false
x*y < x*z => x*y < x*z
x + x < x => x < 0
x + y == y + x => true
x*2 + y < x + y => x < 0
x*2 - x < 0 => x < 0
(x + y)*2 < x*2 + y*2 + 1 => true
x < max(y, z) => x < max(y, z)
x <= min(y, z) => x <= min(y, z)
min(x, y) <= z => min(x, y) <= z
max(x, y) <= z => max(x, y) <= z
max(x, y) <= max(x, z) => y <= max(x, z)
min(x, y) <= min(y, z) => min(x, y) <= z
y + 2 - max(y - 2, 0) <= 4 => true
max(y + 1, 0) - max(y, 0) <= 1 => true
max(y + 1, 0) - max(y, 0) >= 0 => true
min(x, y) - min(x, y + 1) <= 0 => true
min(x, y) - min(x, y + 1) >= -1 => true
max(x + 3, y) - max(x, y) <= 3 => true
max(x + 3, y) - max(x, y) >= 0 => true
min(x + 3, y + 5) - min(x, y) >= 3 => true
min(x + 3, y + 5) - min(x, y) <= 5 => true
clamp(x + 1, 0, 10) - clamp(x, 0, 10) <= 1 => true
min(max(x, a), b) <= b => true
max(min(x, b), a) >= a => true
max(x, y) - min(x, y) >= x - y => true
x*2 + 1 != y*2 => true
