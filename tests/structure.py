#!/usr/bin/env python3
"""Looks for structures that the house forbids, in the C files and in the objects of a build.

    tests/structure.py SOURCE BUILD

    circle FILE FILE ..       files of one top folder that need each other's symbols; nm reads the objects of BUILD
    type NAME FILE FILE ..    a struct, union, enum or typedef that several files define at file scope
    room FOLDER COUNT         a folder with more than 30 .c files; a folder inside it is a room of its own
A call through a pointer is no link. A type that a macro defines is not seen.
"""
import collections, glob, os, re, subprocess, sys

ROOM = 30  # as in tests/lines.py
OUTSIDE = {"bench", "cmake", "docs", "examples", "tests"}


def objects(source, build):
    """The objects of the build folder, each with its file."""
    found = {}
    for path in glob.glob("CMakeFiles/*.dir/**/*.c.o", root_dir=build, recursive=True):
        file = path.split("/", 2)[2][:-2]
        if "/" in file and file.split("/")[0] not in OUTSIDE and os.path.exists(os.path.join(source, file)):
            found[path] = file
    return found


def links(found, build):
    """For each file, the files of the same top folder that define a symbol it needs."""
    need, where = collections.defaultdict(set), collections.defaultdict(set)
    listed = subprocess.run(["nm", "-A", *sorted(found)], cwd=build, capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        path, rest = line.split(":", 1)
        kind, name = rest[16:].split()
        if kind == "U":
            need[found[path]].add(name)
        elif kind in "TDBRVW":
            where[name].add(found[path])
    top = lambda file: file.split("/")[0]
    return {f: sorted({g for s in need[f] for g in where[s] if g != f and top(g) == top(f)}) for f in found.values()}


def circles(graph):
    """Tarjan's strongly connected components of two files or more."""
    index, low, stack, on, parts = {}, {}, [], set(), []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on.add(v)
        for w in graph[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = []
            while not part or part[-1] != v:
                part.append(stack.pop())
                on.discard(part[-1])
            if len(part) > 1:
                parts.append(sorted(part))

    sys.setrecursionlimit(10000)
    for v in sorted(graph):
        if v not in index:
            visit(v)
    return parts


def types(source, names):
    """The names of types, each with the files that define it. clang-format puts definitions at file scope in column 0."""
    found = collections.defaultdict(set)
    for file in names:
        with open(os.path.join(source, file)) as f:
            text = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S)
        for m in re.finditer(r"^(?:static |const )*(?:typedef )?(?:struct|union|enum) (\w+) \{", text, re.M):
            found[m[1]].add(file)
        # typedef struct [TAG] { .. } NAME;
        for m in re.finditer(r"^typedef (?:struct|union|enum)(?: \w+)? \{(?:[^\n]*|.*?\n)\} ?(\w+);", text, re.M | re.S):
            found[m[1]].add(file)
        # typedef TYPE NAME; typedef TYPE NAME(..); typedef TYPE (*NAME)(..). `typedef struct NAME NAME;` defines nothing.
        for m in re.finditer(r"^typedef ([^;{}]+);", text, re.M):
            words = re.sub(r"\[[^]]*\]", "", m[1])
            name = re.search(r"\(\s*\*\s*(\w+)\s*\)", words) or re.search(r"(\w+)\s*(?:\([^()]*\))?\s*$", words)
            if name and not re.match(r"(?:struct|union|enum) " + name[1] + r"\s+" + name[1] + r"$", words.strip()):
                found[name[1]].add(file)
    return found


def main():
    source, build = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    found = objects(source, build)
    names = sorted(name for name in glob.glob("*/**/*.[ch]", root_dir=source, recursive=True)
                   if name.split("/")[0] not in OUTSIDE and not name.startswith("build"))
    defined = types(source, names)
    if len(found) < 300 or len(defined) < 300:
        sys.exit(f"only {len(found)} objects and {len(defined)} types were found: the test reads too little")
    rooms = collections.Counter(os.path.dirname(name) for name in names if name.endswith(".c"))
    cases = {"circle " + " ".join(part) for part in circles(links(found, build))}
    cases |= {f"type {name} " + " ".join(sorted(at)) for name, at in defined.items() if len(at) > 1}
    cases |= {f"room {folder} {count}" for folder, count in rooms.items() if count > ROOM}
    for case in sorted(cases):
        print(case)
    kinds = collections.Counter(case.split()[0] for case in cases)
    print(f"{len(found)} objects, {len(defined)} types;", ", ".join(f"{kinds[k]} {k}s" for k in ("circle", "type", "room")))
    sys.exit(bool(cases))


main()
