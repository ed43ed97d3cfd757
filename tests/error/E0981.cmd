$ hlc split examples/equalize.hl --at=histogramm
hlc: error[E0981]: there is no func `histogramm` to cut at
      = help: the funcs: count, cdf, level, out; or `auto`
$ hlc split examples/equalize.hl --at=auto
