$ hlc lower examples/blur.hl --after=schedule > blur.ir; hlc run blur.ir input=zero:8x8 out=8x8
hlc: error[E0818]: this program still has holes to fill and cannot be run; the rule that it breaks: no hole is left (f): allocate f: i32 [(?mem.f.x.min, ?mem.f.x.len), (?mem.f.y.min, ?mem.f.y.len)]
      = help: run the text after pass bounds or a later one
$ hlc lower examples/blur.hl --after=bounds > blur.ir; hlc run blur.ir input=zero:8x8
