#!/usr/bin/env bash
# The tiers of tests (tests/CMakeLists.txt): `all` has every test.  If a test runs a share of its
# cases in `test`, `all` runs the whole test.  Each name in the lists is a test, and `quick` has a
# test of every folder.  Arguments: source folder, build folder.
set -u
source=$(realpath "$1") build=$(realpath "$2")
ctest --test-dir "$build" --show-only=json-v1 | python3 -c '
import json, pathlib, re, subprocess, sys
source = pathlib.Path(sys.argv[1])
tests = {}
for test in json.load(sys.stdin)["tests"]:
    tests[test["name"]] = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
faults = []
for name, labels in tests.items():
    whole = name.removesuffix("_share")
    if "all" not in labels and not (whole != name and tests.get(whole) == ["all"] and "test" in labels):
        faults.append(f"{name} is not in the tier all")
    if "quick" in labels and "test" not in labels:
        faults.append(f"{name} is in the tier quick, and not in test")
for line in re.findall(r"^set\((?:QUICK|SHARED|LONG) (.*?)\)$", (source / "tests/CMakeLists.txt").read_text(), re.M | re.S):
    for name in re.findall(r"[a-z][\w-]+", line):
        if name not in tests and not (re.match("target_|ulp$", name) and "target_dispatch" not in tests):
            faults.append(f"tests/CMakeLists.txt names {name}, which is no test")
# Folders that are no layer with its own unit tests, and the tests that run them.
by = {"driver": "cli", "include": "link", "tools/rulec": "unit_simplify_refusals"}
listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], cwd=source, capture_output=True, text=True).stdout
outside = ("bench", "cmake", "examples", "tests")
folders = {"/".join(line.split("/")[:2] if line.split("/")[0] in ("checkers", "tools") else line.split("/")[:1])
           for line in listed.split() if "/" in line and line.split("/")[0] not in outside} | {"driver/image"}
for folder in sorted(folders):
    if not any("quick" in labels and (name == by.get(folder) or re.match("unit_" + folder.split("/")[-1] + "(_|$)", name)) for name, labels in tests.items()):
        faults.append(f"no test of {folder}/ is in the tier quick")
print(*faults, sep="\n")
count = lambda tier: sum(tier in labels for labels in tests.values())
print(len(folders), "folders;", *(f"{count(tier)} tests in {tier}" for tier in ("quick", "test", "all")))
sys.exit(bool(faults) or len(tests) < 150)
' "$source"
