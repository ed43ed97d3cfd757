$ hlc explain E9999
hlc: error[E0819]: there is no diagnostic with the code E9999
      = help: `hlc --tables` lists them all
$ hlc explain E0525
