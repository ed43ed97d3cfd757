# Absolute values, as such and written with min, max and select.
abs(min(x, 0)) => min(x, 0)*-1
abs(max(x, 0)) => max(x, 0)
abs(x - y) - abs(y - x) => 0
abs(abs(x)) => abs(x)
abs(x*3) => abs(x)*3
abs(x*-3) => abs(x)*3
abs(x) >= 0 => true
abs(x) < 0 => false
abs(x) == 0 => x == 0
abs(x) <= 0 => x == 0
abs(x) > 0 => x != 0
abs(x) >= x => true
abs(x) <= 3 => abs(x) <= 3
abs(x) < y => abs(x) < y
max(x, -x) => abs(x)
min(x, -x) => abs(x)*-1
max(abs(x), 0) => abs(x)
max(abs(x), x) => abs(x)
min(abs(x), x) => x
abs(x) + x >= 0 => true
abs(x) - x >= 0 => true
abs(x)*2 - abs(x*2) => 0
select(x < y, y - x, x - y) - abs(x - y) => 0
