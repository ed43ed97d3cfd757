$ hlc compile examples/blur.hl --target=x86-64,aarch64 -o blur.o
hlc: error[E0884]: x86-64 and aarch64 do not go into one object
      = help: give several targets of one kind of processor, each once, and none of them `host`
$ hlc compile examples/blur.hl --target=x86-64,x86-64-v3 -o blur.o
