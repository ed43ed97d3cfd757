# Rules found by synthesis (found.rules): each once or more, and next to them what must stay.
min(a, c) <= max(c + 7, g)                       => true
min(a, c) <= max(c - 1, g)                       =/=> true
min(g, c)/2*2 <= g                               => true
min(g, c)/2*2 <= g - 1                           =/=> true
a/4*4 <= max(a, e)                               => true
a/4*4 <= max(a - 1, e)                           =/=> true
min(min(a, b), g) <= min(min(a, b + 5), g)       => true
min(d, b*4) <= max(min(d, b*4 + 1), c)           => true
g <= max((g + 3)/4*4, d)                         => true
g <= max((g + 2)/4*4, d)                         =/=> true
min(b, e + 5)*2 <= max(b*2, d + 6)               => true
min(min(c + 7, f), a + 9) <= c + 13              => true
min(min(c + 7, f), a + 9) <= c + 6               =/=> true
min(d/32*32, b) <= min(d, b)                     => true
min(a + b, c)/2 <= c/2                           => true
min(d, a) <= (d + 3)/4*4                         => true
min(d, a) <= (d + 2)/4*4                         =/=> true
a/3*3 <= max((a + 3)/4*4, a)                     => true
g - 7 <= max(g, f*2)/8*8                         => true
g - 6 <= max(g, f*2)/8*8                         =/=> true
e <= (max(e, b) + 7)/8*8                         => true
e <= (max(e, b) + 6)/8*8                         =/=> true
e/32*32/3*3 <= e + 4                             => true
e/32*32/3*3 <= e - 1                             =/=> true
b*8/3*3 <= max(b*8, a*16)                        => true
d/4*4 <= (max(d, a) + 31)/32*32                  => true
min(e/32*32, b)/16*16 <= e + 3                   => true
(c - 2)/2*2 <= (c + 8)/3*3                       => true
(c - 2)/2*2 <= (c - 1)/3*3                       =/=> true
min(f, d) - 1 <= min(f, d + 4)/2*2               => true
min(f, d) - 1 <= min(f, d - 4)/2*2               =/=> true
min(f, c*4) - 7 <= max(f/8*8, g)                 => true
min(f, c*4) - 6 <= max(f/8*8, g)                 =/=> true
max(a, b) <= max(max(a, c), b + 6)               => true
max(a, b) <= max(max(a, c), b - 1)               =/=> true
max(d*16, f) <= max(max(d*16, g*4), f)           => true
(c*16 + d)/2*2 <= max(c*16 + d + 6, f + 5)       => true
min(b, a) <= max((a + 2)/3*3, c)                 => true
min(b, a) <= max((a + 1)/3*3, c)                 =/=> true
