// Draws a character: soft key, fill and rim light, shadows, ground, background.
#ifndef POSEWIRE_LIBS_RENDER_PAINTER_H_
#define POSEWIRE_LIBS_RENDER_PAINTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/image/image.h"
#include "libs/mesh/offsets.h"
#include "libs/render/camera.h"
#include "libs/render/prop_shapes.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"

namespace posewire::render {

// Rows from the top, three bytes per pixel, sRGB. Without a background also one byte of alpha per
// pixel, by which the colours are multiplied; else `alpha` is empty.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;
  std::vector<uint8_t> alpha = {};
};

// What is behind the character. A picture covers the frame, cut at two sides where it has another
// form; `none` leaves the shadow on the ground.
struct Background {
  skel::Vec3 color{0.86f, 0.88f, 0.90f};  // as seen, sRGB
  std::shared_ptr<const image::Image> picture;
  bool none = false;
};

// How edges are smoothed. Fine takes four samples a pixel; quick looks at the finished picture for
// edges, at a third of the time: for live pictures.
enum class Edges { kFine, kQuick };

// The offsets of a frame, and how much of its own shapes each point keeps all the same; none:
// nothing.
struct OffsetMix {
  absl::Span<const mesh::WeighedOffsets> clips = {};
  absl::Span<const float> own = {};
};

// Draws one character at one size. Only on the thread that made it.
class Painter {
 public:
  // INVALID_ARGUMENT for a size outside 16..4096; UNAVAILABLE without Mesa's off-screen library,
  // saying how to get it.
  static absl::StatusOr<std::unique_ptr<Painter>> Make(
      std::shared_ptr<const character::Character> character, int width, int height,
      const Background& background = {}, Edges edges = Edges::kFine);
  virtual ~Painter() = default;

  // The moment of the pictures that follow, in the time of their poses: hair and clothes swing from
  // one to the next. Until it is told, they are at rest (libs/character/springs.h).
  virtual void SetTime(double at_s) = 0;

  // Lets time pass in a pose without drawing it, so that the next picture finds them in motion.
  virtual absl::Status Pass(const skel::PoseView& pose) = 0;

  // Draws the pose, which is on the character's rig. INTERNAL if Mesa fails.
  virtual absl::Status Draw(const skel::PoseView& pose, const Camera& camera, Picture& out) = 0;

  // Draws the simple rig with offsets instead, which have what shapes do: as of
  // character::OffsetPoints. Without clips the simple rig alone.
  virtual absl::Status DrawOffsets(const skel::PoseView& pose, const OffsetMix& mix,
                                   const Camera& camera, Picture& out) = 0;

  // Of what is shown: offsets that were made of it have the same (character::MeshHash).
  virtual uint64_t mesh_hash() const = 0;

  // What stands beside the character from the next picture on, in its space.
  virtual void SetProps(absl::Span<const Prop> props) = 0;

  // From the next picture on the surface is one level finer (libs/character/refined_surface.h); of
  // the meshes that are shown now: to be called again after Choose. Gives which of them stay as
  // they are, and why; empty: none does. Errors: of RefinedSurface::Make; then nothing has changed.
  virtual absl::StatusOr<std::string> Subdivide() = 0;

  // Shows another choice of a part ("hair", "long") from the next picture on. INVALID_ARGUMENT
  // lists what there is.
  virtual absl::Status Choose(absl::string_view part, absl::string_view choice) = 0;

 protected:
  Painter() = default;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_PAINTER_H_
