$ hlc check examples/find.hl --schedule=fast --rounds=1 input=zero:8x8 patch=zero:9x9
hlc: error[E0865]: pipeline `find` under schedule `fast`: only 0 of 2 runs compared a point
      = help: give windows, images and parameters that it takes (name=value), or ask for more --rounds; hlc contract says what it takes
$ hlc check examples/find.hl --schedule=fast --rounds=1 input=zero:8x8 patch=zero:3x3
