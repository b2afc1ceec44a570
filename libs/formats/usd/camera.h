// UsdGeom's cameras, converted to our space and a stream's terms: metres, Y up, facing -Z, and
// focal lengths for a picture 24 mm high.
#ifndef POSEWIRE_LIBS_FORMATS_USD_CAMERA_H_
#define POSEWIRE_LIBS_FORMATS_USD_CAMERA_H_

#include <optional>
#include <vector>

#include "libs/formats/usd/stage.h"
#include "libs/skel/affine.h"

namespace posewire::usd {

// The name that OpenUSD's own programs use for a stage's main camera (UsdUtils).
inline constexpr char kMainCamera[] = "main_cam";
// A camera's lengths are in tenths of the stage's unit: in a stage in metres, 100 mm.
inline constexpr double kMillimetresAUnit = 100;
// Height of the picture to which a stream's focal lengths refer.
inline constexpr double kPictureHeight_mm = 24;

// Returns the first defined Camera named main_cam, else the first defined one; -1 if there is none.
int FindCamera(const Stage& stage);

// One camera of a stage, which must outlive this.
class CameraMotion {
 public:
  CameraMotion(const Stage& stage, int camera) : stage_(stage), camera_(camera) {}

  // Returns its place, in metres; without a scale.
  skel::Trs PlaceAt(double time) const;
  // Returns the focal length in millimetres for the same angle in a picture 24 mm high. Nothing if
  // the stage does not have both focalLength and an aperture, or the projection is orthographic.
  std::optional<double> FocalLengthAt(double time) const;
  // Returns metres; nothing if the stage has none.
  std::optional<double> FocusDistanceAt(double time) const;

  // Times at which each may change, ascending; one, kEarliest, if it never does.
  std::vector<double> TimesOfPlace() const;
  std::vector<double> TimesOfFocalLength() const;
  std::vector<double> TimesOfFocusDistance() const;

 private:
  const Stage& stage_;
  int camera_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_CAMERA_H_
