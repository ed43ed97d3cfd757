#!/usr/bin/env python3
"""`hlc lsp` on malformed messages, and on programs while they are typed. Arguments: source folder, build folder.

HLC_SHARE=N: one prefix of a program in N is asked about.
"""
import glob, json, os, random, sys, time
from client import Client, Failed, Text, uri

source, build = (os.path.realpath(path) for path in sys.argv[1:3])
hlc, share = os.path.join(build, "hlc"), int(os.environ.get("HLC_SHARE") or 1)
checks = 0
slowest = 0.0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"FAILED: {what}")


def lives(client, what):
    check(client.ask("textDocument/documentSymbol", textDocument={"uri": safe.uri}) != [], f"{what}: the server lives")


# ---- messages that are none ----
client = Client(hlc)
safe = Text(client, "/nowhere/safe.hl", "pipeline p() -> out { fun out(x) = x; }\n")
for data in [b"{", b"", b"[]", b"null", b"3", b'"x"', b"\xff\xfe", b'{"jsonrpc"', b"[" * 3000, b'{"a":' * 3000, b"{}", b'{"id":1}', b'{"method":3}',
             b'{"id":null,"method":"textDocument/hover"}', b'{"id":{},"method":"shutdown"}', b'{"id":[1],"method":"x"}',
             b'{"method":"textDocument/didOpen"}', b'{"method":"textDocument/didOpen","params":[]}', b'{"method":"textDocument/didChange","params":{}}',
             b'{"method":"textDocument/didClose","params":{"textDocument":{"uri":7}}}', b'{"method":"$/cancelRequest","params":{"id":99}}',
             b'{"method":"$/cancelRequest"}', b'{"hlc/finished":3,"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":"a","result":3}',
             b'{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///z.hl","text":"a\\u0000b","version":"x"}}}']:
    client.send(data)
    lives(client, f"after {data[:40]}")
client.write(b"content-length:   2\r\nContent-Type: x\r\n\r\n{}")
lives(client, "another case of the header")

# Requests whose parameters are of a wrong kind have some answer.
methods = [line.split('"')[1] for line in open(f"{source}/driver/lsp/methods.def") if line.startswith("METHOD(")]
wrong = [None, 3, [], {}, {"textDocument": 3}, {"textDocument": {"uri": safe.uri}}, {"textDocument": {"uri": safe.uri}, "position": {"line": -1, "character": 1e9}},
         {"textDocument": {"uri": safe.uri}, "position": {"line": 2**62, "character": 2**62}, "newName": "x" * 300},
         {"textDocument": {"uri": safe.uri}, "position": [], "range": {"start": {"line": 5}, "end": {"line": -5}}, "newName": []}]
for method in methods:
    for params in wrong:
        if method in ("shutdown", "initialize"):
            continue
        client.last_id += 1
        client.send({"jsonrpc": "2.0", "id": client.last_id, "method": method, "params": params})
        answer = client.answer(client.last_id)
        check("error" in answer or "result" in answer, f"{method} {params}")
# Ranges of changes that are beyond the text, or reversed.
for first, last in [((9, 9), (99, 99)), ((0, 30), (0, 3)), ((-1, -1), (0, 0)), ((0, 10**12), (0, 10**12))]:
    place = {"start": {"line": first[0], "character": first[1]}, "end": {"line": last[0], "character": last[1]}}
    client.tell("textDocument/didChange", textDocument={"uri": safe.uri, "version": 5}, contentChanges=[{"range": place, "text": "/**/"}, {"range": 4, "text": 4}, 4])
    check(client.ask("textDocument/foldingRange", textDocument={"uri": safe.uri}) is not None, "a strange range")
safe.change("pipeline p() -> out { fun out(x) = x; }\n")
lives(client, "after strange ranges")

# ---- the end ----
for data, code in [(b"hello\r\n\r\n", 2), (b"Content-Length: x\r\n\r\n", 2), (b"Content-Length: 99999999999999999999\r\n\r\n", 2), (b"", 1),
                   (b"Content-Length: 50\r\n\r\n{}", 1), (b"x" * 10000, 2), (b"Content-Length: -5\r\n\r\n", 2)]:
    other = Client(hlc)
    other.write(data)
    other.process.stdin.close()
    check(other.process.wait() == code, f"{data[:40]}: the exit code is {other.process.returncode}, not {code}")

# ---- cancelled requests ----
number = client.last_id + 1
client.tell("$/cancelRequest", id=number)
check(client.answer(client.start("textDocument/hover", textDocument={"uri": safe.uri}, position={"line": 0, "character": 1}))["error"]["code"] == -32800, "a request that was cancelled before")

# ---- a text that changes while a request about it is computed ----
slow = Text(client, "/nowhere/slow.hl", open(f"{source}/examples/local_laplacian.hl").read())
for attempt in range(60):  # until the change meets the request at work
    number = client.start("textDocument/inlayHint", textDocument={"uri": slow.uri}, range=slow.whole())
    time.sleep(0.005 * (attempt % 20))
    slow.change(slow.text + "\n")
    answer = client.answer(number)
    if "error" in answer:
        break
check(answer.get("error", {}).get("code") == -32801, f"a request about a text that has changed: {str(answer)[:200]}")
check(slow.ask("inlayHint", range=slow.whole()), "the hints of the changed text")

