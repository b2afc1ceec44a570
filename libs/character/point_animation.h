// Meshes whose points move from frame to frame, as simulations and film rigs leave them: USD points
// over time, glTF morph targets, or an OBJ file for each frame.
//
// Whatever deformed them is baked into the points, and nothing of it is asked for. Frames are asked
// for at a rate; between what a file has, USD and glTF are interpolated, and OBJ files are frames.
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

  // In the order of the file: those of USD and OBJ by their own names, those of glTF by their
  // nodes', one for each primitive.
  const std::vector<PointPart>& parts() const { return parts_; }
  size_t points() const;
  // The rate that the file names; 0 if it names none.
  virtual double natural_hz() const = 0;
  // From the first to the last that it has, at least 1.
  virtual size_t frames(double hz) const = 0;
  // The points of all parts, one after the other, in the file's space (USD: metres, Y up). `out`
  // has points() entries. INVALID_ARGUMENT for a frame that has other points than the first
  // (named), or points that are not finite.
  virtual absl::Status Frame(size_t frame, double hz, absl::Span<skel::Vec3> out) = 0;

 protected:
  std::vector<PointPart> parts_;
};

// INVALID_ARGUMENT names the first point that is not finite, or over 1e9.
absl::Status CheckPoints(absl::Span<const skel::Vec3> points, const std::string& name);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_H_
