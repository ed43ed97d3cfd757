# Machine integers: what wraps is a remainder.
true x_u8 + 1 > x_u8 || x_u8 == 255
true x_u8 <= 255
true x_u8/2 <= 127
true x_u8 - x_u8/2 >= x_u8/2
true index(x_u8 + y_u8) == (index(x_u8) + index(y_u8))%256
true index(x_u8)*index(y_u8) <= 65025
true u16(u8(x_u16)) == x_u16%256
true index(u8(x_u16)) == index(x_u16)%256
true index(i8(x_u8)) == select(x_u8 < 128, index(x_u8), index(x_u8) - 256)
true max(x_i32, y_i32) >= x_i32
true index(x_i32) + 1 > index(x_i32)
true abs(x_i16) == x_i16 || abs(x_i16) == -x_i16
true x_i32 - y_i32 + y_i32 == x_i32
true (x_u32 + y_u32) - x_u32 == y_u32
true i32(index(x_i32)) == x_i32
true x_i8 != 127 || x_i8 + 1 == -128
true (x_u8 & 15) <= 15
true (x_u8 ^ y_u8) == (x_u8 | y_u8) - (x_u8 & y_u8)
true popcount(x_u16) <= 16
false popcount(x_u8) > 8
contingent (x_u8 & y_u8) == y_u8
false x_u8 > 255
false x_i8 + 1 == x_i8
contingent x_i32 < x_i32 + 1
contingent x_u16 - y_u16 <= x_u16
contingent x_i8*2/2 == x_i8
contingent abs(x_i8) >= 0
contingent index(i32(x)) == x
contingent i16(x_i32) == i16(y_i32)
