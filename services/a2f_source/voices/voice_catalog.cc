#include "services/a2f_source/voices/voice_catalog.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/client/connection.h"
#include "libs/speech/fallback_voice.h"
#include "libs/speech/flite_voice.h"
#include "libs/speech/spell_ascii.h"
#include "libs/voice_http/list_voices.h"
#include "services/a2f_source/voices/quote.h"

namespace posewire::a2f_source {
namespace {

constexpr double kListAgain_s = 10;
constexpr size_t kMostVoiceBytes = 128;
constexpr size_t kMostAsked = 64;
// One of OpenAI's voices, which a server that lists none most likely has.
constexpr char kUsualVoice[] = "alloy";

bool IsFlite(absl::string_view voice) {
  const std::vector<std::string> voices = speech::FliteVoices();
  return std::find(voices.begin(), voices.end(), voice) != voices.end();
}

// Number of voices whose time lag is remembered.
constexpr size_t kMostVoices = 64;

// A voice of the catalog, for one text.
class SharedVoice : public speech::Voice {
 public:
  explicit SharedVoice(std::shared_ptr<speech::Voice> voice) : voice_(std::move(voice)) {}
  absl::StatusOr<std::unique_ptr<speech::SpeechRun>> Begin(
      const speech::SpeechRequest& request) override {
    return voice_->Begin(request);
  }

