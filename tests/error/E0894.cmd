$ hlc run --extern=near.so examples/blur.hl input=zero:8x8
hlc: error[E0894]: the shared object near.so cannot be loaded: ./near.so: cannot open shared object file: No such file or directory
      = help: build it with `cc -shared -fPIC`; the path is relative to the folder where hlc runs
$ hlc run examples/blur.hl input=zero:8x8
