# What the layer codegen/ links of LLVM: the shared library; but the command `hlc` takes the parts that it needs
# from the static ones, where they are installed.  The shared one has 350,000 addresses that the dynamic linker
# corrects whenever a process starts: 9 ms each time.  The parts have half as many, packed, and hlc starts its worker by
# a fork, which shares them.  Libraries and tests stay with the shared one, which links faster and is smaller.
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

# hlc_link_llvm(TARGET): the executable has LLVM inside, if that can be had.
function(hlc_link_llvm target)
  if(NOT HLC_STATIC_LLVM)
    return()
  endif()
  set_target_properties(${target} PROPERTIES HLC_STATIC_LLVM ON)
  target_link_options(${target} PRIVATE -Wl,--gc-sections,-z,pack-relative-relocs)
  # gdb is told of loaded code by a function that is looked for by its name.
  foreach(function Wrapper AllocAction)
    set(symbol llvm_orc_registerJITLoaderGDB${function})
    target_link_options(${target} PRIVATE -Wl,--undefined=${symbol},--export-dynamic-symbol=${symbol})
  endforeach()
endfunction()
# What a target links that uses codegen/.
set(LLVM_LIBRARY "$<IF:$<BOOL:$<TARGET_PROPERTY:HLC_STATIC_LLVM>>,${LLVM_STATIC},LLVM-${HLC_LLVM}>")
