$ echo hello > hello.png; hlc run examples/blur.hl input=hello.png
hlc: error[E0840]: hello.png is no image file: its first bytes are no format's that is read
      = help: read are PNG, JPEG, TIFF, PBM, PGM, PPM, PNM, PAM, PFM and NumPy
$ hlc run examples/blur.hl input=ramp:8x8 -o ramp.png; hlc run examples/blur.hl input=ramp.png
