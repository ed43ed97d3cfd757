# What looks true and is not: each line has a counterexample.
min(x, y) + min(x, y) =/=> x + y
min(x, y) - max(x, y) =/=> x - y
max(x, y) - min(x, y) =/=> x - y
min(x + 1, y) =/=> min(x, y) + 1
min(max(x, y), z) =/=> max(min(x, z), y)
max(min(x, 10), 20) =/=> min(x, 10)
min(x, y) < min(x, y + 1) =/=> true
max(x, y) <= max(x, z) =/=> y <= z
min(x, y) <= z =/=> x <= z && y <= z
min(x, y) == x =/=> x < y
min(x*4, 13)/4 =/=> min(x, 4)
min(x*-4, y)/-4 =/=> min(x, y/-4)
abs(x + y) =/=> abs(x) + abs(y)
abs(x) - abs(y) =/=> abs(x - y)
abs(x) =/=> x
select(0 < x, x - 1, 1 - x) =/=> abs(x - 1)
select(x < y, x - y, y - x) =/=> abs(x - y)
(x + 1)/2 + x/2 =/=> x + 1
(x + 2)/3 + x/3 =/=> x
(x + 3)/4 - x/4 =/=> 1
(x + 3)/4 - x/4 =/=> 0
x - x % 4 =/=> x
x/4*4 =/=> x
(x*8 + y)/16 =/=> x/2
(x*8 + y % 16)/16 =/=> x/2
(x*8 + y % 8)/12 =/=> x*2/3
(x*8 + y % 8) % 16 =/=> y % 8
x % 6*2 % 8 =/=> x*2 % 8
x % 4*2 % 16 =/=> x*2 % 16
x/4 % 4*4 + x % 8 =/=> x % 16
x/2 + x % 2 =/=> x
(x % 2 + 1)/2 =/=> 1
(x % 4 + 1)/4 =/=> 0
x % 3 != 0 =/=> x % 3 == 1
x % 2 == 0 || x % 4 == 1 =/=> true
x/4 == y/4 =/=> x == y
x*y == x*z =/=> y == z
x*y/x =/=> y
x % n < n =/=> true
x/n*n <= x =/=> true
x <= 3 && x != 2 =/=> x <= 1
x <= 3 || x == 5 =/=> x <= 5
x < y && y < z =/=> x < z
x < y || y < z =/=> x < z
(x < 5 || y < 7) && x < 9 =/=> x < 9
(x < 5 && y < 7) || x < 3 =/=> x < 5
(x < 3 || y < 7) && 2 <= x =/=> y < 7
x < y == x <= y =/=> true
select(x <= 2, min(x, 1), y) =/=> select(x <= 2, x, y)
select(x <= 2, x, min(x, 1)) =/=> select(x <= 2, x, x)
select(x == y, x, z) =/=> z
select(x < y, y, z) =/=> max(x, z)
select(c_bool, x, y) == x =/=> c_bool
select(c_bool, x, y) <= min(x, y) =/=> true
select(c_bool, select(b_bool, x, y), x) =/=> select(c_bool && b_bool, y, x)
select(x < 3, 3, min(x, z)) =/=> max(min(x, z), 3)
!(b_bool && c_bool) || c_bool =/=> b_bool
b_bool != c_bool =/=> b_bool && !c_bool
clamp(x, y, z) <= y =/=> true

# Values wrap.
v_u8 + 1 <= 1 =/=> v_u8 == 0
v_u8 + 1 > v_u8 =/=> true
v_u8 + w_u8 <= 255 && v_u8 <= v_u8 + w_u8 =/=> true
v_u8*2 == w_u8*2 =/=> v_u8 == w_u8
v_u8*3/3 =/=> v_u8
v_u8 - w_u8 <= v_u8 =/=> true
v_i8 - w_i8 < 0 =/=> v_i8 < w_i8
-v_i8 < 0 =/=> 0 < v_i8
abs(v_i8) < 0 =/=> false
abs(v_i8) <= v_i8 =/=> 0 <= v_i8
max(v_i8, -v_i8) =/=> abs(v_i8)
select(v_i8 < 0, -v_i8, v_i8) == abs(v_i8) =/=> false
min(v_u8 + 1, w_u8 + 1) =/=> min(v_u8, w_u8) + 1
u16(v_u8 + w_u8) =/=> u16(v_u8) + u16(w_u8)
u8(u16(v_u8) + u16(w_u8)) < v_u8 =/=> false
u8(u16(v_u8)*u16(w_u8)/2) =/=> v_u8*w_u8/2
u8((u16(v_u8) + u16(w_u8))/2) =/=> (v_u8 + w_u8)/2
u8(w_u16 & 127) =/=> u8(w_u16)
u8(w_u16 % 128) =/=> u8(w_u16)
u8(min(w_u16, 255)) =/=> u8(w_u16)
i16(v_i8) < i16(u8(v_i8)) =/=> false
i32(v_i8) < i32(w_u8) =/=> v_i8 < i8(w_u8)
u16(v_i8) < u16(w_i8) =/=> v_i8 < w_i8
u16(v_u8) <= 300 =/=> false
