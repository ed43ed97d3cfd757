#!/usr/bin/env bash
# The package for VS Code is built by npm's packager, with the grammar of editors/textmate. Its client starts. Skipped
# without npm or its registry. Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
command -v npm > /dev/null && command -v node > /dev/null || { echo "skipped: npm is not installed"; exit 77; }
folder=$build/vscode
fail() { echo "FAILED: $1"; exit 1; }
mkdir -p "$folder"
cp "$source"/editors/vscode/{package.json,client.js,prepare.js,language-configuration.json,README.md,.vscodeignore} "$folder/"
if [ ! -e "$folder/node_modules/vscode-languageclient" ] || [ ! -e "$folder/node_modules/.bin/vsce" ]; then
  (cd "$folder" && timeout 240 npm install --no-audit --no-fund --ignore-scripts > npm.log 2>&1) ||
    { rm -rf "$folder/node_modules"; echo "skipped: the npm registry does not give the packages"; exit 77; }
fi
cd "$folder" || exit 1
HLC_GRAMMAR=$source/editors/textmate/hl.tmLanguage.json npx --no-install vsce package --allow-missing-repository --skip-license -o hlc.vsix > vsce.log 2>&1 ||
  fail "vsce package: $(tail -5 vsce.log)"
python3 - "$folder/hlc.vsix" "$source" << 'PY' || exit 1
import json, sys, zipfile
package, source = zipfile.ZipFile(sys.argv[1]), sys.argv[2]
names = set(package.namelist())
wanted = {f"extension/{name}" for name in ("package.json", "client.js", "hl.tmLanguage.json", "language-configuration.json",
          "node_modules/vscode-languageclient/package.json", "node_modules/vscode-jsonrpc/package.json")}
assert wanted <= names, f"the package lacks {wanted - names}"
assert package.read("extension/hl.tmLanguage.json") == open(f"{source}/editors/textmate/hl.tmLanguage.json", "rb").read(), "another grammar"
manifest = json.loads(package.read("extension/package.json"))
assert manifest["contributes"]["grammars"][0]["scopeName"] == json.load(open(f"{source}/editors/textmate/hl.tmLanguage.json"))["scopeName"]
assert manifest["main"] == "./client.js"
print(len(names), "files,", sum(i.compress_size for i in package.infolist()) // 1024, "kB")
PY
# The client loads, and finds what it asks of vscode, whose place a stand-in takes.
node -e '
const Module = require("module"), load = Module._load, asked = new Set();
const any = (name) => new Proxy(function () {}, { get: (_, key) => (key === Symbol.toPrimitive ? () => name : any(name + "." + String(key))),
  construct: () => ({}), apply: () => any(name) });
Module._load = (name, ...rest) => (name === "vscode" ? (asked.add(name), any("vscode")) : load(name, ...rest));
const client = require("./client.js");
if (typeof client.activate !== "function" || typeof client.deactivate !== "function" || !asked.has("vscode")) process.exit(1);
' > node.log 2>&1 || fail "the client does not load: $(head -5 node.log)"
