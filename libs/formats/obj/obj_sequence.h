// Meshes of Wavefront OBJ files, one per frame.
#ifndef POSEWIRE_LIBS_FORMATS_OBJ_OBJ_SEQUENCE_H_
#define POSEWIRE_LIBS_FORMATS_OBJ_OBJ_SEQUENCE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/character/limits.h"
#include "libs/character/point_animation.h"

namespace posewire::obj {

// Reads OBJ texts, one per frame; `read` returns each by its index. A vertex is part of the
// preceding object (`o`). INVALID_ARGUMENT begins with the frame's name and the line.
absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadObjSequence(
    std::vector<std::string> names, std::function<absl::StatusOr<std::string>(size_t)> read,
    const character::Limits& limits);

}  // namespace posewire::obj

#endif  // POSEWIRE_LIBS_FORMATS_OBJ_OBJ_SEQUENCE_H_
