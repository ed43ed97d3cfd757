# min, max and select over the integers.
min(x, x) => x
max(a + 3, a + 1) => a + 3
min(x, max(x, y)) => x
max(min(x, y), x) => x
min(min(x, 3), min(y, 5)) => min(min(x, y), 3)
min(max(min(x, y), z), x) => min(max(y, z), x)
max(min(x, y), min(x, z)) => min(max(y, z), x)
clamp(clamp(x, 0, 255), 0, 255) => max(min(x, 255), 0)
clamp(x, 5, 3) => 5
min(m + x*4 + 7, m + y*8 + 3) => min(x + 1, y*2)*4 + m + 3
min(x + 5, 10) => min(x, 5) + 5
min(x - 3, y) => min(x + -3, y)
min(-x, -y) => max(x, y)*-1
max(x + y, y + z) => max(x, z) + y
min(x*4, y*4) => min(x, y)*4
min(x/8*8, x) => x/8*8
max(x, x/8*8 + 8) => x/8*8 + 8
min(x % 8, 9) => x % 8
min(x % 8, 6) =/=> x % 8
max(x*4, y*3) =/=> max(x, y)*4
min(x, y) + min(z, w) =/=> min(x + z, y + w)
select(true, x, y) => x
select(c_bool, x, x) => x
select(!c_bool, x, y) => select(c_bool, y, x)
select(c_bool, select(c_bool, x, y), z) => select(c_bool, x, z)
select(c_bool, x + 1, y + 1) => select(c_bool, x, y) + 1
select(x < y, x, y) => min(x, y)
select(x > y, x, y) => max(x, y)
select(x < 3, x, 3) => min(x, 3)
select(x <= 0, 0, x) => max(x, 0)
select(0 < x, x, 1) => max(x, 1)
select(x < 3, x, 5) =/=> min(x, 5)
select(x < 3, select(x < 3, y, z), w) => select(x <= 2, y, w)
min(select(c_bool, 1, 5), select(c_bool, 3, 2)) => select(c_bool, 1, 2)
abs(-x) => abs(x)
abs(x*3) => abs(x)*3
abs(x % 5) => x % 5

# Constants near the end of 64 bits are left alone.
max(9223372036854775807 - x, -1) => max(9223372036854775807 - x, -1)
min(x - 9223372036854775807, y + 9223372036854775807) => min(y + 9223372036854775807, x - 9223372036854775807)
