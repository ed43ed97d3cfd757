#!/usr/bin/env bash
# `hlc lsp` on malformed messages, endless programs, and programs while they are typed: lsp/hostile.py.
# Arguments: source folder, build folder.
python3 "$1/tests/lsp/hostile.py" "$1" "$2"
