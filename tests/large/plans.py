"""Plans written by hand, in the format of docs/large-split.md, for pipelines that need the whole."""

def part(text, images=(), outputs=(), parameters=(), schedule=""):
    """`images` and `outputs`: {name: array}, or names that are their arrays'."""
    def ports(given):
        return [{"name": n, "array": a} for n, a in (given.items() if isinstance(given, dict) else ((g, g) for g in given))]
    name = text.split("(")[0].split()[-1]
    return {"pipeline": name, "text": text, "schedule": schedule, "images": ports(images), "domains": list(images), "parameters": list(parameters),
            "outputs": ports(outputs)}


EQUALIZE = """
pipeline equalize(a: image<u8, 2>) -> out(a.width, a.height) {
    fun counts(i) = { u32(0); rdom(r = (0, a.width); s = (0, a.height)) in (a(r, s)) <- counts(a(r, s)) + 1; }
    fun sums(i) = { counts(i); rdom(r = (1, 255)) in (r) <- sums(r) + sums(r - 1); }
    fun out(x, y) = u8(sums(a(x, y)) * 255 / u32(a.width * a.height));
}
"""


def equalize(merge=True):
    return {
        "format": 2, "pipeline": "equalize",
        "inputs": [{"name": "a", "type": "u8", "dimensions": 2}],
        "outputs": [{"name": "out", "type": "u8", "dimensions": 2, "array": "out"}],
        "whole": part(EQUALIZE, ["a"], ["out"]),
        "arrays": [{"name": "start", "type": "u32", "dimensions": 1, "step": 0},
                   {"name": "counts", "type": "u32", "dimensions": 1, "step": 1},
                   {"name": "out", "type": "u8", "dimensions": 2, "step": 2}],
        "steps": [
            {"kind": "map", "part": part("pipeline start() -> start { fun start(i) = u32(0); }", [], ["start"])},
            {"kind": "chain", "part": part(
                "pipeline count(a: image<u8, 2>, before: image<u32, 1>, first: i32, end: i32) -> counts {"
                " fun counts(i) = { before(i); rdom(r = (0, a.width); s = (first, end - first)) in"
                " (a(r, s)) <- counts(a(r, s)) + 1; } }", ["a"], ["counts"]),
             "before": [{"name": "before", "array": "start"}],
             "range": part("pipeline range(a: image<u8, 2>) -> range(a.height) { fun range(i) = i; }", ["a"], ["range"]),
             "first": "first", "end": "end",
             "windows": [False],
             "merge": merge and {
                 "part": part("pipeline merge(left: image<u32, 1>, right: image<u32, 1>) -> counts {"
                              " fun counts(i) = left(i) + right(i); }", [], ["counts"]),
                 "left": ["left"], "right": ["right"], "commutative": True,
                 "identity": part("pipeline identity() -> counts { fun counts(i) = u32(0); }", [], ["counts"])} or None},
            {"kind": "map", "part": part(
                "pipeline last(a: image<u8, 2>, counts: image<u32, 1>) -> out(a.width, a.height) {"
                " fun sums(i) = { counts(i); rdom(r = (1, 255)) in (r) <- sums(r) + sums(r - 1); }"
                " fun out(x, y) = u8(sums(a(x, y)) * 255 / u32(a.width * a.height)); }", ["a", "counts"], ["out"])}],
        "notes": []}


MEAN = """
pipeline centre(a: image<f32, 2>, gain: f32) -> (out(a.width, a.height), sum) {
    fun sum() = { 0.0f; rdom(r = (0, a.width); s = (0, a.height)) in () <- sum() + a(r, s); }
    fun out(x, y) = (a(x, y) - sum() / f32(a.width * a.height)) * gain;
}
""".replace("0.0f", "0.0")


