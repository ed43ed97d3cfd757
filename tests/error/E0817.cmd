$ hlc lower examples/blur.hl > blur.ir; hlc run blur.ir --schedule=fast input=zero:8x8 out=8x8
hlc: error[E0817]: a schedule needs an algorithm, and a .ir file holds a target program only
      = help: give the .hl file
$ hlc run blur.ir input=zero:8x8
