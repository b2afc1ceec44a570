// Meshes whose points move from frame to frame, as simulations and film rigs export them: USD
// points over time, glTF morph targets, or an OBJ file for each frame.
//
// All deformation is baked into the points. Frames are requested at a rate; USD and glTF are
// interpolated between the file's samples, and each OBJ file is a frame.
#ifndef POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_H_
#define POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::character {

// A mesh of the file; its points are in the file's order.
struct PointPart {
  std::string name;
  size_t points = 0;
};

// One thread at a time.
class PointAnimation {
 public:
  virtual ~PointAnimation() = default;

  // In the order of the file: USD and OBJ meshes by their own names, glTF meshes by their nodes',
  // one for each primitive.
  const std::vector<PointPart>& parts() const { return parts_; }
  size_t points() const;
  // The file's rate; 0 if it has none.
  virtual double natural_hz() const = 0;
  // Number of frames from the first to the last, at least 1.
  virtual size_t frames(double hz) const = 0;
  // Writes the points of all parts in sequence, in the file's space (USD: metres, Y up). `out` has
  // points() entries. INVALID_ARGUMENT for a frame with other points than the first (named), or
  // points that are not finite.
  virtual absl::Status Frame(size_t frame, double hz, absl::Span<skel::Vec3> out) = 0;

 protected:
  std::vector<PointPart> parts_;
};

// INVALID_ARGUMENT names the first point that is not finite, or over 1e9.
absl::Status CheckPoints(absl::Span<const skel::Vec3> points, const std::string& name);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_H_
