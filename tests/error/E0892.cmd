$ echo 'pipeline p() -> out(8) { fun f(x) = x; fun out(x): i32 = extern "near"(f(x - 1 .. x + 1)); }' > p.hl; hlc run p.hl
p.hl:1:58: error[E0892]: the C function `near` of an extern stage is not known here
    1 | pipeline p() -> out(8) { fun f(x) = x; fun out(x): i32 = extern "near"(f(x - 1 .. x + 1)); }
      |                                                          ^~~~~~
      = help: name the shared object that defines it: --extern=./lib.so; a host of the library calls hlc_register_extern
$ echo 'pipeline p() -> out(8) { fun f(x) = x; fun out(x) = f(x - 1) + f(x + 1); }' > p.hl; hlc run p.hl
