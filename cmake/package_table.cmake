# Writes texts as a C table: the packages of the library (frontend/static/library.h), the pages that an
# editor shows (editor/reading.h).
#   cmake -DOUT=FILE -DHEADER=FILE -DTYPE=NAME -DTABLE=NAME -DTEXTS="a.hl;b.hl" -P package_table.cmake
set(texts "")
set(rows "")
foreach(path ${TEXTS})
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND texts "static const char ${name}_text[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", ${name}_text, ${length}},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"\n\n${texts}\nconst ${TYPE} ${TABLE}[] = {\n${rows}    {0}};\n")
