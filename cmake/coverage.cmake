# Counting the lines and branches that tests run (`make coverage`): in the folders that speak of the language's
# meaning, which are the ones that COVERED_FOLDERS names.  The whole build links gcov, since all of it links them.
set(COVERED_FOLDERS frontend schedule bounds lower reference interpreter query)
foreach(folder ${COVERED_FOLDERS})
  target_compile_options(hlc_${folder} PRIVATE --coverage -O0 -fprofile-update=atomic)
endforeach()