 private:
  std::shared_ptr<speech::Voice> voice_;
};

speech::VoiceInfo InfoOf(const voice_http::ListedVoice& voice, const std::string& url) {
  const char* const marks = voice.marks == speech::Marks::kPhonemes ? "phonemes"
                            : voice.marks == speech::Marks::kWords  ? "words"
                                                                    : "none";
  std::vector<std::string> about;
  if (!voice.sex.empty()) about.push_back(voice.sex == "male" ? "a man" : "a woman");
  if (!voice.languages.empty()) about.push_back(absl::StrJoin(voice.languages, ", "));
  return {voice.name, absl::StrJoin(about, ", "), voice.sex, voice.languages, marks, url};
}

}  // namespace

absl::StatusOr<std::shared_ptr<VoiceCatalog>> VoiceCatalog::Open(VoiceCatalogOptions options) {
  std::shared_ptr<VoiceCatalog> catalog(new VoiceCatalog(std::move(options)));
  if (catalog->options_.server) {
    auto client = http_client::HttpClient::Create({.ca_file = catalog->options_.server->ca_file});
    if (!client.ok()) return client.status();
    catalog->client_ = *std::move(client);
    // Validates the settings.
    auto voice =
        voice_http::OpenAiVoice::Create(*catalog->options_.server, kUsualVoice, catalog->client_);
    if (!voice.ok()) return voice.status();
  }
  for (const std::string& voice : {catalog->options_.voice, catalog->options_.fallback}) {
    if (voice.empty()) continue;
    if (absl::Status s = catalog->Check(voice); !s.ok()) return s;
  }
  return catalog;
}

VoiceCatalog::VoiceCatalog(VoiceCatalogOptions options) : options_(std::move(options)) {}

VoiceCatalog::~VoiceCatalog() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

absl::Status VoiceCatalog::Check(absl::string_view voice, bool has_server) {
  if (voice.size() > kMostVoiceBytes) {
    return absl::InvalidArgumentError(absl::StrCat("voice: ", Quote(voice), ", ", voice.size(),
                                                   " bytes, at most ", kMostVoiceBytes,
                                                   " are right"));
  }
  if (has_server || voice.empty() || IsFlite(voice)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("voice: ", Quote(voice), ", one of ", absl::StrJoin(speech::FliteVoices(), ", "),
                   " is right; others need a voice server (--voice-server)"));
}

bool VoiceCatalog::SpeaksFlite(absl::string_view voice) const {
  const absl::string_view name = voice.empty() ? absl::string_view(options_.voice) : voice;
  return name.empty() ? !options_.server : IsFlite(name);
}

absl::StatusOr<std::vector<std::string>> VoiceCatalog::CheckText(absl::string_view voice,
                                                                 absl::string_view text) const {
  if (absl::Status s = Check(voice); !s.ok()) return s;
  if (!SpeaksFlite(voice)) return std::vector<std::string>();
  absl::StatusOr<speech::SpokenText> spelled = speech::SpellAscii(text);
  if (!spelled.ok()) return spelled.status();
  return std::move(spelled->notes);
}

speech::ClauseLimits VoiceCatalog::ClausesOf(absl::string_view voice) const {
  return SpeaksFlite(voice) ? speech::ClauseLimits() : speech::kSlowVoiceLimits;
}

absl::StatusOr<std::unique_ptr<speech::Voice>> VoiceCatalog::Make(absl::string_view voice,
                                                                  absl::string_view language) {
  std::string name(voice.empty() ? absl::string_view(options_.voice) : voice);
  if (name.empty() && !options_.server) name = speech::FliteVoices().front();
  if (name.empty()) {
    auto first = FirstOfServer(language);
    if (!first.ok()) return first.status();
    name = *std::move(first);
  }
  if (absl::Status s = Check(name); !s.ok()) return s;
  auto made = MakeOne(name);
  if (!made.ok() || options_.fallback.empty() || options_.fallback == name || IsFlite(name)) {
    return made;
  }
  auto other = MakeOne(options_.fallback);
  if (!other.ok()) return other;
  return speech::WithFallback(*std::move(made), std::move(name), *std::move(other),
                              options_.fallback);
}

absl::StatusOr<std::string> VoiceCatalog::FirstOfServer(absl::string_view language) {
  std::unique_lock lock(listing_mutex_);
  if (listed_.empty()) {
    lock.unlock();
    const Listing listing = List();
    // When asked for audio, the server reports the error itself.
    if (!listing.server.ok() && options_.server->api == "openai") return std::string(kUsualVoice);
    if (absl::IsNotFound(listing.server)) {
      return absl::FailedPreconditionError(
          "voice: none is named, and the voice server lists none; --voice NAME is right");
    }
    if (!listing.server.ok()) return listing.server;
    lock.lock();
  }
  const auto speaks = [&](const speech::VoiceInfo& voice, absl::string_view tag) {
    return std::any_of(voice.languages.begin(), voice.languages.end(), [&](const std::string& one) {
      return absl::EqualsIgnoreCase(one, tag) ||
             absl::StartsWithIgnoreCase(one, absl::StrCat(tag, "-"));
    });
  };
  // The same language, else another form of it ("pt" and "pt-BR" for "pt-PT").
  for (const absl::string_view tag : {language, language.substr(0, language.find('-'))}) {
    for (const speech::VoiceInfo& voice : listed_) {
      if (!tag.empty() && speaks(voice, tag)) return voice.name;
    }
  }
  return listed_.front().name;
}

absl::StatusOr<std::unique_ptr<speech::Voice>> VoiceCatalog::MakeOne(const std::string& name) {
  if (IsFlite(name)) return speech::MakeFliteVoice(name);
  const std::lock_guard lock(voices_mutex_);
  auto known = voices_.find(name);
  if (known == voices_.end()) {
    auto voice = voice_http::OpenAiVoice::Create(*options_.server, name, client_);
    if (!voice.ok()) return voice.status();
    if (voices_.size() == kMostVoices) voices_.clear();
    auto lag = std::make_shared<speech::MarkLag>(speech::SpeechNetwork::Builtin());
    known = voices_.emplace(name, Known{*std::move(voice), std::move(lag)}).first;
  }
  auto made = std::make_unique<SharedVoice>(known->second.voice);
  if (!options_.measure_lag) return made;
  return speech::WithoutLag(std::move(made), known->second.lag);
}

VoiceCatalog::Listing VoiceCatalog::List() {
  const std::lock_guard lock(listing_mutex_);
  const double now_s = client::SteadySeconds();
  if (listing_ && now_s < listed_at_s_ + kListAgain_s) return *listing_;
  Listing listing;
  if (options_.server) {
    const auto voices = voice_http::ListVoices(*options_.server, client_);
    listing.server = voices.status();
    if (voices.ok()) {
      for (const voice_http::ListedVoice& voice : *voices) {
        listing.voices.push_back(InfoOf(voice, options_.server->url));
      }
    }
  }
  listing.default_voice = !options_.voice.empty()   ? options_.voice
                          : !listing.voices.empty() ? listing.voices.front().name
                          : options_.server         ? kUsualVoice
                                                    : speech::FliteVoices().front();
  if (options_.server && listing.server.ok()) listed_ = listing.voices;
  std::vector<speech::VoiceInfo> flite = speech::FliteVoiceInfos();
  std::move(flite.begin(), flite.end(), std::back_inserter(listing.voices));
  listing_ = listing;
  listed_at_s_ = client::SteadySeconds();
  return listing;
}

void VoiceCatalog::ListSoon(std::function<void(const Listing&)> done) {
  if (!options_.server) return done(List());
  {
    const std::lock_guard lock(mutex_);
    if (asked_.size() < kMostAsked && StartThread()) {
      asked_.push_back(std::move(done));
      changed_.notify_all();
      return;
    }
  }
  Listing listing;
  listing.server = absl::ResourceExhaustedError(
      "the voice server's voices are not known yet: too many calls ask for them; try again later");
  done(listing);
}

// Requires mutex_. Returns false if no thread can be started.
bool VoiceCatalog::StartThread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { Serve(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void VoiceCatalog::Serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !asked_.empty(); });
    if (asked_.empty()) return;
    auto asked = std::exchange(asked_, {});
    lock.unlock();
    const Listing listing = List();
    for (const auto& done : asked) done(listing);
    lock.lock();
  }
}

}  // namespace posewire::a2f_source
