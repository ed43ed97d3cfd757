# The index arithmetic of split, sliding and clamped loops.
min(xo*8 + 7, n - 1) - min(xo*8, n - 1) <= 7 => true
min((xo + 1)*8, n) - xo*8 <= 8 => true
min(n - xo*8, 8) <= 8 => true
max(min(n - xo*8, 8), 0) <= 8 => true
min(xo*8, n - 8) + 7 <= n - 1 => true
max(min(xo*8, n - 8), 0) + 8 <= max(n, 8) => true
min(xo*8 + xi % 8, n - 1) <= n - 1 => true
(xo*8 + xi % 8)/8 => xo
(xo*8 + xi % 8) % 8 => xi % 8
(xo*8 + xi % 8)/4 => xo*2 + xi/4 % 2
(xo*8 + xi % 8)/16 => xo/2
(xo*8 + xi % 8)/32 => xo/4
(xo*8 + xi % 8) % 32 => xo % 4*8 + xi % 8
(xo*64 + xm % 8*8 + xi % 8)/8 => xo*8 + xm % 8
(xo*64 + xm % 8*8 + xi % 8)/64 => xo
(xo*64 + xm % 8*8 + xi % 8) % 64 => xm % 8*8 + xi % 8
(xo*64 + xm % 8*8 + xi % 8) % 8 => xi % 8
((n + 7)/8 - 1)*8 + 7 - n => 6 - (n + 7) % 8
(n + 7)/8*8 - n <= 7 => true
(n + 7)/8*8 >= n => true
(n + 7)/8 - 1 < n/8 + 1 => true
((n + 7)/8*8 + 7)/8 => (n + 7)/8
(n - 1)/8*8 + 8 >= n => true
(n - 1)/8 + 1 => (n + 7)/8
(n + 7)/8 - (n - 1)/8 => 1
(n + 15)/16*2 - (n + 7)/8 => (n + 15)/16*2 - (n + 7)/8
n/8*8 + n % 8 - n => 0
(n/8 + 1)*8 - n => 8 - n % 8
min(y + 2, h - 1) - max(y - 2, 0) <= 4 => true
min(y + 1, h) - min(y, h) <= 1 => true
min(y + 1, h) - min(y, h) >= 0 => true
clamp(x + 1, 0, n) - clamp(x, 0, n) <= 1 => true
clamp(x + 1, 0, n) - clamp(x, 0, n) >= 0 => true
n*(x + 1) - n*x => n
n*x % n => 0
(n*x + y % n) % n => y % n
max(n, 1)*x/max(n, 1) => x
(max(n, 1)*x + 3)/max(n, 1) => 3/max(n, 1) + x
x % max(n, 1) < max(n, 1) => true
x % max(n, 1) >= 0 => true
x/max(n, 1)*max(n, 1) <= x => true
x/max(n, 1)*max(n, 1) + x % max(n, 1) => x
