# Vectors: what holds of each lane.  A scalar beside a vector is in all lanes.
ramp(x, 1, 8) + 3 => ramp(x + 3, 1, 8)
ramp(x, 0, 8) => broadcast(x, 8)
ramp(x, y - y, 8) => broadcast(x, 8)
ramp(x, 1, 8) + y - 2 => ramp(x + y + -2, 1, 8)
y - ramp(x, 2, 8) => ramp(y - x, -2, 8)
-ramp(x, 2, 8) => ramp(x*-1, -2, 8)
ramp(x, 1, 8)*4 => ramp(x*4, 4, 8)
ramp(x, 1, 8)*y => ramp(x*y, y, 8)
ramp(x, 1, 8) + ramp(y, 2, 8) => ramp(x + y, 3, 8)
ramp(x, 1, 8) - ramp(y, 1, 8) => broadcast(x - y, 8)
ramp(x, 1, 8)*ramp(y, 1, 8) =/=> ramp(x*y, 1, 8)
broadcast(x, 8) + broadcast(3, 8) => broadcast(x + 3, 8)
broadcast(v_u8, 8) + broadcast(3:u8, 8) => broadcast(v_u8 + 3:u8, 8)
i32(broadcast(v_u8, 8)) => broadcast(i32(v_u8), 8)
sqrt(broadcast(f_f32, 4)) => broadcast(sqrt(f_f32), 4)
broadcast(f_f32, 4) + 0.0:f32 =/=> broadcast(f_f32, 4)
min(broadcast(x, 8), broadcast(x + 1, 8)) => broadcast(x, 8)
select(broadcast(c_bool, 8), broadcast(x, 8), broadcast(y, 8)) => broadcast(select(c_bool, x, y), 8)

# Quotients and remainders.
ramp(x*8, 8, 4)/8 => ramp(x, 1, 4)
ramp(x, 16, 4)/8 => ramp(x/8, 2, 4)
ramp(x, y*8, 4)/8 => ramp(x/8, y, 4)
ramp(x, 1, 8)/8 =/=> broadcast(x/8, 8)
ramp(x*8, 1, 8)/8 => broadcast(x, 8)
ramp(x*8 + 1, 1, 8)/8 =/=> broadcast(x, 8)
ramp(x*8, 1, 9)/8 =/=> broadcast(x, 9)
ramp(x*8 + 7, -1, 8)/8 => broadcast(x, 8)
ramp(x, 8, 4) % 8 => broadcast(x % 8, 4)
ramp(x, 12, 4) % 8 =/=> broadcast(x % 8, 4)
ramp(x*8, 1, 8) % 8 => ramp(0, 1, 8)
ramp(x*8 + 4, 1, 8) % 8 =/=> ramp(4, 1, 8)
ramp(x*16 + 4, 2, 4) % 16 => ramp(4, 2, 4)

# Comparisons: of the ends.
ramp(0, 1, 8) < 8 => broadcast(true, 8)
ramp(0, 1, 8) < 7 =/=> broadcast(true, 8)
ramp(0, 1, 8) < 7 =/=> broadcast(false, 8)
8 <= ramp(x % 4, 1, 8) =/=> broadcast(false, 8)
12 <= ramp(x % 4, 1, 8) => broadcast(false, 8)
ramp(x, 1, 8) < x + 8 => broadcast(true, 8)
ramp(x, -1, 8) <= x => broadcast(true, 8)
ramp(x, 1, 8) <= x =/=> broadcast(true, 8)
ramp(x, y, 8) < ramp(z, y, 8) => broadcast(x < z, 8)
ramp(x, y, 8) == ramp(z, y, 8) => broadcast(x == z, 8)
ramp(x, 1, 8) < ramp(x + 1, 2, 8) => broadcast(true, 8)
ramp(x, 2, 8) < ramp(x + 1, 1, 8) =/=> broadcast(true, 8)
ramp(x, 1, 8) == x + 8 => broadcast(false, 8)
ramp(x, 1, 8) == x + 7 =/=> broadcast(false, 8)
x - 1 != ramp(x, 1, 8) => broadcast(true, 8)
ramp(x, 3, 8) % 8 < 8 => broadcast(true, 8)
!(ramp(x, 1, 8) < y) => broadcast(y, 8) <= ramp(x, 1, 8)

# min, max, select and bools.
min(ramp(x, 1, 8), ramp(y, 1, 8)) => ramp(min(x, y), 1, 8)
min(ramp(x, 1, 8), ramp(y, 2, 8)) =/=> ramp(min(x, y), 1, 8)
min(ramp(x, 1, 8), x + 7) => ramp(x, 1, 8)
min(ramp(x, 1, 8), x + 6) =/=> ramp(x, 1, 8)
max(ramp(x, 1, 8), x + 7) => broadcast(x + 7, 8)
max(ramp(x, 1, 8), ramp(x, 2, 8)) => ramp(x, 2, 8)
select(broadcast(c_bool, 8), ramp(x, 1, 8), ramp(y, 1, 8)) => ramp(select(c_bool, x, y), 1, 8)
select(ramp(x, 1, 8) < x + 8, ramp(y, 1, 8), 0) => ramp(y, 1, 8)
ramp(x, 1, 8) < y && broadcast(true, 8) => ramp(x, 1, 8) < y
ramp(x, 1, 8) < y && ramp(x, 1, 8) < x => broadcast(false, 8)
ramp(x, 1, 8) < y || broadcast(true, 8) => broadcast(true, 8)
ramp(x, 1, 8) < y && ramp(x, 1, 8) < y => ramp(x, 1, 8) < y
!!(ramp(x, 1, 8) < y) => ramp(x, 1, 8) < y

given 0 <= x && x <= 10
ramp(x, 1, 4) < 14 => broadcast(true, 4)
ramp(x, 1, 4) < 13 =/=> broadcast(true, 4)
max(ramp(x, 1, 4), 0) => ramp(x, 1, 4)

# Facts are of scalar sums.
given x + y <= 5
min(ramp(x, 1, 4), broadcast(y, 4)) + min(ramp(x, 1, 4), broadcast(y, 4)) + ramp(y, 3, 4) =/=> broadcast(5, 4)
