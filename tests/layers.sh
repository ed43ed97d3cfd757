#!/usr/bin/env bash
# The layers of docs/architecture.md: which folder may include which, read from the includes
# themselves.
# Arguments: source folder, build folder.
set -eu
cd "$1"
declare -A may=(
  [runtime]="runtime"
  [include]="include"
  [base]="base"
  [ir]="ir base runtime"
  [simplify]="simplify ir base runtime"
  [decide]="decide simplify ir base runtime"
  [associative]="associative decide simplify ir base runtime"
  [tools/rulec]="tools/rulec associative simplify ir base runtime"
  [tools/operators]="tools/operators tools/rulec associative simplify ir base runtime"
  [tools/synthesis]="tools/synthesis tools/rulec decide simplify ir base runtime"
  [schedule]="schedule associative decide simplify ir base runtime"
  [bounds]="bounds schedule associative decide simplify ir base runtime"
  [lower]="lower bounds schedule associative decide simplify ir base runtime"
  [autoschedule]="autoschedule lower bounds schedule associative decide simplify ir base runtime"
  [codegen]="codegen simplify ir base runtime"
  [checkers/reference]="checkers/reference ir base runtime"
  [checkers/interpreter]="checkers/interpreter ir base runtime"
  [checkers/query]="checkers/query bounds ir base runtime"
  [checkers/certify]="checkers/certify bounds schedule associative decide simplify ir base runtime"
  [frontend]="frontend bounds schedule associative decide simplify ir base runtime"
)
compiler="frontend codegen autoschedule lower bounds schedule associative decide simplify ir base runtime"
may[library]="library include checkers/reference checkers/interpreter checkers/query checkers/certify $compiler"
may[checkers/fuzz]="checkers/fuzz ${may[library]}"
may[editor]="editor ${may[library]}"
may[driver/image]="driver/image include"
may[driver]="driver include checkers/fuzz editor driver/image runtime"
# layer_of PATH: the folder of the path that has a row.
layer_of() {
  case "$1" in
    checkers/* | tools/* | driver/image/*) cut -d/ -f1,2 <<< "$1" ;;
    *) echo "${1%%/*}" ;;
  esac
}
# bounds may see the requests of a schedule, and nothing else of schedule/.
faults=0
fault() { echo "$1"; faults=$((faults + 1)); }
checked=0
# includes FOLDER OPEN CLOSE: a line for each include: the file, and the included file.
includes() {
  awk -v pattern="^ *# *include *$2" -v close_mark="$3" '
    $0 ~ pattern { sub(pattern, ""); print FILENAME, substr($0, 1, index($0, close_mark) - 1) }' \
    $(find "$1" -name '*.[ch]' | { [ "$1" = driver ] && grep -v ^driver/image/ || cat; })
}
for folder in "${!may[@]}"; do
  while read -r file include; do
    [ "${include%%/*}" = "$include" ] && { fault "$file: \"$include\" does not name its folder"; continue; }
    target=$(layer_of "$include")
    case " ${may[$folder]} " in *" $target "*) ;; *) fault "$file: $folder/ may not include $include" ;; esac
    if [ "$folder" = bounds ] && [ "$target" = schedule ] && [ "$include" != schedule/schedule.h ]; then
      fault "$file: bounds/ may include only schedule/schedule.h of schedule/"
    fi
    if [ "$folder" = tools/rulec ] && [ "$target" = simplify ]; then
      case "$include" in
        *.def | simplify/rule.h | simplify/rule_index.h | simplify/order.h | simplify/solve_order.h) ;;
        *) fault "$file: tools/rulec/ is built before simplify/, and may include its tables only" ;;
      esac
    fi
    if [ "$folder" = tools/rulec ] && [ "$target" = associative ] && [ "$include" != associative/operator_table.h ]; then
      fault "$file: tools/rulec/ is built before associative/, and may include its table only"
    fi
    if [ "$folder" = driver ] && [ "$target" = driver/image ] && [ "$include" != driver/image/image.h ]; then
      fault "$file: driver/ may include only driver/image/image.h of driver/image/"
    fi
    if [ "$folder" = driver ] && [ "$target" = checkers/fuzz ] && [ "$include" != checkers/fuzz/fuzz.h ]; then
      fault "$file: driver/ may include only checkers/fuzz/fuzz.h of checkers/fuzz/"
    fi
    if [ "$folder" = driver ] && [ "$target" = editor ] && [ "$include" != editor/editor.h ]; then
      fault "$file: driver/ may include only editor/editor.h of editor/"
    fi
    checked=$((checked + 1))
  done < <(includes "$folder" '"' '"')
  while read -r file header; do
    case "$header" in
      llvm-c/* | ffi.h) [ "$folder" = codegen ] || fault "$file: <$header> belongs in codegen/" ;;
      check.h) fault "$file: <check.h> belongs in tests/" ;;
      jansson.h) [ "$folder" = driver ] || fault "$file: <$header> belongs in driver/" ;;
      png.h | jpeglib.h | jerror.h | tiff*.h) [ "$folder" = driver/image ] || fault "$file: <$header> belongs in driver/image/" ;;
      isl/*) [ "$folder" = decide ] || fault "$file: <$header> belongs in decide/" ;;
    esac
  done < <(includes "$folder" '<' '>')
done
# Every folder with C files has a row, and every row a folder.
for folder in $(git ls-files '*.c' '*.h' 2> /dev/null | grep / | while read -r file; do layer_of "$file"; done | sort -u); do
  case $folder in bench | cmake | examples | tests) continue ;; esac
  [ -n "${may[$folder]:-}" ] || fault "$folder/ has no row in tests/layers.sh"
done
for folder in "${!may[@]}"; do
  compgen -G "$folder/*.h" > /dev/null || fault "tests/layers.sh has a row for $folder/, which has no header"
done
[ "$checked" -gt 1000 ] || fault "only $checked includes were found: the test reads nothing"
[ "$faults" -eq 0 ] || { echo "$faults includes point the wrong way"; exit 1; }
echo "$checked includes, all downward"
