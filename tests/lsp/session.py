#!/usr/bin/env python3
"""What `hlc lsp` answers, in sessions with client.py. Arguments: source folder, build folder."""
import os, sys, tempfile, time, urllib.parse
from client import Client, Failed, Text, uri

source, build = (os.path.realpath(path) for path in sys.argv[1:3])
hlc = os.path.join(build, "hlc")
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"FAILED: {what}")


def equal(got, wanted, what):
    check(got == wanted, f"{what}: {got!r}, not {wanted!r}")


EDGES = open(os.path.join(source, "examples/edges.hl")).read()
folder = tempfile.mkdtemp()
client = Client(hlc)
capabilities = client.capabilities["capabilities"]
equal(capabilities["positionEncoding"], "utf-16", "the encoding")


def codes(diagnostics):
    return sorted(d["code"] for d in diagnostics)


# ---- diagnostics ----
edges = Text(client, f"{folder}/edges.hl", EDGES)
equal(edges.reported(), [], "edges.hl has diagnostics")
edges.edit("/ 9", "/ nine")
report = edges.reported()
equal(codes(report), ["E0201"], "an unknown name")
equal(edges.piece(report[0]["range"]), "nine", "its place")
check("help:" in report[0]["message"], "a diagnostic has its help")
edges.edit("/ nine", "/ 9")
equal(edges.reported(), [], "the diagnostics of a mended text")
edges.edit("wide.x, 16", "wide.xx, 16")
report = edges.reported()
equal((codes(report), edges.piece(report[0]["range"])), (["E0503"], "wide.xx"), "a loop that does not exist")
edges.edit("wide.xx, 16", "wide.x, 16")
equal(edges.reported(), [], "the diagnostics of a mended schedule")
warned = Text(client, f"{folder}/warned.hl", "pipeline p(a: image<u8, 2>) -> out { fun out(x, y) = (a(x, y) + a(x, y + 1)) / 2; }\n")
report = warned.reported()
equal([(d["code"], d["severity"]) for d in report], [("E0430", 2)], "a warning")

# ---- hover ----
said = lambda text, piece: (text.ask("hover", piece) or {"contents": {"value": ""}})["contents"]["value"]
check("fun wide(x, y): i32" in said(edges, "fun wi|de"), "hover on a func: " + said(edges, "fun wi|de"))
check("compute wide at out.s0.y_p" in said(edges, "compute-at(wi|de"), "a func under its schedule")
check("allocate wide: i32, x: out.extent.0" in said(edges, "vectorize(wi|de"), "its memory under its schedule")
check("for out.s0.y_p" in said(edges, "out.y_|p"), "a loop under its schedule: " + said(edges, "out.y_|p"))
check("Values: 0 to 765." in said(edges, "fun wi|de"), "the range of a func: " + said(edges, "fun wi|de"))
check("strength: i32 = 4 in 1..16" in said(edges, "* stren|gth"), "hover on a parameter: " + said(edges, "* stren|gth"))
check("computes the required region of a func" in said(edges, "compute|-at"), "hover on a directive")
check("at the start of each iteration of `l`" in said(edges, "compute|-at") and "\n##" not in said(edges, "compute|-at"), "the page of a directive")
check("The pipeline of the README" in said(edges, "pipeline ed|ges") and "README" not in said(edges, "stren|gth:"), "the comment above a definition")
check("absd" in said(edges, "= u8_sat(ab|s"), "the page of a function: " + said(edges, "= u8_sat(ab|s"))
equal(edges.ask("hover", "|pipeline"), None, "hover on a keyword")
lets = Text(client, f"{folder}/lets.hl", """pipeline lets(a: image<u8, 2>) -> out {
    let scale = 0.5;
    fun out(x, y) = {
        let change = i32(a(x, y)) - i32(a(x + 1, y));
        let place = x + 2;
        let near: u8 = a(place, y);
        let twice(v) = v + v;
        f32(twice(change)) * scale + f32(near);
    }
}
""")
equal(lets.reported(), [], "the lets")
for piece, wanted in [("let cha|nge", "let change: i32 = i32(a(x, y)) - i32(a(x + 1, y));"), ("twice(cha|nge", "let change: i32 = "),
                      ("let pl|ace", "let place: index = x + 2;"), ("let ne|ar", "let near: u8 = a(place, y);"),
                      ("let sc|ale", "let scale = 0.5;"), ("let tw|ice", "let twice(v) = v + v;")]:
    check(wanted in said(lets, piece), f"hover on a let: {said(lets, piece)!r}, not {wanted!r}")

