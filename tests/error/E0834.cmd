$ hlc run examples/blur.hl --schedule=fast --schedule=tiled input=zero:8x8
hlc: error[E0834]: option --schedule is given twice
      = help: keep one of them
$ hlc run examples/blur.hl --schedule=tiled input=zero:8x8
