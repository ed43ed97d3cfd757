$ hlc run examples/blur.hl --shedule=fast input=zero:8x8
hlc: error[E0821]: run has no option --shedule=fast
      = help: did you mean `--schedule`?
$ hlc run examples/blur.hl --schedule=fast input=zero:8x8
