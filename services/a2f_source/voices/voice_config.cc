#include "services/a2f_source/voices/voice_config.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/files/read.h"
#include "services/a2f_source/voices/quote.h"

namespace posewire::a2f_source {
namespace {

constexpr uint64_t kMostKeyBytes = 8192;

absl::StatusOr<std::string> ReadKey(const std::string& path) {
  absl::StatusOr<std::string> key = files::ReadWhole(path, kMostKeyBytes);
  if (!key.ok()) {
    return absl::Status(key.status().code(),
                        absl::StrCat("--voice-key-file: ", key.status().message()));
  }
  std::string stripped(absl::StripAsciiWhitespace(*key));
  const bool plain = std::all_of(stripped.begin(), stripped.end(),
                                 [](unsigned char c) { return absl::ascii_isgraph(c); });
  if (stripped.empty() || !plain) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--voice-key-file: ", path, ": one line of printable ASCII without spaces is right"));
  }
  return stripped;
}

}  // namespace

absl::Status CheckLanguage(absl::string_view language) {
  if (language.empty()) return absl::OkStatus();
  const std::vector<absl::string_view> parts = absl::StrSplit(language, '-');
  const bool right = language.size() <= 35 && parts[0].size() >= 2 && parts[0].size() <= 3 &&
                     std::all_of(parts[0].begin(), parts[0].end(),
                                 [](unsigned char c) { return absl::ascii_isalpha(c); }) &&
                     std::all_of(parts.begin(), parts.end(), [](absl::string_view part) {
                       return !part.empty() && part.size() <= 8 &&
                              std::all_of(part.begin(), part.end(),
                                          [](unsigned char c) { return absl::ascii_isalnum(c); });
                     });
  if (right) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "language: ", Quote(language), ", a language tag such as en-US, es or pt-BR is right"));
}

void VoiceConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"say", "serve", "talk"});
  flags.Group("Speech");
  flags.Add(
      "voice", &voice,
      "Voice: slt (the default), rms or awb, which are built in, or one of the voice server's "
      "(its first unless given).",
      {.value_name = "NAME", .commands = {"say", "serve"}});
  flags.Add("language", &language,
            "Language of the text, such as en-US or es; the voice's own unless given.",
            {.value_name = "TAG", .check = CheckLanguage});
  flags.Add("speed", &speed, "Rate of speech; the avatar's variable activity changes it.",
            {.min = 0.5, .max = 2});
  flags.Add("voice-server", &server,
            "Server that speaks (POST URL/v1/audio/speech, as OpenAI's), such as "
            "http://127.0.0.1:8880.",
            {.value_name = "URL"});
  flags.Add("voice-api", &api, "What the voice server speaks.",
            {.choices = {"openai", "kokoro-fastapi", "elevenlabs"}});
  flags.Add("voice-model", &model, "Model that the voice server is asked for.",
            {.value_name = "NAME"});
  flags.Add("voice-key-file", &key_file,
            "File with the voice server's key; sent over TLS or to this machine only.",
            {.value_name = "FILE"});
  flags.Add("voice-ca", &ca_file,
            "File with the authorities that may have signed the voice server's certificate.",
            {.value_name = "FILE", .rare = true});
  flags.Add(
      "voice-marks", &marks,
      "Times of phonemes and words: asked for where the server lists them, and moved where they "
      "are late against its sound (auto); asked for and left alone (always); or never, when "
      "lips follow the sound.",
      {.choices = {"auto", "always", "never"}});
  flags.Add("fallback-voice", &fallback, "Voice that speaks when one of the voice server fails.",
            {.value_name = "NAME"});
  flags.Add("max-gap-s", &max_gap_s,
            "Seconds without sound from the voice, within a text, that are bridged by silence.",
            {.min = 0, .max = 60});
  flags.AddCheck([this] {
    if (!server.empty()) return absl::OkStatus();
    const std::pair<const char*, const std::string*> needs[] = {{"--voice-key-file", &key_file},
                                                                {"--voice-ca", &ca_file},
                                                                {"--voice-model", &model},
                                                                {"--fallback-voice", &fallback}};
    for (const auto& [flag, value] : needs) {
      if (value->empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": needs a voice server; give --voice-server"));
    }
    return absl::OkStatus();
  });
  flags.AddCheck([this] { return VoiceCatalog::Check(voice, !server.empty()); });
}

absl::StatusOr<std::shared_ptr<VoiceCatalog>> VoiceConfig::Open(bool patient) const {
  VoiceCatalogOptions options{
      .voice = voice, .fallback = fallback, .server = {}, .measure_lag = marks == "auto"};
  if (server.empty()) return VoiceCatalog::Open(std::move(options));
  voice_http::VoiceServer& asked = options.server.emplace();
  asked.url = server;
  asked.api = api;
  asked.model = model;
  asked.ca_file = ca_file;
  asked.marks = marks == "always"  ? voice_http::AskForMarks::kAlways
                : marks == "never" ? voice_http::AskForMarks::kNever
                                   : voice_http::AskForMarks::kIfListed;
  if (patient) {
    asked.timeouts = {.connect_s = 5, .first_byte_s = 60, .stall_s = 60, .clause_s = 300};
  } else if (!fallback.empty()) {
    // The fallback begins before the gap is too long.
    const double soon_s = std::max(0.5, 0.85 * max_gap_s);
    asked.timeouts.first_byte_s = std::min(asked.timeouts.first_byte_s, soon_s);
    asked.timeouts.stall_s = std::min(asked.timeouts.stall_s, soon_s);
  }
  if (!key_file.empty()) {
    absl::StatusOr<std::string> key = ReadKey(key_file);
    if (!key.ok()) return key.status();
    asked.key = *std::move(key);
  }
  auto catalog = VoiceCatalog::Open(std::move(options));
  if (catalog.ok()) return catalog;
  return absl::Status(catalog.status().code(),
                      absl::StrCat("--voice-server: ", catalog.status().message()));
}

}  // namespace posewire::a2f_source
