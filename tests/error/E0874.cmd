$ hlc lower examples/blur.hl > blur.ir; hlc run blur.ir --domain=out=8x8 input=zero:8x8 out=2x2
$ hlc run examples/blur.hl --domain=out=8x8 input=zero:8x8 out=2x2
