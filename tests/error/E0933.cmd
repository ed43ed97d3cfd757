$ hlc run input=zero:8x8 examples/blur.hl
hlc: error[E0933]: `input=zero:8x8` stands where run takes the file
      = help: write the file first: `hlc run examples/blur.hl input=zero:8x8 ..`
$ hlc run examples/blur.hl input=zero:8x8
