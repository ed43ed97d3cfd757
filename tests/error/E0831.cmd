$ hlc run examples/integral.hl input=ramp:8x8 -o mean.npy
hlc: error[E0831]: the pipeline has several outputs, and -o mean.npy does not say which of them it means
      = help: the outputs: table, mean; write -o OUTPUT=FILE
$ hlc run examples/integral.hl input=ramp:8x8 -o mean=mean.npy
