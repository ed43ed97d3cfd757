#!/usr/bin/env bash
# The demonstration, on one pipeline: its table, its JSON, its picture.  Arguments: source folder,
# build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$(realpath "$build")/hlc" "$work/hlc"
"$source/examples/demo/demo.py" "$source" "$work" unsharp > "$work/table" || { cat "$work/table"; exit 1; }
[ "$(grep -c '^unsharp .* 3240000  *0$' "$work/table")" = 3 ] || { cat "$work/table"; exit 1; }
python3 - "$work/demo" <<'PYTHON'
import json, struct, sys
results = json.load(open(sys.argv[1] + "/results.json"))
assert [result["schedule"] for result in results] == ["", "rows", "pixels"], results
for result in results:
    assert result["megapixels_per_second"] > 0
    assert result["differences"] == 0 and result["points"] >= 1000000 and result["ms_1t"] > 0 and result["ms_2t"] > 0, result
header = open(sys.argv[1] + "/unsharp.png", "rb").read(24)
width, height = struct.unpack(">II", header[16:24])
assert width >= 1200 and height >= 400, (width, height)
header = open(sys.argv[1] + "/unsharp.crop.png", "rb").read(24)
assert struct.unpack(">II", header[16:24]) == (1280, 640), header
PYTHON
