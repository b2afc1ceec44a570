// The settings of the a2f_source process.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SOURCE_SETTINGS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SOURCE_SETTINGS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/client/push_client.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/grpc_host.h"
#include "libs/service/http/http_host.h"
#include "libs/service/logger.h"
#include "libs/service/shell.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/core/source.h"
#include "services/a2f_source/serve/run_serve.h"
#include "services/a2f_source/vmc/vmc_config.h"
#include "services/a2f_source/vmc/run_vmc.h"
#include "services/a2f_source/voices/voice_catalog.h"
#include "services/a2f_source/voices/voice_config.h"
#include "services/a2f_source/wav/wav_command.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a key of the config file; see --help.
struct Config {
  service::ShellOptions shell;
  rpc::TlsFiles tls;       // of what is dialled
  std::string token_file;  // shown to what is dialled
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();  // of all pushes
  service::GrpcHostOptions grpc;  // listens only when told
  service::HttpOptions http;      // the same
  std::string file;               // play FILE
  std::vector<std::string> text;  // say TEXT
  WavConfig wav;                  // wav FILE
  std::string to = "127.0.0.1:51000";
  std::string out;
  std::string rate;  // empty: realtime to an address, burst to a file
  bool loop = false;
  std::string from = "0";  // where play begins, as TimeInClip reads it
  std::string prim;        // of a stage
  std::string rig = "hanim_loa3", rest, map, up = "auto", unit;
  double lead_s = 0.3;
  std::string stream_id;
  std::string request_id;
  std::string target_id;
  std::string source_id;
  std::string character, look;  // play, say, serve, wav
  std::string mode;
  std::string policy;
  std::string traceparent;
  std::string prebuffer_s;
  double give_up_s = 30;
  double keep_alive_s = 10;
  VoiceConfig speaks;
  std::string fps;  // empty: 60 for vmc, else 30
  int64_t seed = 0;
  bool body = true;
  bool progress = true;
  int max_text_bytes = 4096;  // serve
  int max_waiting = 8;        // serve
  int max_text_streams = 64;  // serve
  double text_idle_s = 60;    // serve
  int max_speakers = 16;      // serve
  bool ace_compat = false;    // serve
  int max_sounds = 32;        // serve
  double max_sound_s = 300;   // serve
  double sound_idle_s = 30;   // serve
  VmcSourceConfig vmc;

  void Declare(service::Flags& flags);

  // Whether a person waits for a file: then progress and result are shown, and of the log only
  // warnings, unless a level was given.
  bool QuietAt(bool terminal, const service::Flags& flags) const;
  // Nothing is pushed: those who pull get it.
  bool pulled_only() const { return to == "none"; }
  double Rate() const;
  // Ids that were not given are random UUIDs; no target means the stream's default avatar.
  RunIds Ids() const;
  client::PushOptions Push(const service::Logger& log) const;
  // For the command "vmc".
  VmcRunSettings Vmc(const service::Logger& log) const;
  // For the command "serve". Without a stream, texts that name none go to a UUID.
  ServeSettings Serve(std::shared_ptr<VoiceCatalog> voices, const service::Logger& log) const;
};

// The source that the command names: "play", "say" or "wav"; `voices` are for "say". Looking for
// the beginning of what is played takes long in a long file, and a microphone may be silent for
// long; both are CANCELLED once `stopped` says so.
absl::StatusOr<std::unique_ptr<Source>> MakeSource(const Config& config, const std::string& command,
                                                   VoiceCatalog* voices,
                                                   std::function<bool()> stopped);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SOURCE_SETTINGS_H_
