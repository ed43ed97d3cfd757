# Integer comparisons: normal form, rules, connectives.
x < x + 1 => true
x <= x => true
x < x => false
x + 3 < y + 5 => x <= y + 1
x < y + 1 => x <= y
x + 1 <= y => x < y
x >= 1 => 0 < x
x > 5 => 6 <= x
2*x < 7 => x <= 3
2*x == 7 => false
2*x != 7 => true
-x < -y => y < x
4*x + 8 <= 4*y => x <= y + -2
x*2 + 1 == y*2 => false
x <= min(x, y) => x <= y
min(x, y) <= x => true
min(x, 3) < 4 => true
min(x, 3) <= 2 => x <= 2
max(x, 3) <= 5 => x <= 5
5 <= max(x, 3) => 5 <= x
min(x, y) <= max(x, z) => true
min(x, y) == max(x, y) => x == y
min(x, y) <= min(x, z) => min(x, y) <= z
min(x, y) < min(x, z) => y < min(x, z)
min(x, y) == x => x <= y
min(x, 4) == 2 => x == 2
min(x, 4) == 4 => 4 <= x
x/8 < 3 => x <= 23
x/8 <= y => x <= y*8 + 7
y < x/8 => y*8 <= x + -8
x/4*4 <= x => true
x < x/4*4 + 4 => true
x < x/4*4 + 3 =/=> true
x % 8 < 8 => true
x % 8 == 9 => false
x % 8 == 5 =/=> false
select(c_bool, 3, 5) < 4 => c_bool
select(c_bool, 3, 5) == 5 => !c_bool

!(x < y) => y <= x
!(x < 3 || y < 4) => 3 <= x && 4 <= y
!(x == y && c_bool) => x != y || !c_bool
0 < n && n < 5 && n < 3 => 0 < n && n <= 2
x < 3 && 3 <= x => false
x <= 3 && 3 <= x => x == 3
x < 3 || 3 <= x => true
x < y && y < x => false
x <= y && y <= x => x == y
x <= y + 3 && y <= x - 4 => false
x <= y + 3 && y <= x - 3 => x == y + 3
x <= y || y <= x + 5 => true
x <= 3 && x != 3 => x <= 2
x == 3 && x == 4 => false
x == 3 && x <= 4 => x == 3
x < y && x < z =/=> x < y
x <= 3 || 5 <= x =/=> true
c_bool && true => c_bool
c_bool && c_bool => c_bool
(a_bool || c_bool) && a_bool => a_bool
!a_bool && !c_bool => !(a_bool || c_bool)
a_bool && d_bool || a_bool && c_bool => (c_bool || d_bool) && a_bool
c_bool == false => !c_bool
select(c_bool, true, false) => c_bool
c_bool || !c_bool => true

# The paper's wrong rules, as tempting pairs.
(x + 2)/3*3 - x =/=> x % 3
min(x, 5) < min(x, 3) + 2 =/=> false
max(x, 5) < max(x, 3) + 2 =/=> false

# Known differences decide an operand.
max(x + y, x - 3) <= z + x => max(y, -3) <= z
given 0 < n
given n <= m
max(x, n) <= m => x <= m
x*2 + max(y, n) <= x*2 + m => y <= m
max(min(x, n), 1) <= n => true
m <= max(n - 1, x) => m <= x
min(x, m + 1) <= n => x <= n
n <= min(x, m) => n <= x
max(x, n + 1) <= m =/=> x <= m

# One operand of a chain suffices.
min(min(x, y), z) <= y => true
min(min(x + 2, y), 4) <= x + 3 => true
x <= max(max(x, y), z) => true
min(min(x + 2, y), z) <= x + 1 =/=> true

# The greater of a quotient and something, multiplied again.
x <= max((x + 7)/8, y)*8 => true
x <= max(x/8, y)*8 + 7 => true
x <= max(x/8, y)*8 + 6 =/=> true
x <= max((x - y + 1)/2, z)*2 + y => true
min(x/8, y)*8 <= x => true
min((x - y)/8, z)*8 + y <= x => true
min((x - y + 1)/8, z)*8 + y <= x =/=> true

# Operand by operand.
max(x, y - 1) <= max(x + 1, y) => true
min(x - 2, y) <= min(x, y + 1) => true
max(y - 1, (x + 1)/8) <= max((x + 2)/8, y) => true
max(y - 1, (x + 3)/8) <= max((x + 2)/8, y) =/=> true
min(y - 1, (x + 1)/8) <= min((x + 2)/8, y) => true
max((x + 6)/7, y) <= max(x/7, y) + 1 => true
max((x + 8)/7, y) <= max(x/7, y) + 1 =/=> true
max((x + 1)/6 + 2, y) <= max((x + 2)/6 + 1, y) + 1 => true
max((x + 3)/6 + 2, y) <= max((x + 2)/6 + 1, y) + 1 =/=> true
