$ hlc lower examples/blur.hl > blur.ir; hlc run --no-ir blur.ir input=zero:8x8
hlc: error[E0844]: blur.ir holds a target program, and these are refused here
      = help: give the .hl file, or leave --no-ir away
$ hlc run --no-ir examples/blur.hl input=zero:8x8
