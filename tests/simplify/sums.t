# Integer sums: normal form and cancellations.
(x + 3) - x => 3
x + x => x*2
x*3 - x*2 => x
x - 1 => x + -1
3 - x - 5 => -2 - x
-x => x*-1
-(x - y) => y - x
x*2*3 => x*6
2*(x + y) => x*2 + y*2
(x + 1)*y - x*y => y
(x*y + 1)*z - z => x*y*z
(m + n - 1) - m + 1 => n
((m + n - 1 + w) - (m - w)) + 1 => w*2 + n
(xo*256 + m + 256) - (xo*256 + m) => 256
x*0 => 0
x + 9223372036854775807 + 9223372036854775807 =/=> x + -2
x*4611686018427387904*4 =/=> x*0

# cancel: terms go into arms where they cancel
min(x, y) - x => min(y - x, 0)
max(x + 3, y) - x => max(y - x, 3)
min(m + 256*xo + 255, m + n - 1) - (m + 256*xo) + 1 => min(n - xo*256, 256)
select(c_bool, x + 3, x + 5) - x => select(c_bool, 3, 5)
x - min(x, y) => max(x - y, 0)
max(n - 1, 0) + 1 => max(n, 1)
min(x*4, y)*2 - x*8 => min(y - x*4, 0)*2

# pairs and remainders
min(x, y) + max(x, y) => x + y
min(x, y) + max(x, y) - y => x
select(c_bool, x, y) + select(c_bool, u, v) => select(c_bool, u + x, v + y)
x/4*4 + x%4 => x
a + x/4*8 - y + x%4*2 => x*2 + a - y
x - x/8*8 => x % 8
(n + 255)/256*256 - n => 255 - (n + 255) % 256
x/4*4 + x%8 =/=> x
x/4 + x%4 =/=> x
x/y*y + x%y =/=> x
x - min(x, y) + min(x, y) - x => 0
x - min(x, y) + min(y - x, 0) => 0
max(x - y, 0) + min(y - x, 0) => 0
max(x - y, 3) + min(y - x, -3) => 0
max(x - y, 0) + min(y - z, 0) =/=> 0
z - min(y - x, 0) => z - min(y - x, 0)
-(max(-x, 3)) => min(x, -3)
