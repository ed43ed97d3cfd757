"""Filters on u16 pictures, ours and scipy's: what bench/large.py calls `filters`, `peaks` and `files`."""

GAUSSIAN = """
pipeline gaussian(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun line(x, y) = f32(f(x, y - 2)) * W2 + f32(f(x, y - 1)) * W1 + f32(f(x, y)) * W0 + f32(f(x, y + 1)) * W1 + f32(f(x, y + 2)) * W2;
    fun out(x, y) = u16(line(x - 2, y) * W2 + line(x - 1, y) * W1 + line(x, y) * W0 + line(x + 1, y) * W1 + line(x + 2, y) * W2);
}
schedule fast for gaussian { compute-at(line, out.y);  vectorize(line.x, 16);  vectorize(out.x, 16); }
""".replace("W0", "0.40261996").replace("W1", "0.24420134").replace("W2", "0.05448868")

SOBEL = """
pipeline sobel(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun a(x, y) = f32(f(x, y));
    fun out(x, y) = (a(x + 1, y - 1) - a(x - 1, y - 1)) + (a(x + 1, y) - a(x - 1, y)) * 2.0 + (a(x + 1, y + 1) - a(x - 1, y + 1));
}
schedule fast for sobel { vectorize(out.x, 16); }
"""

UNSHARP = """
pipeline unsharp(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun line(x, y) = f32(f(x, y - 2)) * W2 + f32(f(x, y - 1)) * W1 + f32(f(x, y)) * W0 + f32(f(x, y + 1)) * W1 + f32(f(x, y + 2)) * W2;
    fun blurred(x, y) = line(x - 2, y) * W2 + line(x - 1, y) * W1 + line(x, y) * W0 + line(x + 1, y) * W1 + line(x + 2, y) * W2;
    fun out(x, y) = u16(clamp(f32(f(x, y)) * 2.5 - blurred(x, y) * 1.5, 0.0, 65535.0));
}
schedule fast for unsharp { compute-at(line, out.y);  vectorize(line.x, 16);  inline(blurred);  vectorize(out.x, 16); }
""".replace("W0", "0.40261996").replace("W1", "0.24420134").replace("W2", "0.05448868")


MEDIAN = """
import sort;
pipeline median(input: image<u16, 2>) -> out(input.width, input.height) { fun out = sort.median(mirror_image(input), 2); }
schedule fast for median { sort.fast(out); }
"""


