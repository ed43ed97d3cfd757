$ hlc lower examples/blur.hl level=2

$ hlc lower examples/blur.hl