$ echo 'pipeline p() -> out(8) { fun f(x) = x; fun out(x): i32 = extern "near"(f(x - 1 .. x + 1)); }' > p.hl; hlc compile --no-extern p.hl -o p.o
p.hl:1:44: error[E0893]: `out` calls the C function `near`, and extern stages are refused here
    1 | pipeline p() -> out(8) { fun f(x) = x; fun out(x): i32 = extern "near"(f(x - 1 .. x + 1)); }
      |                                            ^~~
      = help: compute it in the language, or allow extern stages
$ echo 'pipeline p() -> out(8) { fun f(x) = x; fun out(x): i32 = extern "near"(f(x - 1 .. x + 1)); }' > p.hl; hlc compile p.hl -o p.o
