$ hlc run examples/blur.hl input=zero:8
hlc: error[E0812]: 8 is not a size for input, which has 2 dimensions
      = help: write extents and, where needed, the minimum coordinates: 640x480 or 640x480+-1+0
$ hlc run examples/blur.hl input=zero:8x8
