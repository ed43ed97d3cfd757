# hlc_add_pipeline(TARGET name SOURCE file.hl
#                  [PIPELINE name] [SCHEDULE name] [TARGETS machine ..] [OPTIMIZE level]
#                  [CONSTANTS name=value ..] [SIZES name=value ..] [OPTIONS option ..])
#
# A library `name` of one object, the pipeline compiled under the schedule (without one, the empty
# schedule) for the machines (without any, the one that compiles), with these values of its const
# parameters, and with further options of `hlc compile`, such as --debug. SCHEDULE auto chooses a
# schedule, for these sizes and parameters (input=zero:640x480). What links it can include
# "PIPELINE.h", or "name.h" where PIPELINE is not given. It is made again when the file or one that
# it imports has changed.
function(hlc_add_pipeline)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SOURCE;PIPELINE;SCHEDULE;OPTIMIZE" "TARGETS;CONSTANTS;SIZES;OPTIONS")
  if(NOT arg_TARGET OR NOT arg_SOURCE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hlc_add_pipeline(TARGET name SOURCE file.hl [PIPELINE name] "
                        "[SCHEDULE name] [TARGETS machine ..] [OPTIMIZE level] "
                        "[CONSTANTS name=value ..] [SIZES name=value ..] [OPTIONS option ..])")
  endif()
  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/hlc/${arg_TARGET})
  file(MAKE_DIRECTORY ${folder})
  set(header ${arg_TARGET})
  set(options ${arg_OPTIONS})
  if(arg_PIPELINE)
    set(header ${arg_PIPELINE})
    list(APPEND options --pipeline=${arg_PIPELINE})
  endif()
  if(arg_SCHEDULE)
    list(APPEND options --schedule=${arg_SCHEDULE})
  endif()
  if(arg_OPTIMIZE)
    list(APPEND options --optimize=${arg_OPTIMIZE})
  endif()
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," machines)
    list(APPEND options --target=${machines})
  endif()
  add_custom_command(
    OUTPUT ${folder}/${arg_TARGET}.o
    BYPRODUCTS ${folder}/${header}.h
    COMMAND hlc::hlc compile ${source} ${arg_CONSTANTS} ${arg_SIZES} ${options} --header=${folder}/${header}.h
            --depfile=${folder}/${arg_TARGET}.d --output=${folder}/${arg_TARGET}.o
    DEPENDS ${source} hlc::hlc
    DEPFILE ${folder}/${arg_TARGET}.d
    COMMENT "Compiling the pipeline ${arg_TARGET}"
    VERBATIM)
  add_library(${arg_TARGET} STATIC ${folder}/${arg_TARGET}.o)
  set_target_properties(${arg_TARGET} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${arg_TARGET} INTERFACE ${folder})
  # The header of a pipeline that needs libsleef says so; static libraries take only what is called.
  find_library(HLC_SLEEF_LIBRARY sleef)
  if(HLC_SLEEF_LIBRARY)
    target_link_libraries(${arg_TARGET} INTERFACE ${HLC_SLEEF_LIBRARY})
  endif()
  target_link_libraries(${arg_TARGET} INTERFACE hlc::runtime)
endfunction()
