// Reads and checks the face settings that a client of ACE may choose.
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

// Collects requested settings that have no effect, a sentence each with the field's name. Clients
// choose the names, so the number kept is limited.
class IgnoredFields {
 public:
  void Add(std::string sentence);
  // Returns all of them in one line; "" if there are none.
  std::string Text() const;

 private:
  static constexpr size_t kMost = 16;
  std::vector<std::string> sentences_;
  size_t more_ = 0;
};

struct FaceSettings {
  FaceSettings();

  speech::FaceTuning tuning;  // strengths, offsets and smoothing; does not scale or clamp
  TongueSettings tongue;
  float blink_offset = 0;  // how much further the lids are closed
  // Applied last: weight * multiplier + offset, limited to 0..1 if `clamp` is set.
  AceWeights multipliers, offsets{};
  bool clamp = false;
  EmotionSettings emotions;
};

// Reads the settings in the header of an audio stream. INVALID_ARGUMENT for a value out of range
// names the field, the value and the range. Unknown names, and settings without effect here, are
// added to `ignored_fields`.
absl::StatusOr<FaceSettings> ReadFaceSettings(const nvidia_ace::a2f::v1::AudioStreamHeader& header,
                                              IgnoredFields& ignored_fields);

using EmotionMap = google::protobuf::Map<std::string, float>;

// Reads emotions by name; those not named are 0. Errors and `ignored_fields` as above.
absl::StatusOr<Emotions> ReadEmotions(absl::string_view field, const EmotionMap& map,
                                      IgnoredFields& ignored_fields);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_FACE_SETTINGS_H_
