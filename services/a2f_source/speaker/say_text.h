// A client's text for the source to speak, and its validation.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAY_TEXT_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAY_TEXT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/text_stream.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/speaker/said_log.h"

namespace posewire::a2f_source {

// CompleteSayText fills in empty fields.
struct SayText {
  RunIds ids = {};
  std::string text = {};
  std::string voice = {};
  double speed = 0;              // 0: not given
  std::string policy = {};       // "queue" or "interrupt"
  std::string traceparent = {};  // of the client; see stream::TraceparentOf
  std::string language = {};     // BCP 47; empty: the voice's own

  // Set for a text that is still being written, or a voice that is still being made, at that rate.
  // `text` is empty then.
  std::shared_ptr<speech::TextStream> stream = {};
  int sound_rate_hz = 0;
  bool live = false;  // that voice arrives as it is spoken
  std::shared_ptr<SayListener> listener = {};
  std::function<void(SaidClause)> on_clause = {};  // see SayOptions
};

// Defaults of a text.
struct SayDefaults {
  SayText text = {};
  size_t max_text_bytes = 4096;
  // As VoiceCatalog::CheckText; null: accepts everything.
  std::function<absl::StatusOr<std::vector<std::string>>(absl::string_view voice,
                                                         absl::string_view clean)>
      check_text = {};
  // As VoiceCatalog::Check, for a text that is not known yet; null: accepts everything.
  std::function<absl::Status(absl::string_view voice)> check_voice = {};
};

// Fills in missing fields, including a UUID for the request, and checks all. Adds a sentence to
// `notes` for each part of the text that will be dropped. INVALID_ARGUMENT names the field, its
// value and what would be valid.
absl::Status CompleteSayText(const SayDefaults& defaults, SayText& text,
                             std::vector<std::string>& notes);

// Estimates the spoken duration of a text from its length alone.
double EstimateDuration(const SayText& text);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAY_TEXT_H_
