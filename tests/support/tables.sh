# tables.sh -- reads the names in a table of C (.def); read by `.`.
#
# table_texts FILE MACRO: the string of each row MACRO(NAME, "string", ..) or MACRO("string", ..), one a line.  A row
# of another form gives the line UNREADABLE, and so does a table without rows.  UNREADABLE is the name of nothing, so
# a test that looks for each name fails.
table_texts() {
  awk -v macro="$2" -F '"' '
    index($0, macro "(") == 1 {
      rows++
      before = substr($1, length(macro) + 2)
      print before ~ /^([A-Za-z_0-9]+, *)?$/ && $2 != "" ? $2 : "UNREADABLE"
    }
    END { if (!rows) print "UNREADABLE" }' "$1"
}
