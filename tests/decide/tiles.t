# What splits, tiles, strips and windows come to.  m, n: the first coordinate and the number of them; o, i: outer and inner
# variables; k: a factor.
given 0 <= n && 0 <= i && i < 8 && 0 <= o && o < (n + 7)/8
true o*8 + i < n + 7
true min(o*8 + i, n - 1) <= n - 1
true o*8 < n
true o*8 + 8 <= (n + 7)/8*8
true m + min(o*8, n - 8) + i < m + n
true m + min(o*8, n - 8) + i >= m || n < 8
true 0 <= o*8 + i
contingent o*8 + i < n
contingent o < n/8
false n <= 0

given 0 <= n && 0 <= i && i < 8 && 0 <= o && o < (n + 7)/8

given n%16 == 0 && 0 <= o && o < n/16 && 0 <= i && i < 16
true o*16 + i < n
true (o*16 + i)/16 == o
true (o*16 + i)%16 == i
true n/16*16 == n
true (n + 15)/16 == n/16
false o*16 + i == n

# Two levels.
given 0 <= n && 0 <= o && o < (n + 31)/32 && 0 <= p && p < 8 && 0 <= i && i < 4
true o*32 + p*4 + i < n + 31
true (o*32 + p*4 + i)/32 == o
true (o*32 + p*4 + i)%32/4 == p
true (o*32 + p*4 + i)%4 == i
true o*32 + p*4 <= o*32 + 28

# Stencils: the region of a producer covers what a tile of the consumer reads.
given 0 <= i && i < 16
true m + o*16 - 1 <= m + o*16 + i - 1
true m + o*16 + i + 1 < m + o*16 - 1 + 18
true (m + o*16 + i)/2 - m/2 - o*8 <= 8
true (m + o*16 + i + 1)/2 <= (m + o*16 + 16)/2

# A pyramid: up reads down at x/2 and x/2 + 1.
true (x + 1)/2*2 + 2 - (x/2*2 - 3) <= 7
true (x + n + 1)/2 - x/2 <= n/2 + 2
true x/2 - 1 >= (x - 2)/2
true (x + 2*n - 1)/2 <= x/2 + n
true ((x + 3)/4 + 1)/2 == (x + 7)/8

# Regions of examples: 32-bit coordinates.
given 0 <= e && e <= 2147483647 && e + a <= 2147483648 && -2147483648 <= a
true a <= 2147483648
true a + max(e, 1) - 1 <= 2147483647 || a == 2147483648
true a/2*2 - 3 >= -2147483651
contingent a - 1 >= -2147483648

given 0 <= w && w <= 64
true x - w <= x + w
true x + w - (x - w) + 1 == 2*w + 1
true 0 < 2*w + 1
true (n + 2*w)/(2*w + 1)*(2*w + 1) <= n + 2*w
contingent n <= 2*w + 1

# Reversed and mirrored coordinates.
given 0 <= x && x < n
true 0 <= n - 1 - x && n - 1 - x < n
true min(x, n - 1 - x) <= (n - 1)/2
true abs(x - (n - 1 - x)) < n
true clamp(x, 0, n - 1) == x
true clamp(x - 3, 0, n - 1) <= x
true (x*2 + 1)/2 == x

# A loop over a fused variable, of constant width.
given 0 <= f && f < h*24
true 0 <= f/24 && f/24 < h
true 0 <= f%24 && f%24 <= 23
true f/24*24 + f%24 == f
