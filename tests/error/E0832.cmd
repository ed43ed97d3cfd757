$ hlc run examples/integral.hl input=ramp:8x8 -o mean=a.npy -o table=a.npy
hlc: error[E0832]: two outputs would be written to a.npy
      = help: give each a file of its own
$ hlc run examples/integral.hl input=ramp:8x8 -o mean=a.npy -o table=b.npy
