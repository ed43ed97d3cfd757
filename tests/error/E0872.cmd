$ printf 'pipeline p(a: image<f32, 2, strided>) -> out with reassociation { fun out(x, y) = a(x, y); } schedule s for p { specialize(out, a.stride(0) == 1); }' > p.hl && hlc compile p.hl --windows --schedule=s -o p.o
p.hl:1:129: error[E0872]: the stride of a cannot steer this schedule in the window form: the pipeline grants `reassociation`, so floats could depend on where windows lie in memory
    1 | pipeline p(a: image<f32, 2, strided>) -> out with reassociation { fun out(x, y) = a(x, y); } schedule s for p { specialize(out, a.stride(0) == 1); }
      |                                                                                                                                 ^~~~~~~~
      = help: use extents, which are those of the whole; or drop the option `reassociation`
$ printf 'pipeline p(a: image<f32, 2, strided>) -> out with reassociation { fun out(x, y) = a(x, y); } schedule s for p { specialize(out, a.extent(0) == 1); }' > p.hl && hlc compile p.hl --windows --schedule=s -o p.o
