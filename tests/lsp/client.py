"""A small client of the language server protocol, for the tests of `hlc lsp`."""
import json, os, queue, subprocess, threading, time, urllib.parse

PATIENCE = 300  # seconds on the clock: the limit of the processor's time ends a test before


def uri(path):
    return "file://" + urllib.parse.quote(os.path.abspath(path))


class Failed(Exception):
    """The server refused a request."""


class Client:
    def __init__(self, hlc, *options, capabilities=None):
        self.process = subprocess.Popen([hlc, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages, self.last_id, self.diagnostics = queue.Queue(), 0, {}
        self.versions = {}
        threading.Thread(target=self._read, daemon=True).start()
        if capabilities is not False:
            self.capabilities = self.ask("initialize", processId=None, rootUri=None, capabilities=capabilities or {})
            self.tell("initialized")

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b"\r\n":
                    break
                name, value = line.decode().split(":")
                if name.lower() == "content-length":
                    length = int(value)
            self.messages.put(json.loads(out.read(length)))

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        text = json.dumps(message, ensure_ascii=False).encode() if not isinstance(message, bytes) else message
        self.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def take(self):
        """The next message of the server; diagnostics are kept by text."""
        message = self.messages.get(timeout=PATIENCE)
        assert message is not None, f"the server has ended with {self.process.wait()}"
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        return message

    def start(self, method, **params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def answer(self, number):
        while True:
            message = self.take()
            if message.get("id") == number and "method" not in message:
                return message

    def ask(self, method, **params):
        message = self.answer(self.start(method, **params))
        if "error" in message:
            raise Failed(message["error"]["code"], message["error"]["message"])
        return message["result"]

    def tell(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def end(self):
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(timeout=PATIENCE)


class Text:
    """An open text. Places are written as a piece of the text: the point is behind it, or at `|` in it."""

    def __init__(self, client, path, text, utf8=False):
        self.client, self.uri, self.text, self.version, self.utf8 = client, uri(path), text, 1, utf8
        client.tell("textDocument/didOpen", textDocument={"uri": self.uri, "languageId": "hl", "version": 1, "text": text})

    def change(self, text):
        self.text, self.version = text, self.version + 1
        self.client.tell("textDocument/didChange", textDocument={"uri": self.uri, "version": self.version},
                         contentChanges=[{"text": text}])

    def edit(self, old, new):
        """Replaces a piece of the text, told as a range."""
        at = self.text.index(old)
        place = {"start": self.position(at), "end": self.position(at + len(old))}
        self.text, self.version = self.text.replace(old, new, 1), self.version + 1
        self.client.tell("textDocument/didChange", textDocument={"uri": self.uri, "version": self.version},
                         contentChanges=[{"range": place, "text": new}])

    def units(self, text):
        return len(text.encode()) if self.utf8 else len(text.encode("utf-16-le")) // 2

    def position(self, offset):
        before = self.text[:offset]
        line = before.count("\n")
        return {"line": line, "character": self.units(before[before.rfind("\n") + 1:])}

    def at(self, piece):
        plain = piece.replace("|", "", 1)
        assert plain in self.text, f"{plain!r} is not in the text"
        inside = piece.index("|") if "|" in piece else len(piece)
        return self.position(self.text.index(plain) + inside)

    def offset(self, position):
        lines = self.text.split("\n")
        line, units = lines[position["line"]], position["character"]
        taken = line.encode()[:units].decode() if self.utf8 else line.encode("utf-16-le")[:2 * units].decode("utf-16-le")
        return sum(len(line) + 1 for line in lines[:position["line"]]) + len(taken)

    def piece(self, place):
        return self.text[self.offset(place["start"]):self.offset(place["end"])]

    def apply(self, edits):
        text = self.text
        for edit in sorted(edits, key=lambda edit: -self.offset(edit["range"]["start"])):
            text = text[:self.offset(edit["range"]["start"])] + edit["newText"] + text[self.offset(edit["range"]["end"]):]
        return text

    def ask(self, method, piece=None, **more):
        params = {"textDocument": {"uri": self.uri}, **more}
        if piece is not None:
            params["position"] = self.at(piece)
        return self.client.ask("textDocument/" + method, **params)

    def reported(self, again=False):
        """The diagnostics of this version; `again`: those that are still to come."""
        if again:
            self.client.versions.pop(self.uri, None)
        while self.client.versions.get(self.uri) != self.version:
            self.client.take()
        return self.client.diagnostics[self.uri]

    def whole(self):
        return {"start": {"line": 0, "character": 0}, "end": {"line": self.text.count("\n") + 1, "character": 0}}
