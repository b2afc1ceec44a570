// Finds the point on the other side of a symmetric mesh, so that a mirrored clip can use the
// offsets of the clip that it mirrors.
#ifndef POSEWIRE_LIBS_CHARACTER_MIRRORED_POINTS_H_
#define POSEWIRE_LIBS_CHARACTER_MIRRORED_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::character {

// Imexcept its buffers: one thread at a time.
class MirroredPoints {
 public:
  // A point and its mirror image may be this far apart, as a share of the longest side.
  static constexpr float kTolerance = 2e-3f;

  // Points at rest. The plane is that of two axes of their space, through its origin, in which most
  // points have an image.
  explicit MirroredPoints(absl::Span<const skel::Vec3> rest);

  // True if half of the points have an image. Hair, for one, often has none.
  bool symmetric() const { return symmetric_; }
  // The image of each point; kNone: it has none.
  static constexpr uint32_t kNone = ~uint32_t{0};
  absl::Span<const uint32_t> images() const { return images_; }

  // Gives each point the mirrored offset and the share of its image. Points without an image get a
  // share of 0.
  void Mirror(absl::Span<skel::Vec3> offsets, absl::Span<float> shares);

 private:
  int axis_ = 0;
  bool symmetric_ = false;
  std::vector<uint32_t> images_;
  std::vector<skel::Vec3> offsets_;
  std::vector<float> shares_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_MIRRORED_POINTS_H_
