# Writes the texts of the packages of the library as a C table (frontend/static/library.h).
#   cmake -DOUT=FILE -DPACKAGES="a.hl;b.hl" -P package_table.cmake
set(texts "")
set(rows "")
foreach(path ${PACKAGES})
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND texts "static const char ${name}_text[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", ${name}_text, ${length}},\n")
endforeach()
file(WRITE ${OUT} "#include \"frontend/static/library.h\"\n\n${texts}\nconst Package package_table[] = {\n${rows}    {0}};\n")