def mean():
    return {
        "format": 2, "pipeline": "centre", "inputs": [],
        "outputs": [{"name": "out", "type": "f32", "dimensions": 2, "array": "out"},
                    {"name": "sum", "type": "f32", "dimensions": 0, "array": "sum"}],
        "whole": part(MEAN, ["a"], ["out", "sum"], ["gain"]),
        "arrays": [],
        "steps": [
            {"kind": "map", "part": part("pipeline start() -> start(1) { fun start(i) = 0.0; }", [], ["start"])},
            {"kind": "chain", "part": part(
                "pipeline add(a: image<f32, 2>, before: image<f32, 1>, first: i32, end: i32) -> sum(1) {"
                " fun sum(i) = { before(i); rdom(r = (0, a.width); s = (first, end - first)) in (i) <- sum(i) + a(r, s); } }",
                ["a"], ["sum"]),
             "before": [{"name": "before", "array": "start"}],
             "range": part("pipeline range(a: image<f32, 2>) -> range(a.height) { fun range(i) = i; }", ["a"], ["range"]),
             "first": "first", "end": "end",
             "windows": [True], "merge": None},
            {"kind": "map", "part": part(
                "pipeline last(a: image<f32, 2>, sum: image<f32, 1>, gain: f32) -> out(a.width, a.height) {"
                " fun out(x, y) = (a(x, y) - sum(0) / f32(a.width * a.height)) * gain; }", ["a", "sum"], ["out"], ["gain"])}],
        "notes": []}


SCAN = """
pipeline fall(a: image<i32, 2>) -> out(a.width, a.height) {
    fun out(x, y) = { a(x, y); rdom(j = (2, a.height - 2)) in (x, j) <- out(x, j - 2) * 3 + out(x, j - 1) + a(x, j); }
}
"""


def scan():
    return {
        "format": 2, "pipeline": "fall", "inputs": [],
        "outputs": [{"name": "out", "type": "i32", "dimensions": 2, "array": "out"}],
        "whole": part(SCAN, ["a"], ["out"]), "arrays": [],
        "steps": [{
            "kind": "scan", "part": part(
                "pipeline fall(a: image<i32, 2>, before: image<i32, 2>, first: i32, end: i32) -> out(a.width, a.height) {"
                " fun out(x, y) = { select(y < first, before(x, min(y, first - 1)), a(x, clamp(y, 0, a.height - 1)));"
                " rdom(j = (max(2, first), max(min(end, a.height) - max(2, first), 0))) in"
                " (x, j) <- out(x, j - 2) * 3 + out(x, j - 1) + a(x, j); } }", ["a"], ["out"]),
            "range": part("pipeline range(a: image<i32, 2>) -> range((2, a.height - 2)) { fun range(i) = i; }", ["a"], ["range"]),
            "along": [{"dimension": 1, "toward": "higher", "reach": 2, "before": [{"name": "before", "array": "out"}],
                       "first": "first", "end": "end"}],
            "windows": [True, True]}],
        "notes": []}


# Plans of `hlc split`: a scan toward lower coordinates, then tiles along both dimensions toward different corners.
TILES = """
pipeline tiles(a: image<i32, 2>) -> (out(a.width, a.height), low(a.width, a.height)) {
    let src = repeat_edge(a);
    fun low(x, y) = { src(x, y);  rdom(j = (1, a.height - 1)) in (x, a.height - 1 - j) <- low(x, a.height - j) * 3 + src(x, j); }
    fun out(x, y) = {
        low(x, y);
        rdom(j = (0, a.height); i = (2, a.width - 2)) in (i, a.height - 1 - j) <-
            max(out(i - 2, a.height - j), out(i - 1, a.height - 1 - j)) + src(i, j) + out(i + 1, a.height - 2 - j) % 7;
    }
}
"""


# The equations of a recurrence, which read an index that a window knows less exactly than the whole does.
EQUATIONS = """
pipeline equations(a: image<i32, 2>) -> (table(a.width + 1, a.height + 1), last) {
    fun turned(x) = a(x % a.width, 0) + x;
    recurrence (i = (0, a.width + 1); j = (0, a.height + 1)) {
        fun table(i, j): i32;
        fun gap(i, j): i32 = select(i == 0, turned(j % 5), max(gap(i - 1, j), table(i - 1, j)) - 3);
        fun table(i, j): i32 = select(i == 0 || j == 0, 0, max(table(i - 1, j - 1) + a(i - 1, j - 1) % 9 - 4, gap(i, j)));
    }
    fun last() = table(a.width, a.height);
}
"""
