$ printf 'pipeline p() -> out { fun out(x) = 1; }' > p.hl; hlc run p.hl out=8 -o out.png
hlc: error[E0826]: output out cannot be written to out.png: a PNG file does not hold i32
      = help: it holds u8 u16 only: cast in the pipeline, or write a .npy file
$ printf 'pipeline p() -> out { fun out(x, y) = u8(1); }' > p.hl; hlc run p.hl out=8x8 -o out.png
