// The settings of the anim_graph process.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CONFIG_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CONFIG_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/client/connection.h"
#include "libs/rpc/tls_files.h"
#include "libs/service/flags/flags.h"
#include "libs/service/grpc_host.h"
#include "libs/service/http/http_host.h"
#include "libs/service/shell.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/directory/redis_directory.h"
#include "services/anim_graph/runtime/admission.h"
#include "services/anim_graph/runtime/graph_store.h"

namespace posewire::anim_graph {

// Of --drain-timeout-s, these seconds are for ending the calls. Before that, requests may end.
inline constexpr double kEndingOfCalls_s = 8;

// Each field is a flag, an environment variable and a key of the config file; see --help.
struct Config {
  service::ShellOptions shell;
  service::GrpcHostOptions grpc{.listen = "127.0.0.1:51000", .most_drain_timeout_s = 3600};
  service::HttpOptions http;
  std::string redis;
  DirectoryOptions directory;
  std::string a2f;
  rpc::TlsFiles dial_tls;  // for calls to the source of `a2f` and to other anim_graphs
  std::string a2f_token_file;
  bool ace_compat = false;
  bool ignore_target_ids = false;
  bool ignore_pull_request_ids = false;
  bool faults_as_status = false;
  GraphStoreOptions graph;
  std::string props;  // folder; empty: none
  std::string rig = "hanim_loa3";
  std::string shapes = "arkit52";
  std::string fps = "30";
  int audio_rate_hz = 16000;
  std::string joint_names = "path";
  std::string shape_names = "lower";
  std::string output_translations = "all";
  bool clamp_shapes = false;
  bool require_registration = false;
  std::string mode = "stall";
  std::string policy = "queue";
  double prebuffer_s = 0.1;
  double live_delay_s = 0;
  double translation_scale = 1;
  std::string translations = "root";
  std::vector<std::string> sources;  // NAME:key=value,...
  std::vector<std::string> targets;  // NAME:rig=RIG
  double start_wait_s = 2;
  int max_streams = 1024;
  int max_avatars = 1024;
  EngineSettings limits;  // all other limits, at their defaults until Declare's flags set them
  int max_buffered_mib = 512;
  int max_frames_mib = 256;
  int pull_buffer_mib = 64;
  double buffer_s = 30;
  int buffer_mib = 8;
  double silence_timeout_s = 30;
  double resume_s = 3;
  int workers = 1;
  int64_t seed = 1;

  static service::ProgramInfo About();
  void Declare(service::Flags& flags);
  client::ConnectionOptions A2f() const;
  // The settings of calls; the pointers are not set.
  CallParts Calls(const service::Logger& log) const;
  // For calls to other anim_graphs.
  client::ConnectionOptions PeerConnection() const { return {.tls = dial_tls}; }
  // Call after parsing. Makes HTTP plain text if gRPC is. With ace_compat, replaces defaults by the
  // settings of that profile; settings given by flag, variable or file are kept.
  void ApplyProfile(const service::Flags& flags);
};

// Parts that all engines share, and the store that supplies their graph.
struct Made {
  EngineParts parts;
  std::unique_ptr<GraphStore> graphs;
  std::vector<std::string> rig_notes;   // differences between the rig's file and its standard
  std::vector<std::string> prop_notes;  // files of props that cannot be read

  void LogNotes(const Config& config, const service::Logger& log) const;
};
// Loads the rigs, clips and graph that `config` names. INVALID_ARGUMENT names the setting.
// CANCELLED once `stopped` returns true: no more files are read.
absl::StatusOr<Made> MakeParts(const Config& config, const std::function<bool()>& stopped = {});

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CONFIG_H_
