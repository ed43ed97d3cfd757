$ hlc run examples/unsharp.hl input=ramp:8x8x3 sharp=8x8x3 -o out.png; hlc run examples/blur.hl input=out.png
hlc: error[E0829]: out.png does not fit input `input`: it has 3 channels, and the input two dimensions
      = help: declare image<u8, 3> for it, or take its greys: write gray: before the path
$ hlc run examples/blur.hl input=gray:out.png
