$ hlc split examples/equalize.hl --at=histogramm
$ hlc split examples/equalize.hl --at=auto
