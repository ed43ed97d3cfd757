# min, max, abs, clamp, select.
true min(x, y) + max(x, y) == x + y
true max(x, y) - min(x, y) == abs(x - y)
true min(x, max(x, y)) == x
true max(min(x, y), min(x, z)) == min(x, max(y, z))
true min(min(x, y), z) == min(x, min(z, y))
true min(x + 3, y + 3) == min(x, y) + 3
true min(x*4, y*4) == 4*min(x, y)
true max(-x, -y) == -min(x, y)
true min(x, y)/3 == min(x/3, y/3)
true clamp(x, 0, 10) <= 10
true clamp(x, y, y + 10) - y <= 10
true clamp(x, a, b) == min(max(x, a), b) || b < a
true clamp(clamp(x, 2, 7), 0, 10) == clamp(x, 2, 7)
true clamp(x/2, 0, 63)*2 <= 126
true max(min(x, y), z) <= max(max(x, y), z)
true abs(x + y) <= abs(x) + abs(y)
true abs(abs(x) - abs(y)) <= abs(x - y)
true abs(x) == max(x, -x)
true select(x < y, y - x, x - y) == abs(x - y)
true select(x < y, x, y) == min(x, y)
true select(b_bool, x, y) <= max(x, y)
true select(b_bool, x + 1, x) == x + select(b_bool, 1, 0)
true select(b_bool, x, y) + select(b_bool, y, x) == x + y
true select(0 < x && 0 < y, x, 0) <= max(x, 0)
true select(x < 5, select(x < 3, 1, 2), 4) != 3
true min(x, 3) + min(y, 4) <= 7
true min(x - y, 8) + y <= x
true min(max(x, y), max(y, z)) >= y
true max(x, y) + max(z, w) <= max(max(x + z, x + w), max(y + z, y + w))
true max(max(x + z, x + w), max(y + z, y + w)) <= max(x, y) + max(z, w)
true min(x, y) + min(y, z) + min(z, x) <= x + y + z || x < 0 || y < 0 || z < 0
true max(min(x, 7)/8, -1) <= 0
false min(x, y) > max(x, z)
false clamp(x, 0, 255) == 256
false select(x < y, 1, 2) == 3
false abs(x) < 0
false abs(x) + abs(y) < abs(x + y)
false max(x, 4) < min(y, 4)
contingent min(x, y) == x
contingent clamp(x, y, z) == x
contingent abs(x) == x
contingent select(x < y, x, y) < z
contingent max(x, y) - min(y, z) == 17
contingent min(x, min(y, z)) == max(x, max(y, z))
contingent (b_bool == (x < 3)) == (c_bool == (y < 4))
true (b_bool == c_bool) == (c_bool == b_bool)
true b_bool || !b_bool
true select(b_bool, c_bool, !c_bool) == (b_bool == c_bool)
false b_bool && !b_bool
