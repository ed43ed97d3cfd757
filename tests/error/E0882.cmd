$ printf 'pipeline main() -> out { fun out(x) = 1; }' > p.hl; hlc run p.hl out=8
hlc: error[E0882]: compiled code cannot define a function named `main`
      = help: rename the pipeline
$ printf 'pipeline ones() -> out { fun out(x) = 1; }' > p.hl; hlc run p.hl out=8
