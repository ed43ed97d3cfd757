# Values, which wrap, in the types they come in.
a_u8 + 0 => a_u8
a_u8 - a_u8 => 0:u8
a_u8*1 => a_u8
a_u8*0 => 0:u8
a_u8*2/2 => a_u8*2/2
a_u8 + b_u8 - b_u8 => a_u8
(a_u8 + 3) + 4 => a_u8 + 7
a_u8 - 3 + 3 => a_u8
a_u8 + 3 - 3 => a_u8
a_u8 - 3 - 4 => a_u8 + 249
(a_u8 + b_u8) - (a_u8 + b_u8) => 0:u8
min(a_u8, 255) => a_u8
max(a_u8, 0) => a_u8
min(a_u8, 0) => 0:u8
max(a_u8, 255) => 255:u8
min(a_u8, a_u8) => a_u8
min(min(a_u8, 3), 5) => min(a_u8, 3)
max(min(a_u8, 3), 5) => 5:u8
min(max(a_u8, 3), 2) => 2:u8
min(a_u8, max(a_u8, b_u8)) => a_u8
max(max(a_u8, b_u8), a_u8) => max(a_u8, b_u8)
min(min(a_u8, b_u8), min(c_u8, d_u8)) => min(min(a_u8, b_u8), min(c_u8, d_u8))
min(min(c_u8, max(a_u8, b_u8)), min(a_u8, b_u8)) => min(min(a_u8, b_u8), c_u8)
min(min(a_u8, b_u8), min(c_u8, min(a_u8, b_u8))) => min(min(a_u8, b_u8), c_u8)
min(min(a_u8, 7), min(b_u8, 3)) => min(min(b_u8, 3), a_u8)
min(max(a_u8, b_u8), max(a_u8, c_u8)) => max(min(b_u8, c_u8), a_u8)
a_u8 <= 255 => true
a_u8 < 0 => false
a_u8 >= 0 => true
a_u8 == a_u8 => true
a_u8 <= a_u8 => true
a_u8 != a_u8 => false
a_u8 < 1 => a_u8 == 0
a_u8 > 254 => 254 < a_u8
a_u8 >= 1 => 1 <= a_u8
!(a_u8 < b_u8) => b_u8 <= a_u8
!(a_u8 == b_u8) => a_u8 != b_u8
a_u8 < b_u8 && b_u8 < a_u8 => false
a_u8 < b_u8 || b_u8 <= a_u8 => true
a_u8 <= b_u8 && b_u8 <= a_u8 => a_u8 == b_u8
a_u8 < b_u8 && a_u8 <= b_u8 => a_u8 < b_u8
a_u8 < b_u8 || a_u8 == b_u8 => a_u8 <= b_u8
a_u8 <= 3 && a_u8 <= 5 => a_u8 <= 3
a_u8 < 3 && a_u8 < 5 => a_u8 < 3
a_u8 < 3 || a_u8 < 5 => a_u8 < 5
a_u8 < 3 && a_u8 > 5 => false
a_u8 < 3 || a_u8 >= 3 => true
a_u8 == 3 && a_u8 == 4 => false
a_u8 == 3 && a_u8 < 5 => a_u8 == 3
a_u8 != 3 || a_u8 != 4 => true
a_u8 + 3 == b_u8 + 3 => a_u8 == b_u8
a_u8 + 3 == 5 => a_u8 == 2
a_u8 + b_u8 == a_u8 => b_u8 == 0
a_u8 - b_u8 == 0 => a_u8 == b_u8
a_u8 - 3 == 5 => a_u8 == 8
3 - a_u8 == 5 => a_u8 == 254
select(a_u8 < b_u8, a_u8, b_u8) => min(a_u8, b_u8)
select(a_u8 > b_u8, a_u8, b_u8) => max(a_u8, b_u8)
select(a_u8 <= b_u8, b_u8, a_u8) => max(a_u8, b_u8)
select(a_u8 == b_u8, a_u8, b_u8) => b_u8
select(a_u8 < 5, min(a_u8, 10), 0) => select(a_u8 < 5, a_u8, 0)
select(a_u8 < 5, a_u8, 5) => min(a_u8, 5)
select(a_u8 == 0, 0, a_u8) => a_u8
select(q_bool, a_u8, a_u8) => a_u8
select(q_bool, a_u8, b_u8) == a_u8 => a_u8 == b_u8 || q_bool
select(q_bool, 1:u8, 0:u8) == 1 => q_bool
select(q_bool, 3:u8, 5:u8) <= 4 => q_bool
a_u8/1 => a_u8
a_u8/a_u8 => a_u8/a_u8
a_u8 % 1 => 0:u8
a_u8 % a_u8 => a_u8 % a_u8
a_u8 % 8/8 => 0:u8
a_u8/16 < 16 => true
a_u8 % 8 < 8 => true
a_u8/16*16 + a_u8 % 16 => a_u8/16*16 + a_u8 % 16
a_u8/16*16 <= a_u8 => a_u8/16*16 <= a_u8
a_u8 & 255 => a_u8
a_u8 & 0 => 0:u8
a_u8 | 0 => a_u8
a_u8 | 255 => 255:u8
a_u8 ^ 0 => a_u8
a_u8 ^ 255 => ~a_u8
a_u8 ^ a_u8 => 0:u8
a_u8 & a_u8 => a_u8
a_u8 & ~a_u8 => 0:u8
a_u8 | ~a_u8 => 255:u8
~~a_u8 => a_u8
a_u8 & 15 & 60 => a_u8 & 12
(a_u8 & 15) <= 15 => true
(a_u8 & 15) < 16 => true
(a_u8 & 1) == 2 => false
a_u8 & 15 | a_u8 & 240 => a_u8
(a_u8 | 15) >= 15 => true
(a_u8 | 1) != 0 => true
abs(a_u8) => a_u8
abs(a_i8) => abs(a_i8)
abs(abs(a_i8)) => abs(a_i8)
abs(-a_i8) => abs(a_i8)
-(-a_i8) => a_i8
-a_i8 == 0 => a_i8 == 0
-a_i8 < 0 => -a_i8 < 0
0 - a_i8 => -a_i8
a_i8*-1 => -a_i8
a_i8 + -3 => a_i8 + -3
a_i8 - -3 => a_i8 + 3
a_i8 + b_i8*-1 => a_i8 - b_i8
a_i8*2 + a_i8*3 => a_i8*5
a_i8*3 - a_i8 => a_i8*2
a_i8 + a_i8 => a_i8 + a_i8
a_i8*2*3 => a_i8*6
a_i8*b_i8 - b_i8*a_i8 => 0:i8
a_i8 <= 127 => true
a_i8 >= -128 => true
a_i8 + 1 > a_i8 => a_i8 < a_i8 + 1
a_i8 < a_i8 + 1 => a_i8 < a_i8 + 1
u16(a_u8) <= 255 => true
u16(a_u8) < u16(b_u8) => a_u8 < b_u8
u16(a_u8) == u16(b_u8) => a_u8 == b_u8
u16(a_u8) == 300 => false
u16(a_u8) <= 100 => a_u8 <= 100
u16(a_u8) + 1 == 0 => false
i32(a_u8) < 0 => false
i32(a_u8) >= 0 => true
i32(a_u8) - i32(b_u8) <= 255 => true
i32(a_u8) - i32(b_u8) >= -255 => true
abs(i32(a_u8) - i32(b_u8)) <= 255 => true
abs(i32(a_u8)) => i32(a_u8)
i32(a_u8)*i32(b_u8) <= 65025 => true
(i32(a_u8) + i32(b_u8))/2 <= 255 => true
u8(u16(a_u8)) => a_u8
u8(u16(a_u8) + u16(b_u8)) => a_u8 + b_u8
u8((u16(a_u8) + u16(b_u8))/2) => u8((u16(a_u8) + u16(b_u8))/2)
u8(i32(a_u8)) => a_u8
i32(i16(a_u8)) => i32(a_u8)
i32(u16(a_u8)) => i32(a_u8)
i16(i32(a_i16)) => a_i16
i16(i32(a_i8)) => i16(a_i8)
u8(i32(a_i8)) => u8(a_i8)
i8(u8(a_i8)) => a_i8
u8(i8(a_u8)) => a_u8
u16(u8(a_u16)) => u16(u8(a_u16))
i32(u8(a_i32)) => i32(u8(a_i32))
u8(a_u16 & 255) => u8(a_u16)
u8(a_u16 % 256) => u8(a_u16)
u8(min(a_u16, 255)) => u8(min(a_u16, 255))
u8(min(u16(a_u8) + u16(b_u8), 255)) => saturating_add(a_u8, b_u8)
u8(min(i32(a_u8) + 3, 255)) => saturating_add(a_u8, 3)
u8(min(u16(a_u8) + u16(b_u8), 254)) => u8(min(u16(a_u8) + u16(b_u8), 254))
i8(min(i16(a_i8) + i16(b_i8), 127)) => i8(min(i16(a_i8) + i16(b_i8), 127))
u8(min(u16(a_u16) + u16(b_u16), 255)) => u8(min(a_u16 + b_u16, 255))
saturating_cast<u8>(u16(a_u8) + u16(b_u8)) => saturating_add(a_u8, b_u8)
saturating_cast<i8>(i16(a_i8) + i16(b_i8)) => saturating_add(a_i8, b_i8)
saturating_cast<u8>(i16(a_i8) + i16(b_i8)) => saturating_cast<u8>(i16(a_i8) + i16(b_i8))
u16(u8(min(a_u16, 255))) => min(a_u16, 255)
u8(max(min(i32(a_u8) + 5, 255), 0)) => saturating_add(a_u8, 5)
u8(clamp(a_i32, 0, 255)) <= 255 => true
i32(u8(clamp(a_i32, 0, 255))) => max(min(a_i32, 255), 0)
min(u16(a_u8), u16(b_u8)) => u16(min(a_u8, b_u8))
max(u16(a_u8), u16(b_u8)) => u16(max(a_u8, b_u8))
min(u16(a_u8), 255) => u16(a_u8)
min(u16(a_u8), 300) => u16(a_u8)
max(i32(a_u8), 0) => i32(a_u8)
min(i32(a_u8), 255) => i32(a_u8)
clamp(i32(a_u8), 0, 255) => i32(a_u8)
u8(clamp(i32(a_u8), 0, 255)) => a_u8
bool(a_u8) => bool(a_u8)
u8(a_u8 < b_u8) == 1 => a_u8 < b_u8
u8(a_u8 < b_u8) <= 1 => true
i32(q_bool) == 1 => q_bool
i32(q_bool) == 0 => !q_bool
i32(q_bool) <= 1 => true
i32(q_bool) != 0 => q_bool
bool(u8(q_bool)) => q_bool
index(a_u8) <= 255 => true
index(a_u8) >= 0 => true
index(a_i8) >= -128 => true
index(a_u8) + 1 > index(a_u8) => true
index(a_u8) == index(b_u8) => index(a_u8) == index(b_u8)
index(a_u8)/256 => 0
index(a_u8) % 256 => index(a_u8)
index(a_u8) - index(b_u8) <= 255 => true
index(a_u8 + b_u8) <= 255 => true
index(select(q_bool, a_u8, b_u8)) <= 255 => true
min(index(a_u8), 255) => index(a_u8)
max(index(a_u8), 0) => index(a_u8)
absd(a_u8, b_u8) <= 255 => true
a_u8*0 + b_u8 => b_u8
a_u8 - 0 => a_u8
0 - (0 - a_u8) => a_u8
a_u8 - (a_u8 - b_u8) => b_u8
a_u8 - (b_u8 + a_u8) => -b_u8
(a_u8 - b_u8) + b_u8 => a_u8
(a_u8 - b_u8) - a_u8 => -b_u8
(a_u8 + b_u8) + (c_u8 - b_u8) => a_u8 + c_u8
a_u8 + (b_u8 - a_u8) => b_u8
3 - (5 - a_u8) => a_u8 + 254
3 - (a_u8 + 5) => 254 - a_u8
(3 - a_u8) + 5 => 8 - a_u8
(3 - a_u8) - 5 => 254 - a_u8
a_u8*3 + b_u8*3 => (a_u8 + b_u8)*3
min(a_u8 + 1, a_u8) => min(a_u8 + 1, a_u8)
min(a_u8, b_u8) <= a_u8 => true
min(a_u8, b_u8) < a_u8 => b_u8 < a_u8
min(a_u8, b_u8) <= max(a_u8, c_u8) => true
max(a_u8, b_u8) >= a_u8 => true
max(a_u8, b_u8) < a_u8 => false
min(a_u8, b_u8) == a_u8 => a_u8 <= b_u8
min(a_u8, 3) <= 5 => true
min(a_u8, 3) < 2 => a_u8 < 2
max(a_u8, 3) <= 2 => false
max(a_u8, 3) <= 5 => a_u8 <= 5
min(a_u8, 3) == 7 => false
a_u64 <= b_u64 && b_u64 < a_u64 => false
min(a_u64, b_u64) <= a_u64 => true
a_i64 - a_i64 => 0:i64
a_i64 + 1 > a_i64 => a_i64 < a_i64 + 1
