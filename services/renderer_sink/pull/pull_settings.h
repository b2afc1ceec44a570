// The settings of the renderer_sink process.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_

#include <string>
#include <vector>

#include "libs/client/pull_client.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/grpc_host.h"
#include "libs/service/http/http_host.h"
#include "libs/service/logger.h"
#include "libs/service/shell.h"
#include "services/renderer_sink/pushes/push_inbox.h"
#include "services/renderer_sink/render/render_clip.h"
#include "services/renderer_sink/session/session.h"
#include "services/renderer_sink/stream/stream_command.h"
#include "services/renderer_sink/view/view_server.h"
#include "services/renderer_sink/vmc/vmc_consumer.h"

namespace posewire::renderer_sink {

// Each field is a flag, an environment variable and a key of the config file; see --help.
struct Config {
  service::ShellOptions shell;
  rpc::TlsFiles tls;       // of what is dialled
  std::string token_file;  // shown to what is dialled
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();  // of what is taken
  service::GrpcHostOptions grpc;  // listens only when told
  service::HttpOptions http{.websocket_queue = {.bytes = 1 << 20},
                            .send_buffer_bytes = 64 << 10};  // view
  std::string out;                                           // record OUT
  std::string from = "127.0.0.1:51000";
  std::vector<std::string> stream_ids;  // view takes several, and none
  std::string request_id;
  std::string target_id;
  std::string rig;
  bool contributions = false;
  double duration_s = 0;
  bool until_end = false;
  // record
  bool overwrite = false;
  bool requests_only = false;
  bool split_usd = false;
  int take_mib = 256;

  bool summary = false;              // print
  std::vector<std::string> avatars;  // view, render, faces, stream; see AvatarChoice
  std::string say_to;                // view
  int most_avatars = 4;              // view
  double keep_s = 180;               // view
  double login_hours = 12;           // view
  std::vector<std::string> doors;    // view
  double late_ms = 50;
  std::vector<std::string> to;  // vmc: none is its own default; stream: one
  VmcSinkConfig vmc;
  RenderConfig render;
  StreamConfig stream;
  double give_up_s = 0;
  double keep_alive_s = 10;

  void Declare(service::Flags& flags);

  // Nothing is pulled: pushes are taken, where it listens.
  bool pushed() const { return from == "none"; }
  // What is taken of them. `paced`: they are played by their codes.
  PushInboxOptions Pushes(bool paced) const;
  client::PullOptions Pull(const service::Logger& log) const;
  SessionOptions Session() const;
  // Who is drawn where one avatar is.
  CastOptions Cast() const;
  VmcSinkConfig Vmc() const;
  ViewOptions View(const service::Logger& log, const std::string& version) const;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_PULL_SETTINGS_H_
