// The form of the face: where a point of the skin is, at rest and with other lids.
//
// A point is identified by its row and angle on a loft of ovals that runs from the neck over the
// jaw and the face to the crown, and by the side of the slit (mouth, eye) it belongs to. Socket,
// lids, nose, lips, chin and cheekbones are modelled on the loft.
#ifndef POSEWIRE_LIBS_AVATAR_FACE_FORM_H_
#define POSEWIRE_LIBS_AVATAR_FACE_FORM_H_

#include "libs/avatar/spline.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

// Rows of the loft that the mesh must meet.
inline constexpr float kMouthRow = 8, kEyeRow = 13, kCrownRow = 20;

// Measures of the head, in metres, in model space at rest.
inline constexpr skel::Vec3 kEye{0.0336f, 1.6332f, 0.0502f};  // left eyeball's centre
inline constexpr float kEyeRadius = 0.0120f;
inline constexpr float kEyeHalfWidth = 0.0152f;  // of the opening
inline constexpr skel::Vec3 kLidRadii{0.0172f, 0.0134f, 0.0134f};
inline constexpr float kMouthHalfWidth = 0.0250f;
inline constexpr float kMouthY = 1.5605f;
inline constexpr skel::Vec3 kJawPivot{0, 1.6200f, 0.0080f};

enum class Lip { kNone, kUpper, kLower };

// A point of the skin before any shape.
struct FacePoint {
  float row = 0, angle = 0;  // angle from the front, to the left, radians
  Lip mouth = Lip::kNone;    // which side of the mouth's slit
  Lip eye = Lip::kNone;      // which side of the eye's row
  int depth = 0;             // rows behind the rim of a lid or lip; 0: on the skin
};

// The position of one eye's lids; 1 and 1 at rest, 0 and 0 closed.
struct Lids {
  float upper = 1, lower = 1;
};

class FaceForm {
 public:
  FaceForm();

  // Where a point is. `left`, `right`: the eyes' lids.
  skel::Vec3 At(const FacePoint& point, Lids left = {}, Lids right = {}) const;

  // The loft without features.
  skel::Vec3 Loft(float row, float angle) const;
  // The angle at which the row's loft has this x (left side, in front).
  float AngleOfX(float row, float x) const;

 private:
  skel::Vec3 OnSkin(const FacePoint& point, Lids lids) const;
  skel::Vec3 WithLids(const FacePoint& point, skel::Vec3 p, Lids lids) const;
  skel::Vec3 WithRelief(const FacePoint& point, skel::Vec3 p) const;

  Spline front_y_, front_z_, back_y_, back_z_, side_y_, width_, squareness_;
};

// How much a place on the loft follows the skull, 0..1; the neck follows its vertebrae.
float SkullShare(float row, float angle);

// A bell of height 1 round (x, y) with half-widths rx, ry.
float Bell(float x, float y, float rx, float ry);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_FACE_FORM_H_
