# &&, ||, ! over comparisons and bools, with what stands beside them.
x % 8 == 0 && x/8*8 == x => x % 8 == 0
x < 3 && x < 5 => x <= 2
x < 3 || x < 5 => x <= 4
x < 3 || x >= 3 => true
x < 3 && x >= 3 => false
x < 3 && x > 5 => false
x < 3 || x > 1 => true
x <= 3 && x >= 3 => x == 3
x <= 3 && x != 3 => x <= 2
x <= 3 || x == 4 => x <= 4
x < 3 || x == 3 => x <= 3
x < 3 || x == 3 || x == 4 => x <= 4
x == 3 || x == 3 => x == 3
x == 3 && x == 4 => false
x != 3 || x != 4 => true
x != 3 && x == 3 => false
x != 3 || x == 3 => true
x == 3 || x != 4 => x != 4
x > 3 && x > y && x > 5 => y < x && 6 <= x
x < y && x < z => x < y && x < z
x < y || x < z => x < y || x < z
x < y && z < y => x < y && z < y
x <= y && x <= z => x <= y && x <= z
x < y + 1 && x <= y => x <= y
x < y && x < y + 1 => x < y
x < y && x < y - 1 => x <= y + -2
x < y || x < y + 1 => x <= y
x < y && y < x => false
x < y && y <= x => false
x < y || y <= x => true
x <= y || y <= x => true
x <= y && y <= x => x == y
x < y && x == y => false
x <= y && x == y => x == y
x <= y && x != y => x < y
x < y || x == y => x <= y
x == y || x > y => y <= x
x < y || x > y => x != y
x < y && x != y => x < y
!(x < y) && !(x > y) => x == y
!(x < y && y < z) => y <= x || z <= y
!(x < y || y < z) => y <= x && z <= y
!(x == y) => x != y
!(x != y) => x == y
!!(x < y) => x < y
!(x < 3) => 3 <= x
!(x == 3 && y == 4) => x != 3 || y != 4
x < y && (x < y || z < w) => x < y
x < y || (x < y && z < w) => x < y
x < y && (y <= x || z < w) => x < y && z < w
x < y || (y <= x && z < w) => x < y || z < w
(x < y && z < w) || (x < y && z > w) => w != z && x < y
(x < y && z < w) || (x < y && z >= w) => x < y
(x < y || z < w) && (x < y || z >= w) => x < y
(x < y && z < w) || (y <= x && z < w) => z < w
x < y && z < w && x < y => x < y && z < w
x < 5 && y < 7 && x < 3 => x <= 2 && y <= 6
x < 5 || y < 7 || x < 3 => x <= 4 || y <= 6
x < 5 && y < 7 && x > 5 => false
(x < 5 || y < 7) && x < 3 => x <= 2
(x < 5 && y < 7) || x < 3 => x <= 2 || x <= 4 && y <= 6
(x < 3 || y < 7) && x < 5 => x <= 4 && (x <= 2 || y <= 6)
(x < 3 && y < 7) || x < 5 => x <= 4
(x < 3 || y < 7) && x >= 3 => 3 <= x && y <= 6
(x < 3 || y < 7) && x >= 5 => 5 <= x && y <= 6
(x < 3 && y < 7) || x >= 3 => 3 <= x || y <= 6
(x < 5 && y < 7) || x >= 3 => 3 <= x || y <= 6
true && x < y => x < y
false && x < y => false
true || x < y => true
false || x < y => x < y
(x < y) == true => x < y
(x < y) == false => y <= x
1 <= x && x <= 1 => x == 1
x >= 0 && x < 1 => x == 0
x > 0 && x < 2 => x == 1
x >= 2 && x <= 2 && y > 0 => x == 2 && 0 < y
x < y && y < z && x < z => y < z && (x < y && x < z)
x < y && y < z && z < x => z < x && (x < y && y < z)
x <= y && y <= z && z <= x => z <= x && (x <= y && y <= z)
x == y && y == z && x == z => y == z && (x == y && x == z)
x == y && x < z && y < z => y < z && (x == y && x < z)
x*2 < 5 && x < 3 => x <= 2
x*2 < 7 && x < 3 => x <= 2
x % 2 == 0 && x % 2 == 1 => false
x % 2 == 0 || x % 2 == 1 => true
x/2 < 3 && x < 8 => x <= 5
x < y && x + 1 < y + 1 => x < y
x + 1 < y && x < y => x <= y + -2
min(x, y) < 5 && x < 5 => x <= 4
min(x, y) < z && x < z => x < z
max(x, y) < z && x < z => max(x, y) < z
max(x, y) < z || x < z => x < z
x < min(y, z) && x < y => x < min(y, z)
x < y && x < z && x < min(y, z) => x < min(y, z)
x < max(y, z) || x < y => x < max(y, z)
x < y || x < z || x < max(y, z) => x < max(y, z)
x <= y && x <= y + 5 => x <= y
x <= y && y <= x + 5 => x <= y && y <= x + 5
x <= y && y <= x - 1 => false
x <= 7 && x >= 0 && x/8 == 0 => 0 <= x && x <= 7
x - y <= 3 && y - x <= -3 => y + 3 == x
x - y <= 3 && y - x <= -4 => false
x + y <= 10 && x + y >= 10 => x + y == 10
x + y <= 10 || x + y >= 5 => true
b_bool && !b_bool => false
b_bool || !b_bool => true
b_bool == !b_bool => false
b_bool == b_bool => true
b_bool && c_bool || b_bool && !c_bool => b_bool
(b_bool || c_bool) && (b_bool || !c_bool) => b_bool
b_bool && (c_bool || b_bool) => b_bool
!(b_bool && c_bool) || b_bool => true
!(b_bool && c_bool) => !(b_bool && c_bool)
!b_bool && !c_bool => !(b_bool || c_bool)
!b_bool || !c_bool => !(b_bool && c_bool)
b_bool != c_bool => b_bool != c_bool
!(b_bool == c_bool) => b_bool != c_bool
b_bool && c_bool && !b_bool => false
b_bool || c_bool || !b_bool => true
(b_bool && c_bool) == b_bool => !b_bool || c_bool
clamp(x, a, b) >= a || b < a => true
(x < 5) == !(x >= 5) => true
