$ hlc run examples/blur.hl input=zero:0x8 out=8x8
hlc: error[E0815]: refused (empty_image): a boundary condition reads image input, whose extent is 0 in dimension 0
$ hlc run examples/blur.hl input=zero:8x8 out=8x8
