$ printf 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = f32(a(x, y)); }' > p.hl && hlc run p.hl a=ramp:16x16 -o out.png --deny=E0434
hlc: note[E0866]: the window of output `out` is not given: it is the box of input `a`
      = help: if another is meant, give it; this one is out=16x16
hlc: error[E0434]: 253 of 256 samples of output `out` are greater than 1, and are clamped to white in out.png
      = help: a float is written to a picture as [0, 1]: divide by the greatest value, e.g. by 255; or write a TIFF, PFM or .npy file, which holds floats
$ printf 'pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = f32(a(x, y)) / 255.0; }' > p.hl && hlc run p.hl a=ramp:16x16 -o out.png --deny=E0434
