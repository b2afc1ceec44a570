// Makes a speaking face in ACE's form: 68 weights, with emotions, the tongue, multipliers and
// offsets.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_FACE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_FACE_H_

#include "libs/speech/sound_face.h"
#include "services/a2f_source/core/ace_shapes.h"
#include "services/a2f_source/core/emotion_track.h"
#include "services/a2f_source/core/face_settings.h"
#include "services/a2f_source/core/tongue_track.h"

namespace posewire::a2f_source {

// Makes the faces of one sound, in order. One thread.
class AceFace {
 public:
  explicit AceFace(const FaceSettings& settings) : settings_(settings), tongue_(settings.tongue) {}

  // Returns ACE's weights for a face, which was made with the settings' tuning and comes `step_s`
  // after the one before. Valid until the next call.
  const AceWeights& Make(const speech::FaceFrame& face, const Emotions& emotions, double step_s);

 private:
  const FaceSettings settings_;
  TongueTrack tongue_;
  AceWeights weights_{};
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_ACE_FACE_H_
