$ hlc run --root=. examples/blur.hl input=zero:8x8
hlc: error[E0843]: examples/blur.hl lies outside of the folder that --root names
      = help: give a file of that folder; links do not lead out of it
$ cp examples/blur.hl .; hlc run --root=. blur.hl input=zero:8x8
