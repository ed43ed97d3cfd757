$ hlc run examples/blur.hl input=randm:1:8x8
hlc: error[E0835]: input `input`: randm:1:8x8 is not a file, and there are no contents named `randm`
      = help: did you mean `random:`?
$ hlc run examples/blur.hl input=random:1:8x8
