$ printf 'pipeline p(a: image<f32, 2>) -> out(1) { fun s(): f32 = { 0.0;  rdom(x = (0, a.width); c = (0, 3)) in () <- s() + a(x, c); }  fun out(i) = s(); }' > p.hl && hlc split p.hl --at=auto
p.hl:1:65: error[E0983]: an update of `s` cannot run in blocks: `x` has many iterations, but `c` is the outermost variable, and the operator is not known to allow another order
    1 | pipeline p(a: image<f32, 2>) -> out(1) { fun s(): f32 = { 0.0;  rdom(x = (0, a.width); c = (0, 3)) in () <- s() + a(x, c); }  fun out(i) = s(); }
      |                                                                 ^~~~
      = help: name `x` last in the rdom, if the values may be computed in that order
$ printf 'pipeline p(a: image<f32, 2>) -> out(1) { fun s(): f32 = { 0.0;  rdom(c = (0, 3); x = (0, a.width)) in () <- s() + a(x, c); }  fun out(i) = s(); }' > p.hl && hlc split p.hl --at=auto
