#!/usr/bin/env bash
# The structure of the house: no cycle of files, no type name in two files, no folder of more than
# thirty files.
# Arguments: source folder, build folder.
exec python3 "$(dirname "$0")/structure.py" "$1" "$2"
