$ hlc compile examples/blur.hl
hlc: error[E0823]: compile needs the file to write, -o OUT
      = help: hlc compile --help shows how it is used
$ hlc compile examples/blur.hl -o blur.o
