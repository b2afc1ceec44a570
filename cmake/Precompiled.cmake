# Headers of others that most files read, parsed once for all targets: reading them again for each
# file was two fifths of a build's work.
#
# Sources include what they use all the same: clang (the sanitizers' presets and ./lint) builds
# without any of this and finds what is missing. Only headers in <> belong here: with a path of this
# tree, ccache would know nothing again in the next clone.
#
# Files that are compiled with an option of their own (-ffp-contract=off) go without: gcc takes the
# options of what it precompiled, and says nothing.
set(std_headers
  <algorithm> <array> <cmath> <condition_variable> <cstdint> <cstring> <deque> <functional> <limits>
  <map> <memory> <mutex> <optional> <string> <utility> <variant> <vector>
  <absl/container/flat_hash_map.h> <absl/functional/function_ref.h> <absl/status/status.h>
  <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/strings/string_view.h>
  <absl/types/span.h>)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc wants one set of macros in all that share a precompiled header (-pthread defines one, and
  # comes with some libraries only); ccache wants -fpch-preprocess.
  add_compile_options(-pthread -fpch-preprocess)
else()
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# posewire_precompiled(NAME HEADERS <a.h> LIBS a): these headers and the ones above.
function(posewire_precompiled name)
  cmake_parse_arguments(P "" "" "HEADERS;LIBS" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
  target_link_libraries(${name} PRIVATE absl::flat_hash_map absl::statusor ${P_LIBS})
  target_precompile_headers(${name} PRIVATE ${std_headers} ${P_HEADERS})
endfunction()

# posewire_precompile(TARGET): with GoogleTest's headers for tests, and with those of gRPC or protobuf
# for targets that link them by name.
function(posewire_precompile target)
  get_target_property(libs ${target} LINK_LIBRARIES)
  if(libs MATCHES "GTest::")
    set(from posewire_precompiled_test)
  elseif(libs MATCHES "posewire::proto_grpc|gRPC::")
    set(from posewire_precompiled_rpc)
  elseif(libs MATCHES "posewire::proto|protobuf::")
    set(from posewire_precompiled_proto)
  else()
    set(from posewire_precompiled_std)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${from})
endfunction()

# gcc takes the options of what it precompiled, so targets with options of their own have precompiled
# headers of their own. What the release build adds for targets that are HOT:
set(POSEWIRE_HOT $<$<CONFIG:Release>:-O3>)

# Tests are compiled quickly rather than made fast.
set(POSEWIRE_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)

posewire_precompiled(posewire_precompiled_std)
posewire_precompiled(posewire_precompiled_hot)
target_compile_options(posewire_precompiled_hot PRIVATE ${POSEWIRE_HOT})
posewire_precompiled(posewire_precompiled_proto LIBS protobuf::libprotobuf
  HEADERS <google/protobuf/generated_message_reflection.h> <google/protobuf/map_field_inl.h>
    <google/protobuf/message.h> <google/protobuf/repeated_field.h>
    <google/protobuf/unknown_field_set.h>)
posewire_precompiled(posewire_precompiled_rpc HEADERS <grpcpp/grpcpp.h> LIBS gRPC::grpc++)
