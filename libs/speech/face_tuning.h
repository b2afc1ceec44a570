// Parameters for how strongly a face moves, with the names that NVIDIA's Audio2Face uses.
#ifndef POSEWIRE_LIBS_SPEECH_FACE_TUNING_H_
#define POSEWIRE_LIBS_SPEECH_FACE_TUNING_H_

#include <array>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/speech/face_track.h"

namespace posewire::speech {

// The defaults do not change a face. Order of application: strengths, offsets of lids and lips,
// smoothing, each shape's multiplier and offset, clamp.
struct FaceTuning {
  // Scale the shapes of the lower and of the upper face, except gaze and tongue. The boundary is
  // `face_mask_level`, a height in the face: 0 at the chin, 1 at the brows. The two strengths are
  // blended over `face_mask_softness` around it.
  float lower_face_strength = 1;       // 0..2
  float upper_face_strength = 1;       // 0..2
  float face_mask_level = 0.6f;        // 0..1
  float face_mask_softness = 0.0085f;  // 0.001..0.5
  // Scale all shapes except blinks, gaze and tongue; the blinks; and the tongue.
  float skin_strength = 1;    // 0..2
  float blink_strength = 1;   // 0..2
  float tongue_strength = 1;  // 0..3
  // Open the lids (-1..1) and the lips (-0.2..0.2) further than the face does; negative values
  // close them. A full blink still closes the lids.
  float eyelid_open_offset = 0;
  float lip_open_offset = 0;
  // Time constants of an exponential smoothing, in seconds, 0..0.1. Smoothing the lower face makes
  // the lips close late and incompletely.
  float lower_face_smoothing_s = 0;
  float upper_face_smoothing_s = 0;
  // weight * multiplier + offset, for each shape of FaceShapeNames().
  std::array<float, kFaceShapes> multipliers;
  std::array<float, kFaceShapes> offsets{};
  bool clamp = true;  // to 0..1

  FaceTuning() { multipliers.fill(1); }
};

// Sets one field by its name in Audio2Face: lowerFaceStrength, upperFaceStrength, faceMaskLevel,
// faceMaskSoftness, skinStrength, blinkStrength, tongueStrength, eyelidOpenOffset, lipOpenOffset,
// lowerFaceSmoothing, upperFaceSmoothing. NOT_FOUND for another name, INVALID_ARGUMENT for a value
// out of range; both state what would be valid.
absl::Status SetFaceParameter(absl::string_view name, float value, FaceTuning& tuning);

// Set a shape's multiplier or offset by its ARKit name. NOT_FOUND for a shape that is not in
// FaceShapeNames(), INVALID_ARGUMENT for a value not in -100..100.
absl::Status SetShapeMultiplier(absl::string_view shape, float value, FaceTuning& tuning);
absl::Status SetShapeOffset(absl::string_view shape, float value, FaceTuning& tuning);

// Applies a tuning to the faces of one audio stream, in order. One thread.
class FaceTuner {
 public:
  explicit FaceTuner(const FaceTuning& tuning);

  // `step_s` is the time since the previous face. The smoothing begins with the first face.
  void Apply(double step_s, FaceWeights& face);

 private:
  FaceTuning tuning_;
  FaceWeights gain_;  // from the strengths
  FaceWeights smooth_{};
  bool started_ = false;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FACE_TUNING_H_
