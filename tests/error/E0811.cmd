$ hlc run examples/blur.hl input=zero:8x8 w=many
hlc: error[E0811]: many is not a value for w, which is a parameter of type i32
      = help: write a whole number from -2147483648 to 2147483647
$ hlc run examples/blur.hl input=zero:8x8 w=2
