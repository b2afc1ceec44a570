// All voices that this process can speak with: flite's built-in ones, and those of a voice server.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VOICES_VOICE_CATALOG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VOICES_VOICE_CATALOG_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/http_client/http_client.h"
#include "libs/speech/clause_splitter.h"
#include "libs/speech/mark_lag.h"
#include "libs/speech/voice.h"
#include "libs/speech/voice_info.h"
#include "libs/voice_http/open_ai_voice.h"
#include "libs/voice_http/voice_server.h"

namespace posewire::a2f_source {

struct VoiceCatalogOptions {
  std::string voice;     // default voice; empty: slt, or the first that the server lists
  std::string fallback;  // speaks if a voice of the server fails; empty: none
  std::optional<voice_http::VoiceServer> server;
  // Compares the server's times with its audio, and corrects times that are late.
  bool measure_lag = true;
};

// Thread-safe.
class VoiceCatalog {
 public:
  // INVALID_ARGUMENT for invalid settings of the server, or an unknown voice. Also returns errors
  // of reading its certificate authorities.
  static absl::StatusOr<std::shared_ptr<VoiceCatalog>> Open(VoiceCatalogOptions options);
  ~VoiceCatalog();
  VoiceCatalog(const VoiceCatalog&) = delete;
  VoiceCatalog& operator=(const VoiceCatalog&) = delete;

  // INVALID_ARGUMENT, with a list of the voices, for an unknown one. With a server, all names of up
  // to 128 bytes pass, because a server need not list its voices. Empty: the default one.
  absl::Status Check(absl::string_view voice) const {
    return Check(voice, options_.server.has_value());
  }
  static absl::Status Check(absl::string_view voice, bool has_server);

  // Returns what a voice will drop from a clean text, one sentence each. INVALID_ARGUMENT if that
  // is all of it, and as in Check.
  absl::StatusOr<std::vector<std::string>> CheckText(absl::string_view voice,
                                                     absl::string_view text) const;

  // Returns how texts must be split for a voice.
  speech::ClauseLimits ClausesOf(absl::string_view voice) const;

  // Makes a voice. Empty: the default one; with a server, the first that it lists for the language,
  // which waits for the first list.
  // FAILED_PRECONDITION if there is no default because the server lists no voices.
  absl::StatusOr<std::unique_ptr<speech::Voice>> Make(absl::string_view voice,
                                                      absl::string_view language = "");

  struct Listing {
    std::vector<speech::VoiceInfo> voices;  // the server's before flite's
    std::string default_voice;
    absl::Status server;  // error of the server's list
  };
  // Lists the voices. Asks the server, unless it was asked in the last ten seconds. Waits for it,
  // up to 12 s.
  Listing List();
  // The same without waiting: calls `done` on a thread of the catalog, or at once.
  void ListSoon(std::function<void(const Listing&)> done);

 private:
  explicit VoiceCatalog(VoiceCatalogOptions options);
  // Returns true if flite speaks texts with this voice, or with none.
  bool SpeaksFlite(absl::string_view voice) const;
  absl::StatusOr<std::unique_ptr<speech::Voice>> MakeOne(const std::string& name);
  absl::StatusOr<std::string> FirstOfServer(absl::string_view language);
  bool StartThread();
  void Serve();

  const VoiceCatalogOptions options_;
  std::shared_ptr<http_client::HttpClient> client_;  // shared by all voices of the server
  std::mutex voices_mutex_;
  // Voices of the server that have spoken; guarded by voices_mutex_.
  struct Known {
    std::shared_ptr<voice_http::OpenAiVoice> voice;
    std::shared_ptr<speech::MarkLag> lag;
  };
  std::map<std::string, Known> voices_;
  std::mutex listing_mutex_;               // held while the server is asked
  std::optional<Listing> listing_;         // guarded by listing_mutex_
  std::vector<speech::VoiceInfo> listed_;  // from the server's last answer; guarded likewise
  double listed_at_s_ = 0;                 // guarded by listing_mutex_

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void(const Listing&)>> asked_;  // guarded by mutex_
  bool closing_ = false;                                    // guarded by mutex_
  std::thread thread_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VOICES_VOICE_CATALOG_H_
