// A stack of deformers like that of a film character. Demonstrates what offsets
// (libs/mesh/offsets.h) can represent.
//
// Shapes and pose correctives come from the character's own file. On top of these: muscles that
// bulge as their joint bends, a belly that follows the body on a spring, and smoothing where joints
// blend (libs/character/surface_smoothing.h). Joints and weights alone could not produce any of it.
// Amounts are for demonstration, not anatomical.
#ifndef POSEWIRE_LIBS_CHARACTER_FILM_DEFORMER_H_
#define POSEWIRE_LIBS_CHARACTER_FILM_DEFORMER_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/deformer.h"
#include "libs/character/point_skin.h"
#include "libs/character/surface_smoothing.h"
#include "libs/skel/pose.h"

namespace posewire::character {

struct FilmLayers {
  bool muscles = true, belly = true, smoothing = true;
};

// One thread at a time.
class FilmDeformer {
 public:
  // NOT_FOUND if the character's rig lacks the arms, legs or lumbar spine of hanim_loa3.
  static absl::StatusOr<std::unique_ptr<FilmDeformer>> Make(
      std::shared_ptr<const Character> character, const FilmLayers& layers = {});

  PointSkin& skin() { return skin_; }
  const Deformer& deformer() const { return deformer_; }

  // Computes the points of the next frame, `step_s` after the previous one. The spring of the belly
  // continues from the previous frame. INVALID_ARGUMENT unless `out` has skin().points() entries;
  // other errors are those of Deformer::Pose.
  absl::Status Pose(const skel::PoseView& pose, double step_s, absl::Span<skel::Vec3> out);
  // Writes the skin transform S of each point (libs/mesh/offsets.h) in the pose of the last frame.
  absl::Status Transforms(absl::Span<skel::Affine> out, size_t* singular) {
    return skin_.Transforms(deformer_, out, singular);
  }

 private:
  // Bulges along the normals, by height_m when the joint is fully bent.
  struct Muscle {
    int joint = -1;  // of the rig; fully bent when it is rotated by full_rad from rest
    float full_rad = 2, height_m = 0.02f;
    std::vector<std::pair<uint32_t, float>> points;  // and the share of the height for each
  };
  FilmDeformer(std::shared_ptr<const Character> character, const FilmLayers& layers);
  absl::Status FindPlaces();
  void Swing(double step_s);

  std::shared_ptr<const Character> character_;
  FilmLayers layers_;
  Deformer deformer_;
  PointSkin skin_;
  std::vector<Muscle> muscles_;
  int belly_node_ = -1;
  std::vector<std::pair<uint32_t, float>> belly_;
  skel::Vec3 belly_at_, belly_speed_;  // position and speed relative to the body
  skel::Vec3 body_at_, body_speed_;
  bool started_ = false;
  SurfaceSmoothing smoothing_;
  std::vector<skel::Vec3> normals_;
  std::vector<skel::Affine> transforms_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_FILM_DEFORMER_H_
