$ hlc schedule examples/edges.hl --scales=2x
hlc: error[E0990]: `2x` are no scales of sizes
      = help: numbers from 0.001 to 1000 with commas between, at most eight: --scales=0.25,4
$ hlc schedule examples/edges.hl --scales=2