# ---- half characters ----
for k, (half, is_text) in enumerate([(b"\\ud83d", True), (b"\\uDE00", True), (b"\xed\xa0\xbd", True), (b"\\ud83d\\ude00", True), (b"\\\\ud83d", True)]):
    client.send(b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"%s","version":%d},"contentChanges":[{"text":"pipeline p() -> out { fun out(x) = x; } // %s !\\n"}]}}'
                % (safe.uri.encode(), 1000 + k, half))
    lives(client, f"after {half}")
    check(client.ask("textDocument/prepareRename", textDocument={"uri": safe.uri}, position={"line": 0, "character": 26}) is not None, f"the text with {half}")
    place = {"start": {"line": 0, "character": 43}, "end": {"line": 0, "character": 43 + (2 if b"ude00" in half else 7 if half[:2] == b"\\\\" else 1)}}
    client.tell("textDocument/didChange", textDocument={"uri": safe.uri, "version": 2000 + k}, contentChanges=[{"range": place, "text": "\nlet"}])
    check([symbol["name"] for symbol in client.ask("textDocument/documentSymbol", textDocument={"uri": safe.uri})] == ["p"], f"the text after {half} was replaced")
safe.change("pipeline p() -> out { fun out(x) = x; }\n")

# ---- an unknown name is not what a page calls its example ----
unknown = Text(client, "/nowhere/unknown.hl", "pipeline p(a: image<u8, 1>) -> out { fun out(x) = value + min(a(x), 3); }\n")
check(unknown.ask("hover", "= val|ue") is None, f"hover on a name that is unknown: {unknown.ask('hover', '= val|ue')}")
check("min" in unknown.ask("hover", "+ mi|n(")["contents"]["value"], "hover on a function")

# ---- programs without end ----
endless = "".join(f"let a{k}(x) = a{k - 1}(a{k - 1}(x) + a{k - 1}(x + 1));\n" if k else "let a0(x) = x + 1;\n" for k in range(30))
endless += "pipeline p() -> out { fun out(x) = a29(x); }\nschedule s for p { vectorize(out.x, 8); }\n"
impatient = Client(hlc, "--time-limit=0.5", "--memory-limit=500")
text = Text(impatient, "/nowhere/endless.hl", endless)
began = time.time()
report = text.reported()
check(report and report[0]["severity"] == 1, f"a program without end: {report}")
text.change("pipeline p() -> out { fun out(x) = " + "(" * 100000 + "x" + ")" * 100000 + "; }")
check(text.reported()[0]["severity"] == 1, "deep brackets")
text.change("pipeline p() -> out { fun out(x) = " + "x + " * 50000 + "x; }")
text.reported()
text.ask("semanticTokens/full")
text.change("pipeline p() -> out { " + "".join(f"fun f{k}(x) = {f'f{k-1}(x) + f{k-1}(x + 1)' if k else 'x'};\n" for k in range(2000)) + "fun out(x) = f1999(x); }\nschedule s for p { " + "".join(f"compute-at(f{k}, out.x); " for k in range(2000)) + "}")
text.reported()
text.change("pipeline p() -> out { fun out(x) = x; }\n")
check(text.reported() == [], "a program with an end, after those")
check(impatient.end() == 0, "the exit code after programs without end")

# ---- programs as they are typed: each prefix, a question of each kind at its end ----
questions = ["completion", "hover", "definition", "references", "documentHighlight", "prepareRename"]
whole = ["documentSymbol", "foldingRange", "semanticTokens/full", "codeLens", "codeAction", "inlayHint", "formatting"]
random.seed(1)


def interrogate(text, k, name):
    """Asks at the end of the text; all kinds of questions at some prefixes."""
    global slowest, checks
    position = text.position(len(text.text) if k is None else k)
    for method in [questions[0], random.choice(questions[1:]), random.choice(whole)]:
        began = time.process_time()
        try:
            text.client.ask("textDocument/" + method, textDocument={"uri": text.uri}, position=position, range=text.whole(),
                            context={"diagnostics": [], "includeDeclaration": True}, options={})
        except Failed:
            pass
        checks += 1


files = sorted(glob.glob(f"{source}/examples/*.hl")) + sorted(glob.glob(f"{source}/packages/*.hl"))
typed = 0
for path in files:
    name, program = os.path.basename(path), open(path).read()
    text = Text(client, os.path.dirname(path) + "/typed.hl", "")
    for k in range(0, len(program) + 1, 7 * share):
        text.change(program[:k])
        typed += 1
        if k % 3 == 0:
            interrogate(text, None, name)
    # Letters within the program are lost, doubled, exchanged.
    for _ in range(40 // share + 2):
        k = random.randrange(len(program))
        mutated = random.choice([program[:k] + program[k + 1:], program[:k] + program[k] + program[k:], program[:k] + random.choice("(){}[];,.<>\"/*𝔸=-") + program[k:],
                                 program[:k] + program[random.randrange(len(program)):]])
        text.change(mutated)
        typed += 1
        interrogate(text, min(k, len(mutated)), name)
    text.change(program)
    report = [d for d in text.reported() if d["severity"] == 1]
    check(report == [] or "import" in program, f"{name} has errors at last: {report}")
    client.tell("textDocument/didClose", textDocument={"uri": text.uri})
check(client.end() == 0, "the exit code")
print(f"{len(files)} programs, {typed} texts, {checks} checks")
