// The settings that the commands share which take a stream: record, print, view, stream and vmc.
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

// Each field is a flag, an environment variable and a key of the config file; see --help.
struct PullSettings {
  std::string from = "127.0.0.1:51000";
  std::vector<std::string> stream_ids;  // view takes several, and none
  std::string request_id;
  std::string target_id;
  std::string rig;
  bool contributions = false;  // record, print
  rpc::TlsFiles tls;           // of what is dialled
  std::string token_file;      // shown to what is dialled
  double duration_s = 0;       // not view
  bool until_end = false;      // not view
  double give_up_s = 0;
  double keep_alive_s = 10;
  std::vector<std::string> to;  // vmc: none is its own default; stream: one
  double late_ms = 50;
  service::GrpcHostOptions grpc;  // listens only when told
  service::HttpOptions http;
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();  // of what is taken

  // What to pull, how long, and where to.
  void Declare(service::Flags& flags);
  // --late-ms and where it listens; last in the help.
  void DeclareListening(service::Flags& flags);

  // "": none was named.
  std::string stream_id() const { return stream_ids.empty() ? "" : stream_ids.front(); }
  // Nothing is pulled: pushes are taken, where it listens.
  bool pushed() const { return from == "none"; }
  // What is taken of them. `paced`: they are played by their codes.
  PushInboxOptions Pushes(bool paced) const;
  client::PullOptions Pull(const service::Logger& log) const;
  SessionOptions Session() const;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_
