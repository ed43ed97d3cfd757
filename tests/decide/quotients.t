# Quotients and remainders by constants: Euclidean, so that a == a/c*c + a%c and 0 <= a%c < |c|; by 0 both are 0.
true x/3*3 + x%3 == x
true x/(-3)*(-3) + x%(-3) == x
true 0 <= x%(-5) && x%(-5) < 5
true x/0 == 0 && x%0 == 0
true x%7 == x - x/7*7
true (x + 21)/7 == x/7 + 3
true (x/3)/5 == x/15
true (x*6 + 4)/10 == (x*3 + 2)/5
true x/2 + (x + 1)/2 == x
true x/3 + (x + 1)/3 + (x + 2)/3 == x
true (x%6)%3 == x%3
true (x%6)/3 == x/3 - x/6*2
true (x + y)/4 - x/4 - y/4 <= 1
true 0 <= (x + y)/4 - x/4 - y/4
true (x + y)%4 <= x%4 + y%4
true (x*8 + y%8)/8 == x
true (x*8 + y%8)%8 == y%8
true x <= y || y/4 <= x/4
true !(x + 4 <= y) || x/4 < y/4
true x%2 == y%2 || (x + y)%2 == 1
true !(x%4 == 3) || x%2 == 1
true !(x%4 == 1 && y%4 == 1) || (x + y)%4 == 2
true !(x%15 == 7) || x%5 == 2 && x%3 == 1
true !(x%3 == 1 && x%5 == 2) || x%15 == 7
true (x*x)%1 == 0
true (-x)/3 == -((x + 2)/3)
true (7 - x)/7 + (x - 1)/7 == 0
true x/2*2 != y/2*2 + 1
true !(0 <= x && x < 12) || x/4*4 + x%4 < 12
true (x + 15)/16*16 <= x + 15
true x <= (x + 15)/16*16
true (x + 15)/16 - x/16 == select(x%16 == 0, 0, 1)
true (x/8 + 3)/4 == (x + 24)/32
true abs(x)/2*2 <= abs(x)
true abs(x%3 - 1) <= 1
false x%4 == 5
false x*6 == y*4 + 3
false x%6 == 1 && x%4 == 2
false x/5*5 > x
false 2*x + 4*y == 6*z + 1
false x%3 == 0 && x%2 == 1 && x%6 != 3
contingent x/3 == y/3
contingent (x + y)/4 == x/4 + y/4
contingent x%2 == 0 && y%3 == 1
contingent x/4*4 == x
contingent x%12 == 5
true x/(-2) == -(x/2)
contingent (-x)/2 == -(x/2)
contingent (x%5 + y%7)%3 == 2
contingent x/100000 == 77777
