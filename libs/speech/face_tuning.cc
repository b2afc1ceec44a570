#include "libs/speech/face_tuning.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::speech {
namespace {

struct Parameter {
  absl::string_view name;
  float FaceTuning::*field;
  float least, most;
};

constexpr Parameter kParameters[] = {
    {"lowerFaceStrength", &FaceTuning::lower_face_strength, 0, 2},
    {"upperFaceStrength", &FaceTuning::upper_face_strength, 0, 2},
    {"faceMaskLevel", &FaceTuning::face_mask_level, 0, 1},
    {"faceMaskSoftness", &FaceTuning::face_mask_softness, 0.001f, 0.5f},
    {"skinStrength", &FaceTuning::skin_strength, 0, 2},
    {"blinkStrength", &FaceTuning::blink_strength, 0, 2},
    {"tongueStrength", &FaceTuning::tongue_strength, 0, 3},
    {"eyelidOpenOffset", &FaceTuning::eyelid_open_offset, -1, 1},
    {"lipOpenOffset", &FaceTuning::lip_open_offset, -0.2f, 0.2f},
    {"lowerFaceSmoothing", &FaceTuning::lower_face_smoothing_s, 0, 0.1f},
    {"upperFaceSmoothing", &FaceTuning::upper_face_smoothing_s, 0, 0.1f},
};

bool IsBlink(absl::string_view shape) { return absl::StartsWith(shape, "eyeBlink"); }
bool IsGaze(absl::string_view shape) { return absl::StartsWith(shape, "eyeLook"); }
bool IsTongue(absl::string_view shape) { return absl::StartsWith(shape, "tongue"); }

// The height of a shape in the face: 0 at the chin, 1 at the brows.
float Height(absl::string_view shape) {
  if (absl::StartsWith(shape, "brow")) return 0.95f;
  if (absl::StartsWith(shape, "eye")) return 0.8f;
  if (absl::StartsWith(shape, "cheek")) return 0.65f;
  return absl::StartsWith(shape, "jaw") ? 0.1f : 0.3f;
}

float Strength(const FaceTuning& tuning, absl::string_view shape) {
  // The eyes counter-rotate against the head. If they were scaled, they would lose the listener.
  if (IsGaze(shape)) return 1;
  if (IsTongue(shape)) return tuning.tongue_strength;
  const float above =
      0.5f + 0.5f * std::tanh((Height(shape) - tuning.face_mask_level) / tuning.face_mask_softness);
  const float strength = tuning.lower_face_strength +
                         above * (tuning.upper_face_strength - tuning.lower_face_strength);
  return strength * (IsBlink(shape) ? tuning.blink_strength : tuning.skin_strength);
}

size_t ShapeAt(absl::string_view name) {
  const auto names = FaceShapeNames();
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

absl::Status SetShape(absl::string_view what, absl::string_view shape, float value,
                      std::array<float, kFaceShapes>& values) {
  const size_t at = ShapeAt(shape);
  if (at == kFaceShapes) {
    return absl::NotFoundError(absl::StrCat("no shape of a speaking face is called \"",
                                            absl::CHexEscape(shape.substr(0, 40)),
                                            "\"; one like jawOpen is right"));
  }
  if (!(std::abs(value) <= 100)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " of ", shape, ": ", value, ", -100 to 100 is right"));
  }
  values[at] = value;
  return absl::OkStatus();
}

}  // namespace

absl::Status SetFaceParameter(absl::string_view name, float value, FaceTuning& tuning) {
  std::string names;
  for (const Parameter& p : kParameters) {
    if (p.name == name) {
      // The negated test also rejects NaN.
      if (!(value >= p.least && value <= p.most)) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, ": ", value, ", ", p.least, " to ", p.most, " is right"));
      }
      tuning.*p.field = value;
      return absl::OkStatus();
    }
    absl::StrAppend(&names, names.empty() ? "" : ", ", p.name);
  }
  return absl::NotFoundError(absl::StrCat("no face parameter is called \"",
                                          absl::CHexEscape(name.substr(0, 40)), "\"; one of ",
                                          names, " is right"));
}

absl::Status SetShapeMultiplier(absl::string_view shape, float value, FaceTuning& tuning) {
  return SetShape("multiplier", shape, value, tuning.multipliers);
}

absl::Status SetShapeOffset(absl::string_view shape, float value, FaceTuning& tuning) {
  return SetShape("offset", shape, value, tuning.offsets);
}

FaceTuner::FaceTuner(const FaceTuning& tuning) : tuning_(tuning) {
  for (size_t i = 0; i < kFaceShapes; ++i) gain_[i] = Strength(tuning, FaceShapeNames()[i]);
}

void FaceTuner::Apply(double step_s, FaceWeights& face) {
  static const size_t jaw = ShapeAt("jawOpen"), left = ShapeAt("eyeBlinkLeft"),
                      right = ShapeAt("eyeBlinkRight");
  for (size_t i = 0; i < kFaceShapes; ++i) face[i] *= gain_[i];
  face[jaw] += tuning_.lip_open_offset;
  // The factor lets a blink still close the eyes.
  for (const size_t lid : {left, right}) face[lid] -= tuning_.eyelid_open_offset * (1 - face[lid]);
  const auto share = [&](float smoothing_s) {
    if (!started_ || smoothing_s <= 0) return 1.0f;
    return static_cast<float>(1 - std::exp(-step_s / smoothing_s));
  };
  const float lower = share(tuning_.lower_face_smoothing_s);
  const float upper = share(tuning_.upper_face_smoothing_s);
  started_ = true;
  for (size_t i = 0; i < kFaceShapes; ++i) {
    const bool above = Height(FaceShapeNames()[i]) > tuning_.face_mask_level;
    smooth_[i] += (face[i] - smooth_[i]) * (above ? upper : lower);
    face[i] = smooth_[i] * tuning_.multipliers[i] + tuning_.offsets[i];
    if (tuning_.clamp) face[i] = std::clamp(face[i], 0.0f, 1.0f);
  }
}

}  // namespace posewire::speech
