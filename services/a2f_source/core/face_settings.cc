#include "services/a2f_source/core/face_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/wire/text_check.h"

namespace posewire::a2f_source {
namespace {

namespace a2f = nvidia_ace::a2f::v1;

// Shortens names, so that a message with many unknown names does not cause a large answer.
std::string Unknown(absl::string_view field, absl::string_view name) {
  return absl::StrCat(field, " has nothing called ", wire::Quoted(name));
}

// Also rejects NaN.
absl::Status CheckRange(absl::string_view field, double value, double least, double most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": ", value, ", ", least, " to ", most, " is right"));
}

struct Parameter {
  absl::string_view name;
  float least, most;
  float* value;
};

// Calls in order of the names, because protobuf's maps have no order and errors should.
template <typename Map>
auto Sorted(const Map& map) {
  return std::map<std::string, typename Map::mapped_type>(map.begin(), map.end());
}

absl::Status ReadFaceParameter(absl::string_view name, float value, FaceSettings& settings,
                               IgnoredFields& ignored_fields) {
  const std::string field = absl::StrCat("face_params.float_params.", name);
  const Parameter own[] = {
      {"blinkOffset", -1, 1, &settings.blink_offset},
      {"tongueHeightOffset", -3, 3, &settings.tongue.height_offset},
      {"tongueDepthOffset", -3, 3, &settings.tongue.depth_offset},
  };
  for (const Parameter& parameter : own) {
    if (parameter.name != name) continue;
    *parameter.value = value;
    return CheckRange(field, static_cast<double>(value), static_cast<double>(parameter.least),
                      static_cast<double>(parameter.most));
  }
  const absl::Status status = speech::SetFaceParameter(name, value, settings.tuning);
  if (!absl::IsNotFound(status)) {
    return status.ok() ? status
                       : absl::Status(status.code(),
                                      absl::StrCat("face_params.float_params.", status.message()));
  }
  ignored_fields.Add(Unknown("face_params.float_params", name));
  return absl::OkStatus();
}

absl::Status ReadFace(const a2f::FaceParameters& face, FaceSettings& settings,
                      IgnoredFields& ignored_fields) {
  for (const auto& [name, value] : Sorted(face.float_params())) {
    if (absl::Status s = ReadFaceParameter(name, value, settings, ignored_fields); !s.ok())
      return s;
  }
  for (const auto& [name, value] : Sorted(face.integer_params())) {
    ignored_fields.Add(Unknown("face_params.integer_params", name));
  }
  for (const auto& entry : face.float_array_params()) {
    ignored_fields.Add(Unknown("face_params.float_array_params", entry.first));
  }
  settings.tongue.strength = settings.tuning.tongue_strength;
  return absl::OkStatus();
}

absl::Status ReadWeights(absl::string_view field, const EmotionMap& map, AceWeights& weights,
                         IgnoredFields& ignored_fields) {
  for (const auto& [name, value] : Sorted(map)) {
    const size_t at = AceShapeAt(name);
    if (at == kAceShapes) {
      ignored_fields.Add(Unknown(field, name));
      continue;
    }
    absl::Status s =
        CheckRange(absl::StrCat(field, ".", name), static_cast<double>(value), -100, 100);
    if (!s.ok()) return s;
    weights[at] = value;
  }
  return absl::OkStatus();
}

absl::Status ReadShapes(const a2f::BlendShapeParameters& shapes, FaceSettings& settings,
                        IgnoredFields& ignored_fields) {
  settings.clamp = shapes.enable_clamping_bs_weight();
  absl::Status status =
      ReadWeights("blendshape_params.bs_weight_multipliers", shapes.bs_weight_multipliers(),
                  settings.multipliers, ignored_fields);
  if (!status.ok()) return status;
  return ReadWeights("blendshape_params.bs_weight_offsets", shapes.bs_weight_offsets(),
                     settings.offsets, ignored_fields);
}

