$ hlc run examples/blur.hl input=zero:8x8 -o result=out.png
hlc: error[E0827]: there is no output result
      = help: write -o OUTPUT=FILE, or for the only output -o FILE; the outputs: out
$ hlc run examples/blur.hl input=zero:8x8 -o out=out.png
