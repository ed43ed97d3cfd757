$ hlc lower examples/blur.hl --schedule=tiled --until=99
hlc: error[E0833]: the first 99 directives cannot be applied: the schedule means 6
      = help: give a number from 0 to 6; hlc explain prints them
$ hlc lower examples/blur.hl --schedule=tiled --until=6
