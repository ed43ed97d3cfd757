$ hlc run examples/blur.hl --interpret=refrence input=zero:8x8
hlc: error[E0822]: option --interpret: it does not take `refrence`
      = help: write one of: reference, semantics, target; did you mean `reference`?
$ hlc run examples/blur.hl --interpret=reference input=zero:8x8
