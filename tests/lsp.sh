#!/usr/bin/env bash
# What `hlc lsp` answers: lsp/session.py. Arguments: source folder, build folder.
python3 "$1/tests/lsp/session.py" "$1" "$2"
