$ hlc run examples/blur.hl --target=aarch64 input=zero:8x8 out=8x8
hlc: error[E0885]: code for aarch64 cannot run on this machine
      = help: `hlc compile --target=aarch64 -o OUT.o` writes it as an object
$ hlc compile examples/blur.hl --target=aarch64 -o blur.o
