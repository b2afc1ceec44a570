// Runs a command that takes performers by UDP: receives or replays datagrams, and sends what a
// protocol's session makes of them to an anim_graph, a file or clients that pull.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_RUN_LIVE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_RUN_LIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/client/push_client.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/core/vmc_session.h"
#include "services/a2f_source/live/chosen_sender.h"
#include "services/a2f_source/live/live_config.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/request/source_settings.h"

namespace posewire::a2f_source {

// What a protocol makes of datagrams. Times are seconds of one clock. One thread.
class LiveInput {
 public:
  virtual ~LiveInput() = default;
  virtual void Offer(absl::string_view datagram, VmcPort port, double now_s) = 0;
  virtual void Tick(double now_s) = 0;
  // Ends the request, if any.
  virtual void Finish() = 0;
  virtual uint64_t datagrams() const = 0;
  // Warns of what was not understood, at a limited rate. Called after each tick.
  virtual void Report(double now_s, const service::Logger& log) = 0;
  // For the last line of the log.
  virtual std::vector<service::LogField> Counts() const = 0;
};

// A protocol's ports, and what its log says.
struct LiveProtocol {
  std::string port_key;  // in the line that reports the port, "vmc_port"
  int port = 0;          // unless the settings have one
  std::string listening, none_yet;
  // A second port, VmcPort::kPerformer; empty: none.
  std::string performer_port = {}, performing = {};
  // For a protocol whose datagrams do not name their sender: one is taken, and others are counted.
  std::optional<ChosenSenderSettings> sender = {};
};

// The command's share of the program's common settings.
struct LiveRunSettings {
  LiveConfig live;
  LiveProtocol protocol;
  timecode::FrameRate fps{60, 1};
  RunIds ids;
  double rate = 1;  // of a replay; infinite: at once
  std::string out;  // empty: push
  client::PushOptions push;
  bool pulled_only = false;  // nothing is pushed
  bool allow_plaintext = false;
};

using MakeLiveInput = std::function<absl::StatusOr<std::unique_ptr<LiveInput>>(VmcOutput* output)>;

// Runs until the process is told to stop, or to the end of the replay. Where the user has chosen
// nothing, takes what suits live data: 60 keys a second, live mode, and nothing kept that is older
// than 0.2 s. With --listen, the requests can be pulled, too; a replay with no other destination
// waits for the first pull. Prints the ports that it listens on once: {"vmc_port": 39539,
// "performer_port": 39540} as one line on standard output. Returns an exit code; a stop by a signal
// is 0.
int RunLive(const LiveProtocol& protocol, const MakeLiveInput& make, const LiveConfig& live,
            const SourceSettings& source, service::Process& process, const service::Logger& log);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_RUN_LIVE_H_
