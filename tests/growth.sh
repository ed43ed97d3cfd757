#!/usr/bin/env bash
# Programs that grow with a number are compiled or refused with a code and a place, within 10 seconds
# of processor time and 1 GiB: growth.py has the families and their sizes.
# Arguments: source folder, build folder.
set -u
# Under the sanitizers no process fits into 1 GiB of addresses.
grep -q '^HLC_SANITIZE:BOOL=ON' "$2/CMakeCache.txt" && exit 77
python3 "$1/tests/growth.py" check "$2"
