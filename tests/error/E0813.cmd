$ printf 'pipeline p() -> out { fun out(x) = 1; }' > p.hl; hlc run p.hl
hlc: error[E0813]: the window of output out is not known
      = help: no input image has as many dimensions; give it as out=SIZE, with 1 extent
$ hlc run p.hl out=8
