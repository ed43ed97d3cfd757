$ hlc run examples/blur.hl inptu=zero:8x8
hlc: error[E0809]: inptu is neither an input nor an output of blur
      = help: its inputs and outputs: input, w, out; did you mean `input`?
$ hlc run examples/blur.hl input=zero:8x8
