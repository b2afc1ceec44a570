// Settings that the commands of a2f_source share.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SOURCE_SETTINGS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SOURCE_SETTINGS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "libs/client/push_client.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/flags/flags.h"
#include "libs/service/grpc_host.h"
#include "libs/service/http/http_host.h"
#include "libs/service/logger.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a config key; see --help.
struct SourceSettings {
  std::string to = "127.0.0.1:51000";
  std::string out;  // not serve, talk
  std::string stream_id;
  std::string request_id;  // not serve, talk
  std::string target_id;   // not talk
  std::string source_id;
  std::string traceparent;      // not serve
  std::string character, look;  // play, say, serve, wav
  rpc::TlsFiles tls;            // of the connection to a server
  std::string token_file;       // sent to that server
  std::string rate;             // empty: realtime to an address, burst to a file
  bool loop = false;            // play, talk
  double lead_s = 0.3;
  double give_up_s = 30;
  double keep_alive_s = 10;
  bool progress = true;  // not serve, ifacialmocap, livelink, vmc
  std::string mode;
  std::string policy;
  std::string prebuffer_s;
  std::string fps;                // empty: 60 for performers, else 30
  int64_t seed = 0;               // say, serve, talk, wav
  bool body = true;               // say, serve, talk, wav
  service::GrpcHostOptions grpc;  // listens only if configured
  service::HttpOptions http;      // the same
  // shared by all pushes
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();
  // Writing a file at a terminal (WaitsForFile): only prints the result, on standard error.
  bool quiet = false;

  // Declares the flags for the destination and the rate. The command play declares its own after
  // these.
  void DeclareTarget(service::Flags& flags);
  // Declares the flags for the lead, and for how it plays.
  void DeclarePace(service::Flags& flags);
  // Declares --fps, --seed and --body, after the flags of the voices.
  void DeclareKeys(service::Flags& flags);

  // Returns true if a person waits for a file. Then progress and result are shown, and only
  // warnings are logged, unless a level was given.
  bool WaitsForFile(bool terminal, const service::Flags& flags) const;
  // Returns true if nothing is pushed and clients pull instead.
  bool pulled_only() const { return to == "none"; }
  double Rate() const;
  timecode::FrameRate Fps(int otherwise = 30) const;
  // Ids not given are random UUIDs. No target means the stream's default avatar.
  RunIds Ids() const;
  client::PushOptions Push(const service::Logger& log) const;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SOURCE_SETTINGS_H_