absl::Status ReadProcessing(const a2f::EmotionPostProcessingParameters& given,
                            EmotionSettings& settings) {
  const auto check = [](absl::string_view name, double value, double least, double most) {
    return CheckRange(absl::StrCat("emotion_post_processing_params.", name), value, least, most);
  };
  if (given.has_emotion_contrast()) {
    const auto contrast = static_cast<double>(given.emotion_contrast());
    if (absl::Status s = check("emotion_contrast", contrast, 0.3, 3); !s.ok()) return s;
    settings.heard_contrast = given.emotion_contrast();
  }
  if (given.has_enable_preferred_emotion()) settings.use_given = given.enable_preferred_emotion();
  if (given.has_max_emotions()) {
    settings.most = given.max_emotions();
    if (absl::Status s = check("max_emotions", settings.most, 1, 6); !s.ok()) return s;
  }
  const auto read = [&](bool has, absl::string_view name, float value, float& into) {
    if (!has) return absl::OkStatus();
    into = value;
    return check(name, static_cast<double>(value), 0, 1);
  };
  absl::Status s =
      read(given.has_live_blend_coef(), "live_blend_coef", given.live_blend_coef(), settings.keep);
  if (s.ok()) {
    s = read(given.has_preferred_emotion_strength(), "preferred_emotion_strength",
             given.preferred_emotion_strength(), settings.given_strength);
  }
  if (s.ok()) {
    s = read(given.has_emotion_strength(), "emotion_strength", given.emotion_strength(),
             settings.strength);
  }
  return s;
}

absl::Status ReadBeginning(const a2f::EmotionParameters& given, EmotionSettings& settings,
                           IgnoredFields& ignored_fields) {
  if (given.has_live_transition_time()) {
    settings.transition_s = given.live_transition_time();
    if (!(settings.transition_s > 0) || std::isinf(settings.transition_s)) {
      return absl::InvalidArgumentError(
          absl::StrCat("emotion_params.live_transition_time: ", settings.transition_s,
                       ", a time over 0 s is right"));
    }
  }
  auto beginning =
      ReadEmotions("emotion_params.beginning_emotion", given.beginning_emotion(), ignored_fields);
  if (!beginning.ok()) return beginning.status();
  settings.beginning = *beginning;
  return absl::OkStatus();
}

}  // namespace

void IgnoredFields::Add(std::string sentence) {
  if (std::find(sentences_.begin(), sentences_.end(), sentence) != sentences_.end()) return;
  if (sentences_.size() < kMost) {
    sentences_.push_back(std::move(sentence));
  } else {
    ++more_;
  }
}

std::string IgnoredFields::Text() const {
  if (sentences_.empty()) return "";
  const std::string more = more_ == 0 ? "" : absl::StrCat("; and ", more_, " more");
  return absl::StrCat("without effect: ", absl::StrJoin(sentences_, "; "), more);
}

FaceSettings::FaceSettings() {
  multipliers.fill(1);
  tuning.clamp = false;
}

absl::StatusOr<FaceSettings> ReadFaceSettings(const a2f::AudioStreamHeader& header,
                                              IgnoredFields& ignored_fields) {
  FaceSettings settings;
  absl::Status s = ReadFace(header.face_params(), settings, ignored_fields);
  if (s.ok()) s = ReadShapes(header.blendshape_params(), settings, ignored_fields);
  if (s.ok()) {
    s = ReadProcessing(header.emotion_post_processing_params(), settings.emotions);
  }
  if (s.ok()) s = ReadBeginning(header.emotion_params(), settings.emotions, ignored_fields);
  if (!s.ok()) return s;
  return settings;
}

absl::StatusOr<Emotions> ReadEmotions(absl::string_view field, const EmotionMap& map,
                                      IgnoredFields& ignored_fields) {
  Emotions emotions{};
  const auto names = EmotionNames();
  for (const auto& [name, value] : Sorted(map)) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      ignored_fields.Add(Unknown(field, name));
      continue;
    }
    absl::Status s = CheckRange(absl::StrCat(field, ".", name), static_cast<double>(value), 0, 1);
    if (!s.ok()) return s;
    emotions[static_cast<size_t>(found - names.begin())] = value;
  }
  return emotions;
}

}  // namespace posewire::a2f_source
