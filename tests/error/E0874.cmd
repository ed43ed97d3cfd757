$ hlc lower examples/blur.hl > blur.ir; hlc run blur.ir --domain=out=8x8 input=zero:8x8 out=2x2
hlc: error[E0874]: `out` has no domain: pipeline blur was not loaded in the window form
      = help: load it with hlc_use_windows; on the command line, --windows
$ hlc run examples/blur.hl --domain=out=8x8 input=zero:8x8 out=2x2