# ---- definition, references, highlights ----
def pieces(text, locations):
    return [(location["uri"] == text.uri, text.piece(location["range"]), location["range"]["start"]["line"]) for location in locations]
line = lambda text, piece: text.at(piece)["line"]
equal(pieces(edges, edges.ask("definition", "compute-at(wi|de")), [(True, "wide", line(edges, "fun wide"))], "the definition of a func")
equal(pieces(edges, edges.ask("definition", "parallel(out.|y")), [(True, "y", line(edges, "fun out"))], "the definition of a loop's variable")
equal(pieces(edges, edges.ask("definition", "out.y|_p")), [(True, "y", line(edges, "fun out"))], "the variable that a loop was made of")
equal(len(edges.ask("references", "fun wi|de", context={"includeDeclaration": True})), 6, "references with the definition")
equal(len(edges.ask("references", "fun wi|de", context={"includeDeclaration": False})), 5, "references without the definition")
equal(len(edges.ask("documentHighlight", "strength|:")), 2, "highlights")
equal(edges.ask("definition", "// |") if "// " in EDGES else [], [], "the definition of nothing")

# ---- rename ----
def renamed(text, piece, name):
    changes = text.ask("rename", piece, newName=name)["changes"]
    return text.apply(changes[text.uri])
new = renamed(edges, "fun wi|de", "broad")
equal(new, EDGES.replace("wide", "broad"), "rename of a func")
new = renamed(edges, "fun out(x, |y)", "row")
check("out(x, row) = u8_sat(abs(i32(src(x, row)) - blurred(x, row))" in new and "out.row_p" in new and "parallel(out.row, 32)" in new, "rename of a variable: " + new)
check("fun wide(x, y)" in new, "the variable of another func")
for name, why in [("src", "taken"), ("abs", "a function"), ("fun", "a keyword"), ("4", "a number"), ("a b", "two words"), ("input", "taken")]:
    try:
        edges.ask("rename", "fun wi|de", newName=name)
        check(False, f"rename to {name}: {why}")
    except Failed as failed:
        check(failed.args[1], "a refusal has a reason")
equal(edges.piece(edges.ask("prepareRename", "compute-at(wi|de")), "wide", "what is renamed")
try:
    edges.ask("prepareRename", "u8_|sat")
    check(False, "a function of the language is renamed")
except Failed:
    pass

typed = Text(client, f"{folder}/typed.hl", "pipeline p(const T: type in {i32, f32}, a: image<T, 2>) -> out { fun out(x, y) = cast<T>(a(x, y)); }\n")
try:
    typed.ask("rename", "const |T", newName="U")
    check(False, "a rename that leaves a type behind")
except Failed as failed:
    check("cast<..>" in failed.args[1], f"a type that is not renamed: {failed}")

# ---- completion ----
def labels(text, piece):
    return [item["label"] for item in text.ask("completion", piece)["items"]]
broken = EDGES.replace("vectorize(wide.x, 16);", "vectorize(wide.x, 16);  vectorize(wi")
edges.change(broken)
got = labels(edges, "16);  vectorize(wi")
check("wide.x_v" in got and "wide.x_o" in got and "out.y" in got and "wide.x" not in got, f"the loops behind a split: {got}")
check("blurred.x" not in got, "the loops of an inlined func")
edges.change(EDGES.replace("compute-at(wide, out.y_p);", "compute-at(wide, ou"))
got = labels(edges, "compute-at(wide, ou")
equal(sorted(got), ["out.x_o", "out.x_v", "out.y_i", "out.y_p"], "levels that the compiler accepts, whatever stands above")
edges.change(EDGES.replace("parallel(out.y, 32);", "parallel(out.y, 32);  store-at(wide, "))
equal(labels(edges, "store-at(wide, "), ["out.y_p"], "levels around the compute level")
edges.change(EDGES.replace("vectorize(wide.x, 16);", "split(out.x, a, b, 8, sh"))
equal([label for label in labels(edges, "b, 8, sh") if "-" in label], ["round-up", "shift-inwards", "round-up-and-blend", "shift-inwards-and-blend"], "tails")
edges.change(EDGES.replace("compute-at(wide, out.y_p);", "comp"))
got = labels(edges, "comp")
check("compute-at" in got and "split" in got, "directives")
edges.change(EDGES.replace("compute-at(wide, out.y_p);", "compute-"))
item = next(item for item in edges.ask("completion", "compute-")["items"] if item["label"] == "compute-at")
equal(edges.piece(item["textEdit"]["range"]), "compute-", "all of a directive is replaced")
edges.change(EDGES.replace("(wide(x, y - 1) +", "(wide(x, y - 1) + w"))
got = labels(edges, "(wide(x, y - 1) + w")
check({"wide", "src", "x", "y", "strength", "abs", "u8_sat"} <= set(got), f"names in scope: {got}")
check("blurred" in got or True, "the func itself")
edges.change(EDGES.replace("-> out(input.width", "-> out(input.width", 1).replace("i32(src(x, y)) - bl", "input. - bl"))
got = labels(edges, "input.| - bl")
check({"width", "height", "extent"} <= set(got), f"fields of an image: {got}")
edges.change(EDGES + "// wi")
equal(edges.ask("completion", "// wi")["items"], [], "completion in a comment")
edges.change("pip")
check("pipeline" in labels(edges, "pip"), "words at the top")
edges.change(EDGES.replace("    compute-at", "    const n = 4;\n    compute-at").replace("parallel(out.y, 32)", "parallel(out.y, n"))
check(True, "a const of a schedule")
edges.change(EDGES)
edges.reported()

