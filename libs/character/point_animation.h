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
#include "libs/character/limits.h"
#include "libs/formats/gltf/document.h"
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

// Of a stage's text (.usda), of glTF or GLB. Errors as of ReadCharacter; INVALID_ARGUMENT also
// without any mesh.
absl::StatusOr<std::unique_ptr<PointAnimation>> ReadPointAnimation(absl::string_view bytes,
                                                                   const Limits& limits,
                                                                   const gltf::ReadBeside& beside);

// Of OBJ texts, one a frame; `read` gives each by its place. A vertex belongs to the object (`o`)
// before it. INVALID_ARGUMENT begins with the frame's name and the line.
absl::StatusOr<std::unique_ptr<PointAnimation>> ReadObjSequence(
    std::vector<std::string> names, std::function<absl::StatusOr<std::string>(size_t)> read,
    const Limits& limits);

// A .usda, .gltf or .glb file; a folder of .obj files, or a path with one * for their numbers, in
// the order of these. NOT_FOUND for what is not there; the other errors as above, after the path.
absl::StatusOr<std::unique_ptr<PointAnimation>> OpenPointAnimation(const std::string& path);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_POINT_ANIMATION_H_
