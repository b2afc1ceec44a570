#include "services/a2f_source/core/ace_face.h"

#include <algorithm>

#include "services/a2f_source/core/emotion_face.h"

namespace posewire::a2f_source {

const AceWeights& AceFace::Make(const speech::FaceFrame& face, const Emotions& emotions,
                                double step_s) {
  static const auto places = [] {
    std::array<size_t, speech::kFaceShapes> at{};
    for (size_t i = 0; i < at.size(); ++i) at[i] = AceShapeAt(speech::FaceShapeNames()[i]);
    return at;
  }();
  static const size_t lids[] = {AceShapeAt("EyeBlinkLeft"), AceShapeAt("EyeBlinkRight")};
  weights_.fill(0);
  for (size_t i = 0; i < places.size(); ++i) weights_[places[i]] = face.weights[i];
  const speech::FaceTuning& tuning = settings_.tuning;
  AddEmotions(emotions, tuning.lower_face_strength * tuning.skin_strength,
              tuning.upper_face_strength * tuning.skin_strength, weights_);
  tongue_.Add(face.speaking ? face.classes : std::array<float, speech::kSoundClasses>{}, step_s,
              weights_);
  for (const size_t lid : lids) weights_[lid] += settings_.blink_offset;
  for (size_t i = 0; i < kAceShapes; ++i) {
    weights_[i] = weights_[i] * settings_.multipliers[i] + settings_.offsets[i];
    if (settings_.clamp) weights_[i] = std::clamp(weights_[i], 0.0f, 1.0f);
  }
  return weights_;
}

}  // namespace posewire::a2f_source
