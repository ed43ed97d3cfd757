$ hlc lower examples/blur.hl --allow=E0201
hlc: error[E0930]: E0201 is the code of an error, which can be neither allowed nor denied
      = help: name the code of a warning or a note, or `all`, which is all warnings
$ hlc lower examples/blur.hl --allow=E0433
