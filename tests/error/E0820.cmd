$ hlc rnu examples/blur.hl input=zero:8x8
hlc: error[E0820]: there is no command rnu
      = help: did you mean `run`?
$ hlc run examples/blur.hl input=zero:8x8