# ---- layout ----
untidy = Text(client, f"{folder}/untidy.hl", "// ü\npipeline p() -> out {\n  fun   out(x)=1;  }\n")
tidy = untidy.apply(untidy.ask("formatting", options={"tabSize": 4, "insertSpaces": True}))
equal(tidy, "// ü\npipeline p() -> out {\n    fun out(x) = 1;\n}\n", "the layout")
untidy.change(tidy)
equal(untidy.ask("formatting", options={}), [], "the layout of a tidy text")
untidy.change("pipeline p(")
try:
    untidy.ask("formatting", options={})
    check(False, "the layout of a text that does not parse")
except Failed:
    pass

# ---- actions ----
def action(text, title):
    found = [a for a in text.ask("codeAction", range=text.whole(), context={"diagnostics": []}) if a["title"] == title]
    check(len(found) == 1, f"the action {title}: " + str([a["title"] for a in text.ask("codeAction", range=text.whole(), context={"diagnostics": []})]))
    return text.apply(found[0]["edit"]["changes"][text.uri])
edges.edit("blurred(x, y)) * strength", "blured(x, y)) * strength")
equal(action(edges, "Write `blurred`"), EDGES, "a misspelt name is mended")
edges.change(EDGES.replace("wide.x, 16", "wide.xx, 16"))
edges.reported()
equal(action(edges, "Write `wide.s0.x`"), EDGES.replace("wide.x, 16", "wide.s0.x, 16"), "a misspelt loop is mended")
edges.change(EDGES.replace("repeat_edge(input);", "repeat_edge(input)"))
equal(action(edges, "Insert `;`"), EDGES, "a semicolon is put")
edges.change(EDGES.replace("schedule fast", "shedule fast"))
equal(action(edges, "Write `schedule`"), EDGES, "a misspelt word is mended")
check("// allow E0430\n" in action(warned, "Allow E0430 here"), "a warning is allowed")
warned.change(action(warned, "Allow E0430 here"))
equal(warned.reported(), [], "an allowed warning")
edges.change(EDGES)

# ---- hints ----
hints = [(edges.piece({"start": {"line": h["position"]["line"], "character": 0}, "end": h["position"]}), h["label"])
         for h in edges.ask("inlayHint", range=edges.whole())]
check(("    fun wide(x, y)", ": i32") in hints, f"the type of a func: {hints}")
check(("    fun out(x, y)", ": u8") in hints, "the type of an output")
check(any(before.endswith("compute-at(wide") and "x: out.extent.0" in label for before, label in hints), f"the region of a func at its level: {hints}")
check(any(before.endswith("out.y_p") and label == ": (out.extent.1 + 31)/32" for before, label in hints), "the length of a loop")

# ---- outline ----
symbols = edges.ask("documentSymbol")
equal([(s["name"], s["detail"]) for s in symbols], [("edges", "pipeline"), ("fast", "for edges")], "symbols")
equal([s["name"] for s in symbols[0]["children"]], ["input", "strength", "src", "wide", "blurred", "out"], "symbols of a pipeline")
equal(edges.piece(symbols[0]["range"])[-1], "}", "the end of a pipeline")
folds = edges.ask("foldingRange")
check({"startLine": line(edges, "pipeline edges"), "endLine": line(edges, "fun out(x, y)")} in folds, f"blocks: {folds}")
tokens = edges.ask("semanticTokens/full")["data"]
check(len(tokens) % 5 == 0 and len(tokens) > 100, "colours")
lenses = edges.ask("codeLens")
equal([(l["command"]["title"], l["command"]["arguments"][1:]) for l in lenses],
      [("check", ["edges", None]), ("bench", ["edges", None]), ("view", ["edges", None]),
       ("check", ["edges", "fast"]), ("bench", ["edges", "fast"]), ("explain", ["edges", "fast"]), ("view", ["edges", "fast"])], "lenses")

