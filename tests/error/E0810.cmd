$ hlc run examples/blur.hl
hlc: error[E0810]: input `input` has no value
      = help: give it as input=..; a picture file, or contents such as random:SEED:640x480
$ hlc run examples/blur.hl input=zero:8x8
