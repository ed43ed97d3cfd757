#!/bin/sh
# Makes the manual page PAGE.1 in the current folder: manual.sh HLC PAGE SCDOC.  The day on which it was
# made is left out, so that equal sources give equal pages.
set -eu
"$1" --manual="$2" > "$2.scd"
"$3" < "$2.scd" > "$2.roff"
sed -E '/^\.TH/s/"[0-9]{4}-[0-9]{2}-[0-9]{2}"/""/' "$2.roff" > "$2.1"
rm -f "$2.scd" "$2.roff"
