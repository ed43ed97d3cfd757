$ hlc run examples/blur.hl input=zero:8x8 -o out.gif
hlc: error[E0828]: cannot write out.gif: its ending names no format that is written
      = help: written are .png, .jpg, .tif, .pbm, .pgm, .ppm, .pnm, .pam, .pfm and .npy
$ hlc run examples/blur.hl input=zero:8x8 -o out.png
