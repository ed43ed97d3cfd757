$ hlc run examples/blur.hl input=ramp:8x8 out=8x8 -o out.png; head -c 60 out.png > half.png; hlc run examples/blur.hl input=half.png
hlc: error[E0825]: half.png cannot be read as a PNG file: it ends too early
      = help: get the file anew: it is damaged or cut short
$ hlc run examples/blur.hl input=out.png
