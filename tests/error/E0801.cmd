$ hlc run examples/blurr.hl input=zero:8x8
hlc: error[E0801]: cannot read examples/blurr.hl: No such file or directory
$ hlc run examples/blur.hl input=zero:8x8
