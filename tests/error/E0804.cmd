$ hlc lower examples/blur.hl --pipeline=blurr
hlc: error[E0804]: there is no pipeline blurr
      = help: the file has: blur; did you mean `blur`?
$ hlc lower examples/blur.hl --pipeline=blur
