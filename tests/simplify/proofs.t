# Proofs: what simplification does not settle alone, and what must stay open.
prove min(x, y) <= max(x, y)
prove x/8*8 <= x
prove (x + 7)/8*8 >= x
prove (x + 7)/8*8 < x + 8
refute (x + 7)/8*8 < x
unknown (x + 7)/8*8 <= x
unknown x < y
unknown x*x >= 1
prove x/4 <= (x + 3)/4
prove min(x, 3) + min(y, 4) <= 7
prove max(min(x, 10), 0) <= 10
prove clamp(x, 0, n) >= 0
unknown clamp(x, 0, n) <= n
prove select(x < 3, x, 3) <= 3
prove !(x < y && y < x - 2)
prove x < 3 || 2 < x
refute x < y && y < x
prove min(a, b) - min(c, b) <= max(a - c, 0)
unknown min(a, b) - min(c, b) <= max(a - c, -1)

given 1 <= n
prove (n + 255)/256 >= 1
prove (n + 255)/256*256 >= n
prove clamp(x, 0, n) <= n
prove n*3 - 2 >= n
prove (n - 1)/8 <= n
unknown n >= 2
refute n <= 0

given 0 <= xo && xo < (n + 255)/256
given 1 <= n
prove xo*256 < n
prove min(n - xo*256, 256) >= 1
prove xo*256 + min(n - xo*256, 256) <= n
unknown xo*256 + 256 <= n

given x < y
given y < z
prove x + 1 < z
prove x <= z
refute z < x
unknown x + 2 < z

given m <= x && x <= m + n - 1
given 3 <= n
prove x - m < n
prove m <= x + 1
prove x - m + 3 <= n*2
unknown x - m + 2 < n

given x <= min(y, z)
prove x <= y
prove x <= z
given max(u, v) <= w
prove u <= w

given c_bool && x == 5
select(c_bool, y, z) => y
x + 1 => 6
select(!c_bool, y, z) => z

given 3*y <= x + z - 2
prove y <= x/3 + z/3

given 3*y <= x + z - 1
unknown y <= x/3 + z/3
