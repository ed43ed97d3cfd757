$ hlc run examples/blur.hl --schedule=fats input=zero:8x8 out=8x8
hlc: error[E0807]: pipeline blur has no schedule fats
      = help: its schedules: tiled, fast; did you mean `fast`?
$ hlc run examples/blur.hl --schedule=fast input=zero:8x8
