// What record, print, stream and vmc do: one pull, or what is pushed, and one consumer of it.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/client/pull_client.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/renderer_sink/pull/pull_settings.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

struct PullRun {
  client::PullOptions options = {};  // as of PullSettings::Pull
  bool live = false;                 // what is pushed is played by its codes
  std::FILE* ready = stdout;         // gets the ports that it listens on
  std::FILE* summary = stdout;
  // Makes the consumer, once it listens.
  std::function<absl::StatusOr<std::unique_ptr<Consumer>>()> make = nullptr;
};

// Runs until it is enough, and prints a summary. Says that it is ready, where it listens, once
// there is a consumer. The result is an exit code.
int RunPull(const PullSettings& settings, const PullRun& run, service::Process& process,
            const service::Logger& log);

// False when it cannot be written. Nobody who leaves standard error unread holds this up: it is
// given up after a while.
bool PrintLine(std::FILE* out, const std::string& line);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_RUN_PULL_H_
