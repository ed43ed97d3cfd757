# What the layer codegen/ links of LLVM: the shared library; but the command `hlc` takes the parts that it needs
# from the static ones, where they are installed.  The shared one has 350,000 addresses that the dynamic linker
# corrects whenever a process starts: 9 ms each time, and `hlc run` starts two.  At fixed addresses (-no-pie) there is
# nothing to correct.  Libraries and tests stay with the shared one, which links faster and is smaller.
find_program(LLVM_CONFIG_PROGRAM NAMES llvm-config-${HLC_LLVM} llvm-config HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
set(LLVM_PARTS passes orcjit orcdebugging)
foreach(back_end x86 aarch64)
  list(APPEND LLVM_PARTS ${back_end}codegen ${back_end}asmparser ${back_end}desc ${back_end}info)
endforeach()
execute_process(COMMAND ${LLVM_CONFIG_PROGRAM} --link-static --libfiles ${LLVM_PARTS}
                OUTPUT_VARIABLE LLVM_STATIC OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE LLVM_ABSENT)
separate_arguments(LLVM_STATIC)
foreach(library ${LLVM_STATIC})
  if(NOT EXISTS ${library})
    set(LLVM_ABSENT 1)
  endif()
endforeach()
foreach(library z zstd tinfo) # what they need in turn
  find_library(LLVM_NEEDS_${library} ${library})
  if(NOT LLVM_NEEDS_${library})
    set(LLVM_ABSENT 1)
  endif()
  list(APPEND LLVM_STATIC ${LLVM_NEEDS_${library}})
endforeach()

list(APPEND LLVM_STATIC stdc++)
option(HLC_STATIC_LLVM "Link the command against LLVM's static libraries, where they are there" ON)
if(LLVM_ABSENT OR HLC_SANITIZE OR HLC_HARNESS OR HLC_COVERAGE)
  set(HLC_STATIC_LLVM OFF)
endif()

find_program(FAST_LINKER NAMES ld.lld ld.gold) # the usual one takes ten times as long
function(link_static_llvm target)
  set_target_properties(${target} PROPERTIES HLC_STATIC_LLVM ON)
  target_link_options(${target} PRIVATE -no-pie -Wl,--gc-sections)
  # gdb is told of loaded code by a function that is looked for by its name.
  foreach(function Wrapper AllocAction)
    set(symbol llvm_orc_registerJITLoaderGDB${function})
    target_link_options(${target} PRIVATE -Wl,--undefined=${symbol},--export-dynamic-symbol=${symbol})
  endforeach()
  if(FAST_LINKER MATCHES "ld\\.([a-z]+)$")
    target_link_options(${target} PRIVATE -fuse-ld=${CMAKE_MATCH_1})
  endif()
endfunction()

# What compiling calls lies together in memory: cmake/first_use.c finds out what that is.  Found once in a build folder;
# where it cannot be, the list is empty.
if(HLC_STATIC_LLVM AND FAST_LINKER MATCHES "lld$" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(FUNCTION_ORDER ${CMAKE_BINARY_DIR}/function_order.txt)
  add_executable(first_use EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/first_use.c)
  target_link_libraries(first_use PRIVATE hlc_library)
  link_static_llvm(first_use)
  file(GLOB watched ${CMAKE_SOURCE_DIR}/examples/*.hl ${CMAKE_SOURCE_DIR}/tests/assembly/*.hl)
  add_custom_command(OUTPUT ${FUNCTION_ORDER}
                     COMMAND $<TARGET_FILE:first_use> ${FUNCTION_ORDER} ${watched}
                             || ${CMAKE_COMMAND} -E touch ${FUNCTION_ORDER}
                     DEPENDS ${CMAKE_SOURCE_DIR}/cmake/first_use.c VERBATIM)
  add_custom_target(function_order DEPENDS ${FUNCTION_ORDER})
endif()

# hlc_link_llvm(TARGET): the executable has LLVM inside, if that can be had.
function(hlc_link_llvm target)
  if(HLC_STATIC_LLVM)
    link_static_llvm(${target})
  endif()
  if(FUNCTION_ORDER)
    target_link_options(${target} PRIVATE -Wl,--symbol-ordering-file=${FUNCTION_ORDER},--no-warn-symbol-ordering)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${FUNCTION_ORDER})
    add_dependencies(${target} function_order)
  endif()
endfunction()
# What a target links that uses codegen/.
set(LLVM_LIBRARY "$<IF:$<BOOL:$<TARGET_PROPERTY:HLC_STATIC_LLVM>>,${LLVM_STATIC},LLVM-${HLC_LLVM}>")
