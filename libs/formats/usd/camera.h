// UsdGeom's cameras, in our space and in the terms of a stream's camera: metres, Y up, a look along
// -Z, and focal lengths for a picture 24 mm high.
#ifndef POSEWIRE_LIBS_FORMATS_USD_CAMERA_H_
#define POSEWIRE_LIBS_FORMATS_USD_CAMERA_H_

#include <optional>
#include <vector>

#include "libs/formats/usd/stage.h"
#include "libs/skel/affine.h"

namespace posewire::usd {

// The name by which OpenUSD's own programs look for the camera of a stage (UsdUtils).
inline constexpr char kMainCamera[] = "main_cam";
// Lengths of a camera are in tenths of the stage's unit: of a stage in metres, 100 mm.
inline constexpr double kMillimetresAUnit = 100;
// Of the pictures that a stream's focal lengths are told for.
inline constexpr double kPictureHeight_mm = 24;

// The first Camera that is named main_cam, else the first one; -1 if there is none. Of those that
// are defined.
int FindCamera(const Stage& stage);

// One camera of a stage, which must outlive this.
class CameraMotion {
 public:
  CameraMotion(const Stage& stage, int camera) : stage_(stage), camera_(camera) {}

  // Where it stands, in metres; without a scale.
  skel::Trs PlaceAt(double time) const;
  // In millimetres, for a picture 24 mm high: what is as wide an angle. Nothing where the stage
  // does not say both focalLength and what it is for, or shows all as large as it is.
  std::optional<double> FocalLengthAt(double time) const;
  // In metres; nothing where the stage says none.
  std::optional<double> FocusDistanceAt(double time) const;

  // The times at which each may change, ascending; one, kEarliest, for what never does.
  std::vector<double> TimesOfPlace() const;
  std::vector<double> TimesOfFocalLength() const;
  std::vector<double> TimesOfFocusDistance() const;

 private:
  const Stage& stage_;
  int camera_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_CAMERA_H_
