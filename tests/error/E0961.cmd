$ hlc schedule examples/blur.hl --name=tiled
hlc: error[E0961]: the pipeline `blur` has a schedule `tiled`
      = help: give the new one another name, --name=NAME
$ hlc schedule examples/blur.hl --name=mine
