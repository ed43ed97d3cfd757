$ printf 'pipeline p() -> out { fun out(x) = 1; } pipeline q() -> out { fun out(x) = 2; }' > two.hl; hlc run two.hl out=8
hlc: error[E0805]: the file has more than one pipeline
      = help: choose with --pipeline: p, q
$ hlc run two.hl out=8 --pipeline=q
