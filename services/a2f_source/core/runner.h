// Carries messages from a source to where they go, at the pace that was asked for.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_RUNNER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_RUNNER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/wire/appearance.h"
#include "libs/wire/message.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

// A steady clock that can be waited on.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double Now() = 0;
  // At once when time_s has passed. False when the run is to stop; then at once too.
  virtual bool SleepUntil(double time_s) = 0;
};

// Where messages go. Methods may block; they return CANCELLED soon after the run was told to stop.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual absl::Status Begin(const wire::StreamHeader& header) = 0;
  // Data or a status. False: the far end wants no more of this request.
  virtual absl::StatusOr<bool> Send(const wire::Message& message) = 0;
  // What the far end said.
  virtual absl::StatusOr<std::string> End() = 0;
};

// Empty: what the source says, and then the default.
struct RunIds {
  std::string stream_id;
  std::string request_id;
  std::string target_id;
  std::string source_id;
  // Told with the first data; empty says nothing.
  wire::Appearance appearance = {};
};

// `header` under these ids; `source_id` takes the place of the source's own when it is not empty.
void SetIds(const RunIds& ids, wire::StreamHeader& header);

// The status that a stream must end with: SUCCESS, INFO when its source was stopped (CANCELLED), or
// ERROR with what it died of.
wire::Message LastStatus(const absl::Status& fault);

struct Progress {
  int64_t messages = 0;  // of data
  double first_time_code_s = 0;
  double last_time_code_s = 0;  // end of what was sent
  double sent_s() const { return last_time_code_s - first_time_code_s; }
};

struct RunResult {
  Progress progress;
  std::string answer;
  bool wanted = true;  // false: the far end ended the request before all was sent
};

// Waits until the source is ready for its header, and for each message until half the lead after it
// was due, but at most 0.15 s, or until 0.02 s before it plays where the source is live; a source
// that is not ready then has to make do (Source::NextNow). A burst waits as long as it takes. Sends
// the header with `ids` and `epoch_s`, every part when it is due, and at last SUCCESS, unless the
// source has ended with a status of its own. When the source fails in mid-stream, what was sent is
// ended in order with ERROR, and its error is returned; when it was told to stop, with INFO, and
// CANCELLED is returned.
// `on_progress` is called after each data message.
absl::StatusOr<RunResult> Run(Source& source, MessageSink& sink, Pacer pacer, Clock& clock,
                              const RunIds& ids, double epoch_s,
                              const std::function<void(const Progress&)>& on_progress);

// "12.3 s sent, 345 messages" with " of 60.0 s" and percent where the whole length is known.
std::string ProgressText(const Progress& progress, double duration_s);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_RUNNER_H_
