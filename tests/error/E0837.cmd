$ hlc run examples/blur.hl input=zero:8x8 w=1 w=2
hlc: error[E0837]: argument `w` is given twice
      = help: keep one of them
$ hlc run examples/blur.hl input=zero:8x8 w=2
