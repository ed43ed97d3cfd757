# What others build against: libhlc.a (all layers of the compiler in one), package files for
# pkg-config, which work in the build folder already, and for CMake, and `install`.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Where libraries go, below the prefix")
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(layers base ir simplify decide associative schedule bounds lower codegen reference interpreter query certify frontend
    library)
set(layer_objects ${layers})
list(TRANSFORM layer_objects REPLACE "(.+)" "$<TARGET_OBJECTS:hlc_\\1>")
add_library(hlc_compiler STATIC ${layer_objects} ${ISL_OBJECT})
set_target_properties(hlc_compiler PROPERTIES OUTPUT_NAME hlc LINKER_LANGUAGE C)

# libhlc.so, for hosts that load the compiler while they run, such as Python. It lies apart from libhlc.a, which `-lhlc`
# means. Its names are those of the two public headers; LLVM is inside, where the static libraries are there.
if(NOT HLC_SANITIZE AND NOT HLC_HARNESS AND NOT HLC_COVERAGE)
  add_library(hlc_shared SHARED ${layer_objects} $<TARGET_OBJECTS:hlc_runtime> ${ISL_OBJECT})
  target_link_libraries(hlc_shared PRIVATE hlc_library)
  hlc_link_llvm(hlc_shared)
  set(version_script ${CMAKE_SOURCE_DIR}/cmake/libhlc.map)
  target_link_options(hlc_shared PRIVATE -Wl,--version-script=${version_script},--exclude-libs,ALL,-z,defs)
  set_target_properties(hlc_shared PROPERTIES OUTPUT_NAME hlc LINKER_LANGUAGE C LINK_DEPENDS ${version_script}
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/shared)
  install(TARGETS hlc_shared LIBRARY NAMELINK_SKIP)
endif()

set(PACKAGE_SANITIZE "")
if(HLC_SANITIZE)
  set(PACKAGE_SANITIZE "-fsanitize=address,undefined")
elseif(HLC_COVERAGE)
  set(PACKAGE_SANITIZE "--coverage")
endif()
function(hlc_package_files cflags libdir folder)
  set(PACKAGE_CFLAGS ${cflags})
  set(PACKAGE_LIBDIR ${libdir})
  foreach(package hlc-runtime hlc hlc-shared)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/${package}.pc.in ${folder}/${package}.pc @ONLY)
  endforeach()
endfunction()
set(PACKAGE_SHARED libhlc.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
hlc_package_files("-I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/runtime -I${CMAKE_SOURCE_DIR}/include"
                  ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR})
# Installed: found from where the package file lies, so that the whole can be moved.
hlc_package_files("-I\${pcfiledir}/../../${CMAKE_INSTALL_INCLUDEDIR}/hlc" "\${pcfiledir}/.."
                  ${CMAKE_BINARY_DIR}/install)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/hlcConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/install/hlcConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hlc)
# While the major number is 0, the minor number is the ABI's.
file(STRINGS ${CMAKE_SOURCE_DIR}/runtime/hlc_runtime.h abi REGEX "^#define HLC_ABI ")
if(NOT abi STREQUAL "#define HLC_ABI ${PROJECT_VERSION_MINOR}")
  message(FATAL_ERROR "project(hlc VERSION ${PROJECT_VERSION}), but ${abi}")
endif()
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/hlcConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)

install(FILES LICENSE docs/licences.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS hlc hlc_runtime hlc_compiler)
install(FILES runtime/hlc_runtime.h include/hlc.h include/hlc_split.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hlc)
install(FILES ${package_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/hlc) # to be read: the compiler has them
install(FILES runtime/hlc_errors.def DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hlc/runtime)
install(FILES ${CMAKE_BINARY_DIR}/install/hlc-runtime.pc ${CMAKE_BINARY_DIR}/install/hlc.pc
              ${CMAKE_BINARY_DIR}/install/hlc-shared.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/install/hlcConfig.cmake
              ${CMAKE_BINARY_DIR}/install/hlcConfigVersion.cmake cmake/HlcAddPipeline.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hlc)
install(FILES ${manual_files} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/completions/bash/hlc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/completions/zsh/_hlc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/completions/fish/hlc.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
