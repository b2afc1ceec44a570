// Checks the size of a job's span.
#ifndef POSEWIRE_LIBS_MESH_CHECK_SIZE_H_
#define POSEWIRE_LIBS_MESH_CHECK_SIZE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::mesh {

// INVALID_ARGUMENT, naming the field and both sizes, unless `size` is the expected one.
inline absl::Status CheckSize(absl::string_view field, size_t size, size_t expected) {
  if (size == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has ", size, " entries, expected ", expected));
}

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_CHECK_SIZE_H_
