$ printf 'pipeline p(a: image<f32, 2>) -> out(1) { fun s(): f32 = { 0.0;  rdom(x = (0, a.width); c = (0, 3)) in () <- s() + a(x, c); }  fun out(i) = s(); }' > p.hl && hlc split p.hl --at=auto
$ printf 'pipeline p(a: image<f32, 2>) -> out(1) { fun s(): f32 = { 0.0;  rdom(c = (0, 3); x = (0, a.width)) in () <- s() + a(x, c); }  fun out(i) = s(); }' > p.hl && hlc split p.hl --at=auto