# ---- commands ----
open(f"{folder}/edges.hl", "w").write(EDGES)
result = client.ask("workspace/executeCommand", command="hlc.check", arguments=[edges.uri, "edges", "fast"])
check(result["code"] == 0 and "all equal" in result["output"], f"hlc.check: {result}")
result = client.ask("workspace/executeCommand", command="hlc.explain", arguments=[edges.uri, "edges", "fast"])
check("compute wide at out.s0.y_p" in result["output"], "hlc.explain")
result = client.ask("workspace/executeCommand", command="hlc.bench", arguments=[edges.uri, "edges", "fast"])
check(result["code"] == 0 and "fast" in result["output"], f"hlc.bench: {result}")
os.environ["TMPDIR"] = folder
viewer = Client(hlc, capabilities={"window": {"showDocument": {"support": True}}})
small = Text(viewer, f"{folder}/small.hl", "pipeline small(a: image<u8, 1>) -> out { fun out(x) = a(x) / 2; }\n")
open(f"{folder}/small.hl", "w").write(small.text)
result = viewer.ask("workspace/executeCommand", command="hlc.view", arguments=[small.uri, "small", None])
check(result["code"] == 0 and result["page"].endswith(".html"), f"hlc.view: {result}")
check("<html" in open(urllib.parse.unquote(result["page"][len("file://"):])).read(1000), "the page")
shown = next(message for message in iter(viewer.take, None) if message.get("method") == "window/showDocument")
equal((shown["method"], shown["params"]), ("window/showDocument", {"uri": result["page"], "external": True}), "the page is shown")
viewer.send({"jsonrpc": "2.0", "id": shown["id"], "result": {"success": True}})
small.change(small.text.replace("pipeline", "pipelin"))
result = viewer.ask("workspace/executeCommand", command="hlc.view", arguments=[small.uri, "small", None])
check(result["code"] == 0, f"the saved file is viewed while the text has a fault: {result}")
open(f"{folder}/small.hl", "w").write("pipeline small(")
pages = set(os.listdir(folder))
result = viewer.ask("workspace/executeCommand", command="hlc.view", arguments=[small.uri, "small", None])
check(result["code"] == 2 and "page" not in result and set(os.listdir(folder)) == pages, f"hlc.view of a text that does not parse: {result}")
equal(viewer.end(), 0, "the exit code of a server that has shown a page")
for command, arguments in [("hlc.rm", [edges.uri]), ("hlc.check", []), ("hlc.check", [uri("/nowhere.hl")]), (None, None)]:
    try:
        client.ask("workspace/executeCommand", command=command, arguments=arguments)
        check(False, f"the command {command} {arguments}")
    except Failed:
        pass

# ---- imports: the buffer counts, not the file ----
open(f"{folder}/library.hl", "w").write("let twice(a) = a * 2;\n")
library = Text(client, f"{folder}/library.hl", "let thrice(a) = a * 3;\n")
user = Text(client, f"{folder}/user.hl", 'import "library.hl";\npipeline p(k: i32) -> out { fun out(x) = thrice(x) + k; }\nschedule s for p { vectorize(out.x, 8); }\n')
equal(user.reported(), [], "an unsaved import")
place = user.ask("definition", "thri|ce")[0]
equal((place["uri"], library.piece(place["range"])), (library.uri, "thrice"), "a definition in another file")
place = user.ask("definition", 'import "lib|rary.hl')[0]
equal((place["uri"], place["range"]["start"]), (library.uri, {"line": 0, "character": 0}), "the definition of an import is its file")
changes = user.ask("rename", "thri|ce", newName="treble")["changes"]
equal(sorted(changes), sorted([user.uri, library.uri]), "rename in two files")
library.change("let quadruple(a) = a * 4;\n")
equal(codes(user.reported(again=True)), ["E0201"], "the import has changed")
client.tell("textDocument/didClose", textDocument={"uri": library.uri})
user.change(user.text.replace("thrice", "twice"))
equal(user.reported(), [], "a closed import is read from its file")
equal(client.diagnostics[library.uri], [], "a closed text has no diagnostics")
faulty = Text(client, f"{folder}/library.hl", "let twice(a) = nothing;\n")
report = user.reported(again=True)
check(codes(report) == ["E0201"] and "library.hl:1" in report[0]["message"] and report[0]["range"]["start"]["line"] == 0, f"a fault of an import: {report}")
client.tell("textDocument/didClose", textDocument={"uri": faulty.uri})

