// Draws a character: soft key, fill and rim light, shadows, ground, background.
#ifndef POSEWIRE_LIBS_RENDER_PAINTER_H_
#define POSEWIRE_LIBS_RENDER_PAINTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/prop_shapes.h"
#include "libs/image/image.h"
#include "libs/mesh/offsets.h"
#include "libs/render/camera.h"
#include "libs/skel/affine.h"
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

// The background of the character. A picture covers the frame, cropped at two sides if its aspect
// differs; `none` keeps the shadow on the ground.
struct Background {
  skel::Vec3 color{0.86f, 0.88f, 0.90f};  // on screen, sRGB
  std::shared_ptr<const image::Image> picture;
  bool none = false;
};

// The light that casts shadows. Two weaker ones, from the other side and from behind, stay as they
// are.
struct KeyLight {
  skel::Vec3 way{-0.55f, 0.75f, 0.80f};  // towards the light; of any length but 0
  skel::Vec3 color{1, 1, 1};             // of its usual warm white, linear
};

// A further character of a picture.
struct CompanionPose {
  double at_s = 0;
  skel::PoseView pose;
  skel::Affine place;  // from its space to that of the painter's character, without a scale
  // On top of it; borrowed until the pictures are drawn.
  absl::Span<const mesh::WeighedOffsets> offsets = {};
  bool drawn = true;  // false: only moves its springs on
};

// How edges are smoothed. Fine takes four samples per pixel; quick detects edges in the finished
// picture, in a third of the time: for live pictures.
enum class Edges { kFine, kQuick };

// Draws one character at one size, and others with it. Only on the thread that made it.
class Painter {
 public:
  // INVALID_ARGUMENT for a size outside 16..4096; UNAVAILABLE, with advice, without Mesa's
  // off-screen library.
  static absl::StatusOr<std::unique_ptr<Painter>> Make(
      std::shared_ptr<const character::Character> character, int width, int height,
      const Background& background = {}, Edges edges = Edges::kFine);
  virtual ~Painter() = default;

  // Sets the time of the following pictures, on the time line of their poses: hair and clothes
  // swing from one to the next. Before the first call, they are at rest (libs/character/springs.h).
  virtual void SetTime(double at_s) = 0;

  // Advances time in a pose without drawing it, so that the next picture shows springs in motion.
  virtual absl::Status Pass(const skel::PoseView& pose) = 0;

  // Draws the pose, which is on the character's rig. INTERNAL if Mesa fails.
  virtual absl::Status Draw(const skel::PoseView& pose, const Camera& camera, Picture& out) = 0;

  // Draws the pose with offsets on top: see character::OffsetPoints.
  virtual absl::Status DrawOffsets(const skel::PoseView& pose,
                                   absl::Span<const mesh::WeighedOffsets> offsets,
                                   const Camera& camera, Picture& out) = 0;

  // Identifies the visible meshes: offsets made for them have the same (character::MeshHash).
  virtual uint64_t mesh_hash() const = 0;

  // Sets the objects drawn with the character from the next picture on, in its space. Errors: those
  // of the shaders and surfaces of models.
  virtual absl::Status SetProps(absl::Span<const character::PropShape> props) = 0;

  // Adds another character to the pictures, which appears from its first pose on; returns its
  // number, from 0. Errors: those of Make.
  virtual absl::StatusOr<size_t> AddCompanion(
      std::shared_ptr<const character::Character> character) = 0;
  // Sets the time and the pose of one, for the following pictures.
  virtual absl::Status PoseCompanion(size_t number, const CompanionPose& pose) = 0;
  // Leaves one out of the following pictures, until its next pose.
  virtual void HideCompanion(size_t number) = 0;
  // As Subdivide, for one of them. Call again after ChooseOfCompanion.
  virtual absl::StatusOr<std::string> SubdivideCompanion(size_t number, int levels) = 0;
  // As Choose, for one of them.
  virtual absl::Status ChooseOfCompanion(size_t number, absl::string_view part,
                                         absl::string_view choice) = 0;

  // Sets the key light, and the colour of the background (sRGB; a picture, or none, stays), from
  // the next picture on.
  virtual void SetLight(const KeyLight& light) = 0;
  virtual void SetBackground(skel::Vec3 color) = 0;

  // Refines the surface by so many levels from the next picture on
  // (libs/character/refined_surface.h), for the meshes visible now: call again after Choose. 0: as
  // it is. The first call with a number takes long; both surfaces are kept.
  // Returns which of them are not refined, and why; empty: none. Errors: those of
  // RefinedSurface::Make; nothing has changed then.
  virtual absl::StatusOr<std::string> Subdivide(int levels) = 0;

  // Shows another choice of a part ("hair", "long") from the next picture on. INVALID_ARGUMENT
  // lists the valid ones.
  virtual absl::Status Choose(absl::string_view part, absl::string_view choice) = 0;

 protected:
  Painter() = default;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_PAINTER_H_
