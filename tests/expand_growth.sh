#!/usr/bin/env bash
# The expansion grows linearly, and ends what grows without end: expand_growth.py has the programs.
# Arguments: source folder, build folder.
python3 "$1/tests/expand_growth.py" "$2"
