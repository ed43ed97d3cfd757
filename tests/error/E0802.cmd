$ hlc run examples/blur.hl input=zero:8x8 out=8x8 -o nowhere/out.png
hlc: error[E0802]: cannot write nowhere/out.png: No such file or directory
$ hlc run examples/blur.hl input=zero:8x8 -o out.png
