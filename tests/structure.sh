#!/usr/bin/env bash
# The rooms of the house: no circle of files, no type name of two files, no folder of more than thirty files.
# Arguments: source folder, build folder.
exec python3 "$(dirname "$0")/structure.py" "$1" "$2"
