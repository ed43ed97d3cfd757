$ hlc compile examples/blur.hl --target=x86-64-v9 -o blur.o
hlc: error[E0883]: there is no target `x86-64-v9`
      = help: the targets: host, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vnni, aarch64, aarch64-dotprod
$ hlc compile examples/blur.hl --target=x86-64-v3 -o blur.o
