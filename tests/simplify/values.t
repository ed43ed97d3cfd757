# Machine values wrap; what holds of integers need not.
v_u8 + 0:u8 => v_u8
v_u8 - v_u8 => 0:u8
v_i32*1:i32 => v_i32
(v_i32 + w_i32) - w_i32 => v_i32
v_u8 + 1:u8 < v_u8 =/=> false
v_i32 < v_i32 + 1:i32 =/=> true
v_i32*2:i32/2:i32 =/=> v_i32
v_i32 + 3:i32 + 4:i32 => v_i32 + 7:i32
v_u8 + 200:u8 + 100:u8 => v_u8 + 44:u8
v_i32 - 3:i32 => v_i32 + -3:i32
v_u8 + 3:u8 == 2:u8 => v_u8 == 255:u8
v_u8 <= 255:u8 => true
v_u8 < 0:u8 => false
v_i32/v_i32 =/=> 1:i32
v_i32/w_i32*w_i32 + v_i32 % w_i32 =/=> v_i32
min(v_u8, max(v_u8, w_u8)) => v_u8
min(v_u8, 255:u8) => v_u8
!(v_i32 < w_i32) => w_i32 <= v_i32
~~v_u8 => v_u8
v_u8 ^ w_u8 ^ w_u8 => v_u8
-(-v_i8) => v_i8
abs(v_i8) =/=> v_i8
!(f_f32 < g_f32) =/=> g_f32 <= f_f32
select(c_bool, f_f32, f_f32) => f_f32

# Conversions whose operand fits.
index(i32(x % 256)) => x % 256
index(i32(x)) =/=> x
u8(i32(v_u16)) => u8(v_u16)
i32(index(v_i32)) => v_i32
i32(index(v_u8)) => i32(v_u8)
u8(u16(v_u8)) => v_u8
u16(u8(v_u16)) =/=> v_u16
index(v_u8) + index(w_u8) <= 510 => true
index(v_u8 + w_u8) <= index(v_u8) + index(w_u8) =/=> true

given 0 <= x && x < 1000
index(i32(x)) => x
