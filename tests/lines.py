#!/usr/bin/env python3
"""Counts the lines and files of C in each folder.

    tests/lines.py [FOLDER]      the checkout (this one)

The compiler is everything except tests, offline tools and the fuzzer. Tables (.def) count with C.
"""
import collections, pathlib, subprocess, sys

TESTS, TOOLS, FUZZER = {'tests'}, {'tools'}, {'fuzz'}
ROOM = 30  # a folder with more files is too large


def kind(folders):
    for name, members in (('tests', TESTS), ('tools', TOOLS), ('fuzzer', FUZZER)):
        if members & set(folders):
            return name
    return 'compiler'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    listed = subprocess.run(['git', 'ls-files', '-z', '*.c', '*.h', '*.def'], cwd=root, capture_output=True, check=True)
    lines, files, tables, totals = (collections.Counter() for _ in range(4))
    kinds = {}
    for name in filter(None, listed.stdout.decode().split('\0')):
        path = pathlib.PurePath(name)
        if not (root / path).exists():  # deleted, and not committed yet
            continue
        count = (root / path).read_bytes().count(b'\n')
        folder, what = str(path.parent), kind(path.parts[:-1])
        kinds[folder] = what
        if path.suffix == '.def':
            tables[what] += count
        else:
            lines[folder] += count
            files[folder] += path.suffix == '.c'
            totals[what] += count
    for folder, count in sorted(lines.items(), key=lambda item: (kinds[item[0]], item[0])):
        large = ' (a large room)' if kinds[folder] != 'tests' and files[folder] > ROOM else ''
        print(f'{kinds[folder]:8} {folder:24} {count:7} lines {files[folder]:4} .c files{large}')
    print()
    for what, count in totals.most_common():
        print(f'{what:8} {count:7} lines of C, {tables[what]} of tables')
    top = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, check=True).stdout.decode()
    print(f'{len({name.split("/")[0] for name in top.split(chr(0)) if "/" in name and name[0] != "."})} folders at the top')
    return 0 if totals['compiler'] else 1


sys.exit(main())