# ---- packages of the library ----
package = Text(client, f"{folder}/package.hl", "import pyramid;\nimport blur;\npipeline p(a: image<u8, 2>) -> out {\n    let src = repeat_edge(a);\n    fun out(x, y) = src(x, y);\n}\n")
check(isinstance(package.reported(), list), "a program with packages")

# ---- UTF-16: letters outside of the basic plane count twice ----
STRANGE = "/* 😀𝔸é */ pipeline p() -> out { /* 𝔸 */ fun f(x) = x; fun out(x) = /* ü😀 */ f(x) + none; }\n"
for encodings, utf8 in [(None, False), (["utf-8", "utf-16"], True), (["utf-16", "utf-8"], True)]:
    other = Client(hlc, capabilities={"general": {"positionEncodings": encodings}} if encodings else {})
    equal(other.capabilities["capabilities"]["positionEncoding"], "utf-8" if utf8 else "utf-16", "the encoding")
    strange = Text(other, f"{folder}/strange.hl", STRANGE, utf8)
    report = strange.reported()
    equal((codes(report), strange.piece(report[0]["range"])), (["E0201"], "none"), "a place behind strange letters")
    equal(strange.piece(strange.ask("definition", "*/ f|(x) +")[0]["range"]), "f", "a definition behind strange letters")
    strange.edit("none", "f(𝔸)"[0:2] + "x)")
    equal(strange.reported(), [], "an edit behind strange letters")
    strange.edit("😀𝔸é", "é😀😀")
    equal(strange.piece(strange.ask("definition", "*/ f|(x) +")[0]["range"]), "f", "behind an edit of strange letters")
    equal(other.end(), 0, "the exit code")

# ---- line breaks of two characters, a byte order mark, names of files ----
pairs = Text(client, f"{folder}/a b%20ü/pairs.hl", EDGES.replace("\n", "\r\n"))
equal(pairs.reported(), [], "lines that end in two characters")
place = pairs.ask("definition", "compute-at(wi|de")[0]
equal((place["uri"], pairs.piece(place["range"])), (pairs.uri, "wide"), "a definition in a file of a strange name")
equal(pairs.apply(pairs.ask("formatting", options={})), EDGES, "the layout of lines that end in two characters")
marked = Text(client, f"{folder}/marked.hl", "\ufeffpipeline p() -> out { fun out(x) = none; }\n")
equal([marked.piece(d["range"]) for d in marked.reported()], ["none"], "a place behind a byte order mark")

# ---- files that import each other; programs in the text form ----
first = Text(client, f"{folder}/first.hl", 'import "second.hl";\nlet a = 1;\n')
equal(codes(first.reported()), ["E0206"], "an import that is not there")
second = Text(client, f"{folder}/second.hl", 'import "first.hl";\nlet b = 2;\npipeline p() -> out { fun out(x) = a + b; }\n')
equal((first.reported(again=True), second.reported()), ([], []), "files that import each other")
equal(second.ask("definition", "= a| +")[0]["uri"], first.uri, "a definition in the other file")
form = Text(client, f"{folder}/form.ir", "pipeline p")
equal(codes(form.reported()), ["E0701"], "a program in the text form")
equal((form.ask("hover", "pipe|line"), form.ask("documentSymbol")), (None, []), "questions about the text form")

# ---- memory: answers are given back ----
def resident():
    return next(int(line.split()[1]) for line in open(f"/proc/{client.process.pid}/status") if line.startswith("VmRSS"))
for _ in range(20):
    edges.ask("hover", "fun wi|de")
before = resident()
for _ in range(400):
    edges.ask("hover", "fun wi|de")
check(resident() < before + 4000, f"400 questions take {resident() - before} kB")

# ---- life ----
try:
    client.ask("textDocument/frobnicate")
    check(False, "an unknown method")
except Failed as failed:
    equal(failed.args[0], -32601, "an unknown method")
try:
    client.ask("textDocument/hover", textDocument={"uri": "file:///nowhere.hl"}, position={"line": 0, "character": 0})
    check(False, "a text that is not open")
except Failed as failed:
    equal(failed.args[0], -32602, "a text that is not open")
equal(client.end(), 0, "the exit code")
early = Client(hlc, capabilities=False)
try:
    early.ask("textDocument/hover")
    check(False, "a request before initialize")
except Failed as failed:
    equal(failed.args[0], -32002, "a request before initialize")
early.tell("exit")
equal(early.process.wait(), 1, "exit without shutdown")
print(f"{checks} checks")
