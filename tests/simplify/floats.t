# Floats: what is the same bit for bit, NaNs being one value and -0.0 another than 0.0.
f_f32 - 0.0:f32 => f_f32
f_f64 - 0.0:f64 => f_f64
f_f32 - -0.0:f32 =/=> f_f32
f_f32 + -0.0:f32 => f_f32
f_f32 + 0.0:f32 =/=> f_f32
f_f32 + 0.0:f32 + 0.0:f32 => f_f32 + 0.0:f32
abs(f_f32) + 0.0:f32 => abs(f_f32)
-0.0:f32 - f_f32 => -f_f32
0.0:f32 - f_f32 =/=> -f_f32
f_f32 - f_f32 =/=> 0.0:f32
f_f32 + -g_f32 => f_f32 - g_f32
f_f32 - -g_f32 => f_f32 + g_f32
-(f_f32 - g_f32) =/=> g_f32 - f_f32
-(-f_f64) => f_f64
f_f32*1.0:f32 => f_f32
f_f32*-1.0:f32 => -f_f32
f_f32*0.0:f32 =/=> 0.0:f32
-f_f32*-g_f32 => f_f32*g_f32
-(f_f32*3.0:f32) => f_f32*-3.0:f32
f_f32/1.0:f32 => f_f32
f_f32/-1.0:f32 => -f_f32
f_f32/f_f32 =/=> 1.0:f32
f_f32/4.0:f32 => f_f32*0.25:f32
f_f32/-0.5:f32 => f_f32*-2.0:f32
f_f32/3.0:f32 =/=> f_f32*0.33333334:f32
f_f32/5e-324:f32 =/=> f_f32*inf:f32
f_f32 + 1.0:f32 + 1.0:f32 =/=> f_f32 + 2.0:f32
(f_f32 + g_f32) - g_f32 =/=> f_f32
f_f32*2.0:f32*3.0:f32 =/=> f_f32*6.0:f32

# min and max keep the first operand on ties and beside NaN: they do not commute.
min(f_f32, f_f32) => f_f32
min(f_f32, min(f_f32, g_f32)) => min(f_f32, g_f32)
min(min(f_f32, g_f32), f_f32) => min(f_f32, g_f32)
min(min(f_f32, g_f32), g_f32) => min(f_f32, g_f32)
min(g_f32, min(f_f32, g_f32)) =/=> min(f_f32, g_f32)
min(f_f32, g_f32) =/=> min(g_f32, f_f32)
min(g_f32, f_f32) =/=> min(f_f32, g_f32)
min(f_f32, max(f_f32, g_f32)) => f_f32
max(min(f_f32, g_f32), f_f32) => f_f32
min(g_f32, max(f_f32, g_f32)) =/=> g_f32
min(max(g_f32, f_f32), f_f32) =/=> f_f32
min(min(f_f32, 3.0:f32), 2.0:f32) => min(f_f32, 2.0:f32)
max(max(f_f64, 3.0:f64), 2.0:f64) => max(f_f64, 3.0:f64)
max(min(max(min(f_f32, 255.0:f32), 0.0:f32), 255.0:f32), 0.0:f32) => max(min(f_f32, 255.0:f32), 0.0:f32)
min(f_f32, nan:f32) => f_f32
min(nan:f32, f_f32) =/=> f_f32
select(g_f32 < f_f32, g_f32, f_f32) => min(f_f32, g_f32)
select(f_f32 < g_f32, g_f32, f_f32) => max(f_f32, g_f32)
select(f_f32 <= g_f32, f_f32, g_f32) =/=> min(f_f32, g_f32)
min(f_f32, g_f32) - min(g_f32, f_f32) =/=> 0.0:f32

# Comparisons: NaN is less than nothing, and equal to nothing.
!(f_f32 < g_f32) =/=> g_f32 <= f_f32
!(f_f32 == g_f32) => f_f32 != g_f32
f_f32 == f_f32 =/=> true
f_f32 == f_f32 => !is_nan(f_f32)
f_f32 != f_f32 => is_nan(f_f32)
f_f32 < f_f32 => false
f_f32 <= f_f32 =/=> true
f_f32 < min(f_f32, g_f32) => false
min(f_f32, g_f32) <= f_f32 =/=> true
max(f_f32, g_f32) < g_f32 => false
-f_f32 < -g_f32 => g_f32 < f_f32
-f_f32 <= 3.0:f32 => -3.0:f32 <= f_f32
-f_f32 == 3.0:f32 => f_f32 == -3.0:f32
abs(f_f32) < 0.0:f32 => false
0.0:f32 <= abs(f_f32) =/=> true
abs(f_f32) == 0.0:f32 => f_f32 == 0.0:f32
f_f32 < nan:f32 => false
f_f32 != nan:f32 => true

# Signs, classes and roundings.
abs(abs(f_f32)) => abs(f_f32)
abs(-f_f64) => abs(f_f64)
abs(f_f32*f_f32) => f_f32*f_f32
abs(f_f32*g_f32) =/=> f_f32*g_f32
is_nan(-f_f32) => is_nan(f_f32)
is_finite(abs(f_f32)) => is_finite(f_f32)
floor(floor(f_f32)) => floor(f_f32)
round(trunc(f_f64)) => trunc(f_f64)
trunc(f_f64 + 0.5:f64) =/=> round(f_f64)

# Conversions that lose nothing, and those that do.
u8(f32(v_u8)) => v_u8
i16(f32(v_i16)) => v_i16
i32(f32(v_i32)) =/=> v_i32
i32(f64(v_i32)) => v_i32
i8(f32(v_u8)) =/=> i8(v_u8)
i32(f32(v_u8)) => i32(v_u8)
f32(f64(f_f32)) => f_f32
f64(f32(f_f64)) =/=> f_f64
i16(f64(f_f32)) => i16(f_f32)
f64(f32(v_u16)) => f64(v_u16)
f64(f32(v_i32)) =/=> f64(v_i32)
f32(v_u8) < f32(w_u8) => v_u8 < w_u8
f32(v_i32) < f32(w_i32) =/=> v_i32 < w_i32
f64(v_i32) == f64(w_i32) => v_i32 == w_i32
f64(f_f32) <= f64(g_f32) => f_f32 <= g_f32
f32(v_u8) <= 3.0:f32 => v_u8 <= 3:u8
f32(v_u8) < 300.0:f32 =/=> v_u8 < 44:u8
f32(v_u8) < 2.5:f32 =/=> v_u8 < 2:u8
f32(v_u8) < nan:f32 => false
floor(f32(v_u64)) => f32(v_u64)
round(f64(v_i32)) => f64(v_i32)
abs(f32(v_u8)) => f32(v_u8)
abs(f32(v_i8)) =/=> f32(v_i8)
is_nan(f32(v_i64)) => false
is_finite(f32(v_u64)) => true
