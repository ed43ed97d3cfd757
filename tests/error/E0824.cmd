$ hlc lower examples/blur.hl fast
hlc: error[E0824]: lower does not know what to do with fast
      = help: hlc lower --help shows how it is used
$ hlc lower examples/blur.hl --schedule=fast
