#include "services/a2f_source/speaker/say_text.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/client/uuid.h"
#include "libs/speech/estimate_words.h"
#include "libs/speech/speech_text.h"
#include "libs/wire/frame_reader.h"
#include "services/a2f_source/voices/quote.h"
#include "services/a2f_source/voices/voice_config.h"

namespace posewire::a2f_source {
namespace {

constexpr double kTail_s = 0.5;

absl::Status CheckIds(const RunIds& ids) {
  if (ids.stream_id.empty()) {
    return absl::InvalidArgumentError(
        "stream_id: empty, and the source has no stream of its own; the id of a stream is right");
  }
  const std::pair<const char*, const std::string*> given[] = {{"stream_id", &ids.stream_id},
                                                              {"target_object_id", &ids.target_id},
                                                              {"request_id", &ids.request_id}};
  for (const auto& [field, id] : given) {
    if (id->empty()) continue;
    if (absl::Status s = wire::CheckId(field, *id); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckManner(const SayText& text) {
  if (absl::Status s = CheckLanguage(text.language); !s.ok()) return s;
  // Also rejects NaN.
  if (!(text.speed >= 0.5 && text.speed <= 2)) {
    return absl::InvalidArgumentError(absl::StrCat("speed: ", text.speed, ", 0.5 to 2 is right"));
  }
  if (text.policy != "queue" && text.policy != "interrupt") {
    return absl::InvalidArgumentError(
        absl::StrCat("policy: ", Quote(text.policy), ", queue or interrupt is right"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CompleteSayText(const SayDefaults& defaults, SayText& text,
                             std::vector<std::string>& notes) {
  const auto fill = [](std::string& value, const std::string& other) {
    if (value.empty()) value = other;
  };
  fill(text.ids.stream_id, defaults.text.ids.stream_id);
  fill(text.ids.target_id, defaults.text.ids.target_id);
  fill(text.ids.source_id, defaults.text.ids.source_id);
  text.ids.appearance = defaults.text.ids.appearance;
  fill(text.voice, defaults.text.voice);
  fill(text.language, defaults.text.language);
  fill(text.policy, defaults.text.policy);
  if (text.ids.request_id.empty()) text.ids.request_id = client::MakeUuid();
  if (text.speed == 0) text.speed = defaults.text.speed;
  if (absl::Status s = CheckIds(text.ids); !s.ok()) return s;
  if (absl::Status s = CheckManner(text); !s.ok()) return s;
  if (text.stream != nullptr) {
    return text.sound_rate_hz > 0 || !defaults.check_voice ? absl::OkStatus()
                                                           : defaults.check_voice(text.voice);
  }
  if (text.text.size() > defaults.max_text_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("text: ", text.text.size(), " bytes, at most ",
                                                   defaults.max_text_bytes, " are right"));
  }
  absl::StatusOr<speech::SpokenText> spoken = speech::CleanSpeechText(text.text);
  if (!spoken.ok()) return spoken.status();
  notes = std::move(spoken->notes);
  if (!defaults.check_text) return absl::OkStatus();
  const auto more = defaults.check_text(text.voice, spoken->text);
  if (!more.ok()) return more.status();
  notes.insert(notes.end(), more->begin(), more->end());
  return absl::OkStatus();
}

double EstimateDuration(const SayText& text) {
  return speech::EstimateSeconds(text.text) / text.speed + kTail_s;
}

}  // namespace posewire::a2f_source
