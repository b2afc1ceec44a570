// Runs one pull, or accepted pushes, with one consumer, for record, print, stream and vmc; or pulls
// all avatars of a stream.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/client/pull_client.h"
#include "libs/service/logger.h"
#include "libs/service/metrics/metrics_text.h"
#include "libs/service/process.h"
#include "services/renderer_sink/pull/cast.h"
#include "services/renderer_sink/pull/pull_settings.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

struct PullRun {
  client::PullOptions options = {};  // see PullSettings::Pull
  bool live = false;                 // pushed data is played by its time codes
  std::FILE* ready = stdout;         // gets the ports that it listens on
  std::FILE* summary = stdout;
  std::function<std::vector<service::Metric>()> metrics = nullptr;  // more; any thread
  // Makes the consumer once the server listens.
  std::function<absl::StatusOr<std::unique_ptr<Consumer>>()> make = nullptr;
  // Not null: all avatars of the stream are pulled, for this cast and not for a consumer. Gets the
  // name of the first avatar, if it is known.
  std::function<absl::StatusOr<std::unique_ptr<Cast>>(const std::string& first)> make_cast =
      nullptr;
};

// Runs until it has enough, and prints a summary. Reports that it is ready, if it listens, once
// there is a consumer. Returns an exit code.
int RunPull(const PullSettings& settings, const PullRun& run, service::Process& process,
            const service::Logger& log);

// Prints a line. Returns false if it cannot be written. A slow reader of standard error does not
// block this: writing is abandoned after a while.
bool PrintLine(std::FILE* out, const std::string& line);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_
