// Settings that the commands which receive a stream share: record, print, view, stream and vmc.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_

#include <memory>
#include <string>
#include <vector>

#include "libs/client/pull_client.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/flags/flags.h"
#include "libs/service/grpc_host.h"
#include "libs/service/http/http_host.h"
#include "libs/service/logger.h"
#include "services/renderer_sink/pushes/push_inbox.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

// Each field is a flag, an environment variable and a config key; see --help.
struct PullSettings {
  std::string from = "127.0.0.1:51000";
  std::vector<std::string> stream_ids;  // view takes several, and none
  std::string request_id;
  std::string target_id;
  std::string rig;
  bool contributions = false;  // record, print
  std::string sparse = "auto";
  std::string shapes;      // record, vmc: shape set of the output; empty: as pulled
  rpc::TlsFiles tls;       // of the connection to a server
  std::string token_file;  // sent to that server
  double duration_s = 0;   // not view
  bool until_end = false;  // not view
  double give_up_s = 0;
  double keep_alive_s = 10;
  std::vector<std::string> to;  // vmc: its own default if empty; stream: one
  double late_ms = 50;
  service::GrpcHostOptions grpc;  // listens only if configured
  service::HttpOptions http;
  // of the data received
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();

  // Declares the flags for what is pulled, for how long, and the destination.
  void Declare(service::Flags& flags);
  // Declares --late-ms and the listening address; last in the help.
  void DeclareListening(service::Flags& flags);

  // "": none was given.
  std::string stream_id() const { return stream_ids.empty() ? "" : stream_ids.front(); }
  // Returns true if nothing is pulled and pushes are accepted at the listening address.
  bool pushed() const { return from == "none"; }
  // Returns which pushes are accepted. `paced`: they are played by their time codes.
  PushInboxOptions Pushes(bool paced) const;
  client::PullOptions Pull(const service::Logger& log) const;
  SessionOptions Session() const;

 private:
  bool exact_ = false;  // the command pulls exact values if `sparse` is auto
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_
