$ hlc lower examples/blur.hl | sed 's/out\[out.s0.x, /out[out.s0.x + 9, /' > blur.ir; hlc run blur.ir input=zero:8x8 out=8x8
hlc: error[E0830]: the program in the .ir file goes wrong: out is written at 9 in dimension 0, outside its memory (0, 8), in the store to out in stage 0 (line 71)
      = help: mend its text; if `hlc lower` printed it, after pass checks or a later one, this is a fault of the compiler
$ hlc lower examples/blur.hl > blur.ir; hlc run blur.ir input=zero:8x8
