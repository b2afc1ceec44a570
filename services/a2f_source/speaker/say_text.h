// A text that somebody asks the source to speak, checked.
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

// Empty fields are filled in by CompleteSayText.
struct SayText {
  RunIds ids = {};
  std::string text = {};
  std::string voice = {};
  double speed = 0;              // 0: not given
  std::string policy = {};       // "queue" or "interrupt"
  std::string traceparent = {};  // of who asked; see stream::TraceparentOf
  std::string language = {};     // BCP 47; empty: the voice's own

  // Of a text that is still being written, or a voice that is still being made, at that rate;
  // `text` is empty then.
  std::shared_ptr<speech::TextStream> stream = {};
  int sound_rate_hz = 0;
  bool live = false;  // that voice comes as it is spoken
  std::shared_ptr<SayListener> listener = {};
  std::function<void(SaidClause)> on_clause = {};  // see SayOptions
};

// What a text takes that does not say for itself.
struct SayDefaults {
  SayText text = {};
  size_t max_text_bytes = 4096;
  // As VoiceCatalog::CheckText; null: all is right.
  std::function<absl::StatusOr<std::vector<std::string>>(absl::string_view voice,
                                                         absl::string_view clean)>
      check_text = {};
  // As VoiceCatalog::Check, of a text that is not known yet; null: all is right.
  std::function<absl::Status(absl::string_view voice)> check_voice = {};
};

// Fills in what is missing, a UUID for the request among it, and checks all. `notes` gets what will
// be left out of the text, one sentence each. INVALID_ARGUMENT names the field, what it is and what
// would be right.
absl::Status CompleteSayText(const SayDefaults& defaults, SayText& text,
                             std::vector<std::string>& notes);

// How long a text lasts when it is spoken, from its length alone.
double EstimateDuration(const SayText& text);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SPEAKER_SAY_TEXT_H_
