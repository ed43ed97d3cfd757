$ hlc schedule examples/blur.hl --name=2fast
hlc: error[E0960]: a schedule cannot be named `2fast`
      = help: a name has letters, digits and `_`, and begins with no digit
$ hlc schedule examples/blur.hl --name=fast2
