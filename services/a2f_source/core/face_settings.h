// What ACE's callers may choose about a face, read and checked.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SETTINGS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/face_tuning.h"
#include "nvidia_ace.a2f.v1.pb.h"
#include "services/a2f_source/core/ace_shapes.h"
#include "services/a2f_source/core/emotion_track.h"
#include "services/a2f_source/core/tongue_track.h"

namespace posewire::a2f_source {

// What was asked for and has no effect, one sentence each with the name in it. Callers choose the
// names, so only so many are kept.
class IgnoredFields {
 public:
  void Add(std::string sentence);
  // In one line; "" when all has its effect.
  std::string Text() const;

 private:
  static constexpr size_t kMost = 16;
  std::vector<std::string> sentences_;
  size_t more_ = 0;
};

struct FaceSettings {
  FaceSettings();

  speech::FaceTuning tuning;  // of strengths, offsets and smoothing; it neither scales nor clamps
  TongueSettings tongue;
  float blink_offset = 0;  // what the lids are closed further
  // Last: weight * multiplier + offset, and within 0..1 when `clamp` says so.
  AceWeights multipliers, offsets{};
  bool clamp = false;
  EmotionSettings emotions;
};

// Of the header of a sound. INVALID_ARGUMENT for a value out of range names the field, the value
// and the range; names that nobody knows, and what has no effect here, go to `ignored_fields`.
absl::StatusOr<FaceSettings> ReadFaceSettings(const nvidia_ace::a2f::v1::AudioStreamHeader& header,
                                              IgnoredFields& ignored_fields);

using EmotionMap = google::protobuf::Map<std::string, float>;

// Emotions by name; those that are not named are 0. Errors and `ignored_fields` as above.
absl::StatusOr<Emotions> ReadEmotions(absl::string_view field, const EmotionMap& map,
                                      IgnoredFields& ignored_fields);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SETTINGS_H_
