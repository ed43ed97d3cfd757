# Operators of floats where reassociation is granted: they are the reals.
f32: x + y => associative over the reals, identity 0.0, commutative, made of sum
f64: min(x, y) => associative over the reals, identity inf, commutative, made of minimum
f32: {x.0 + y.0, min(x.1, x.0 + y.1)} => associative over the reals, identity {0.0, inf}, not commutative, made of least_prefix
f32: {x.0 + y.0, max(x.1 + y.0, y.1)} => associative over the reals, identity {0.0, -inf}, not commutative, made of greatest_suffix
f32: {x.0 + y.0, min(x.1, x.0 + y.1), max(x.2, x.0 + y.2)} => associative over the reals, identity {0.0, inf, -inf}, not commutative, made of least_prefix(0, 1) and greatest_prefix(0, 2)
f32: 1 - (1 - x)*(1 - y) => associative over the reals, identity 0.0, commutative
f32: {x.0 + (1 - x.1)*y.0, x.1 + (1 - x.1)*y.1} => associative over the reals, identity {0.0, 0.0}, not commutative
f32: {x.0 + (1 - x.3)*y.0, x.1 + (1 - x.3)*y.1, x.2 + (1 - x.3)*y.2, x.3 + (1 - x.3)*y.3} => associative over the reals, identity {0.0, 0.0, 0.0, 0.0}, not commutative
{bool, f32}: {x.0 && y.0, select(y.0, x.1 + y.1, y.1)} => associative over the reals, identity {true, 0.0}, not commutative, made of run_sum
{bool, f32}: {x.0 || y.0, select(y.0, y.1, x.1*y.1)} => associative over the reals, identity {false, 1.0}, not commutative
# Of these nothing is said: they are not, or there is no theory of their functions.
f32: x - y => unknown
f32: min(max(x + y, 0), 1) => unknown
f32: log(exp(x) + exp(y)) => unknown
f32: (x + y)/(1 + x*y) => unknown
f32: {x.0 + y.0, min(x.1, x.0 - y.1)} => unknown
f32: {x.0 + (1 - x.1)*y.0, x.1 + (1 + x.1)*y.1} => unknown
