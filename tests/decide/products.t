# Products of unknowns: in normal form, with signs and bounds.
true x*y == y*x
true (x + y)*z == x*z + y*z
true (x + y)*(x - y) == x*x - y*y
true (x + 1)*(x + 1) == x*x + 2*x + 1
true x*(y/1) - y*x == 0
true min(x*y, z) <= y*x
true select(x < y, min(x*y, z), x*y) <= x*y
true min(z - x*y, w) + x*y <= min(z, x*y + w)
true min((x - y)*z, -7) + y*z + 7 <= min(y*z, x*z + 7)
true ((x*y + z)*2 + 1)/2 == x*y + z
true max((x*y + 11)/7, z) - 1 <= max((x*y + 5)/7, z)
true 0 <= x*x
true x*x >= x
true x*x + y*y >= 2*x*y
true x*x + y*y + 2*x*y >= 0
true x*x + 7 >= 5*x
true (x + y)*(x + y) >= x + y
false x*x < 0
false x*x == 2
contingent x*y < x
contingent x*x == 49
contingent x*y == 35

true 0 <= 3/y*y && 3/y*y <= 3
true max(x, 3)/y*y <= max(x, 3)
true x < 3 || min(x/y*y, x - 3) + 3 <= max(x, 3)/y*y + min(x, 3)
true (x*y + z)/y == x + z/y || y == 0
true x/y/z == x/(y*z) || y <= 0 || z <= 0
true (x + 7)/y >= x/y || y < 0
true select(x < y, min(y*z + u, v)*z - 1, (y*z + u)*z) <= select(x < y, min(y*z + u, v), y*z + u)*z
true x <= y || x*z >= y*z || z < 0
contingent x <= y || x*z >= y*z

given 0 <= x && 0 <= y
true 0 <= x*y
true x*y <= (x + 1)*y
true (x + 1)*(y + 1) >= x + y + 1
true x*y + x + y >= 0

given 0 <= x && x < n && 0 <= y && y < h
true 0 <= y*n + x
true y*n + x < n*h
true y*n + n <= n*h
contingent y*n + x < n

given 1 <= k && 0 <= i && i < k
true i <= k*i
true o*k + i < (o + 1)*k
true o*k <= o*k + i
true o*k + i - o*k == i

given 1 <= k
true x/k*k <= x
true x - k < x/k*k
true 0 <= x%k && x%k < k
true x%k == x - x/k*k
true (x + k)/k == x/k + 1
true x/k <= (x + 1)/k
true x <= (x + k - 1)/k*k

true x/y*y + x%y == x || y == 0
true x%y >= 0
true (0 < y) == (y >= 1)
contingent x/y*y == x
