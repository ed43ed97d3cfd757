$ hlc run --run-memory-limit=20 examples/blur.hl input=zero:2000x2000
examples/blur.hl:2:10: error[E0848]: the run takes up to 56144144 bytes of memory, and 20 MB are allowed
    2 | pipeline blur(input: image<u8, 2>, w: i32 = 3 in 0..64) -> out(input.width, input.height) {
      |          ^~~~
      = help: run it on a smaller window, or under a schedule that stores less (hlc contract), or allow more (--run-memory-limit)
$ hlc run --run-memory-limit=100 examples/blur.hl input=zero:2000x2000
