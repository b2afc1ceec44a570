// What each ARKit shape does to the skin of the face, and to everything that moves with the jaw.
#ifndef POSEWIRE_LIBS_AVATAR_FACE_SHAPES_H_
#define POSEWIRE_LIBS_AVATAR_FACE_SHAPES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/face_grid.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

inline constexpr float kJawOpenAngle = 0.29f;  // of jawOpen at 1, radians

// How far a point fixed to the jaw bone moves with a shape at 1: jawOpen, jawForward, jawLeft,
// jawRight, and mouthClose, which opens the jaw as ACE defines it; else zero.
skel::Vec3 JawOffset(absl::string_view shape, skel::Vec3 p);

// Knows the neutral face; borrows form and grid.
class FaceShapes {
 public:
  FaceShapes(const FaceForm& form, const FaceGrid& grid);

  const std::vector<skel::Vec3>& neutral() const { return neutral_; }
  // How far a point belongs to the jaw, 0..1.
  float Jaw(size_t point) const { return jaw_[point]; }
  // How far a point belongs to the upper lid of the left or right eye, 0..1.
  float UpperLid(size_t point, bool left) const;

  // The offset of every point for a shape at 1, by its ARKit name; zeros for tongue shapes.
  std::vector<skel::Vec3> Offsets(absl::string_view shape) const;

 private:
  enum class Side { kBoth, kLeft, kRight };

  // A point as most shapes see it: mirrored to the left, with that side's share of it.
  struct Spot {
    float x, y, z;  // x from the middle, positive on the shape's side
    float h;        // height over the mouth's slit, on its own side of it
    float share;    // 1 on the shape's side, 0 on the other, smooth across the middle
    float front;    // 0 behind the ears, 1 in the face
    Lip mouth;
  };
  Spot SpotOf(size_t i, Side side) const;

  std::vector<skel::Vec3> LidOffsets(Lids left, Lids right) const;
  skel::Vec3 MouthOffset(absl::string_view stem, const Spot& s) const;
  skel::Vec3 BrowAndCheekOffset(absl::string_view stem, const Spot& s) const;
  skel::Vec3 LipOffset(absl::string_view stem, const Spot& s) const;
  std::vector<skel::Vec3> JawOffsets(absl::string_view shape) const;
  std::vector<skel::Vec3> CloseOffsets() const;
  float JawShare(const FacePoint& point, skel::Vec3 p) const;

  const FaceForm& form_;
  const FaceGrid& grid_;
  std::vector<skel::Vec3> neutral_;
  std::vector<float> jaw_;
  std::vector<float> slit_y_;  // of the mouth's row at each point's column
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_FACE_SHAPES_H_
