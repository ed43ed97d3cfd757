$ hlc lower examples/blur.hl level=2
hlc: error[E0890]: `level` is no const parameter, and lower takes no other values
      = help: there is none
$ hlc lower examples/blur.hl
