// Matches blend shapes by the names that tools give them.
#ifndef POSEWIRE_LIBS_SKEL_SHAPE_NAMES_H_
#define POSEWIRE_LIBS_SKEL_SHAPE_NAMES_H_

#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace posewire::skel {

// What remains of a shape's name without case, separators and what tools put in front:
// "blendShape1.mouthSmile_L", "mouth-smile.L" and "MouthSmileLeft" all become "mouthsmileleft".
// Does not allocate for names up to 64 bytes.
class ShapeKey {
 public:
  explicit ShapeKey(absl::string_view name);
  absl::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  absl::InlinedVector<char, 68> text_;
};

std::string ShapeKeyOf(absl::string_view name);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_SHAPE_NAMES_H_
