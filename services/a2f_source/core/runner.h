// Sends the messages of a source to a sink at the requested pace.
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

// A steady clock with a wait.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double Now() = 0;
  // Returns true once time_s has passed, and false as soon as the run should stop.
  virtual bool SleepUntil(double time_s) = 0;
};

// Destination of messages. Methods may block. They return CANCELLED soon after the run was told to
// stop.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual absl::Status Begin(const wire::StreamHeader& header) = 0;
  // Sends data or a status. Returns false if the receiver wants no more of this request.
  virtual absl::StatusOr<bool> Send(const wire::Message& message) = 0;
  // Ends the request and returns the receiver's answer.
  virtual absl::StatusOr<std::string> End() = 0;
};

// Ids of a run. Empty: those of the source, or else the default.
struct RunIds {
  std::string stream_id;
  std::string request_id;
  std::string target_id;
  std::string source_id;
  // Sent with the first data; empty is not sent.
  wire::Appearance appearance = {};
};

// Sets these ids in `header`. A non-empty `source_id` replaces the source's own.
void SetIds(const RunIds& ids, wire::StreamHeader& header);

// Returns the last status of a stream: SUCCESS, INFO if its source was stopped (CANCELLED), or
// ERROR with the source's error.
wire::Message LastStatus(const absl::Status& fault);

struct Progress {
  int64_t messages = 0;  // data messages
  double first_time_code_s = 0;
  double last_time_code_s = 0;  // end of the data sent so far
  double sent_s() const { return last_time_code_s - first_time_code_s; }
};

struct RunResult {
  Progress progress;
  std::string answer;
  bool wanted = true;  // false: the receiver ended the request before everything was sent
};

// Sends a request from `source` to `sink`: the header with `ids` and `epoch_s`, every message when
// it is due, and finally SUCCESS, unless the source ended with a status of its own.
//
// Waits until the source is ready for its header, and for each message. The wait for a message ends
// half the lead after it was due, but at most 0.15 s after, or for a live source 0.02 s before it
// plays; then the source makes do with what it has (Source::NextNow). A burst waits without limit.
//
// If the source fails midway, the request ends with ERROR and the source's error is returned. If
// the source was stopped, the request ends with INFO and CANCELLED is returned. Calls `on_progress`
// after each data message.
absl::StatusOr<RunResult> Run(Source& source, MessageSink& sink, Pacer pacer, Clock& clock,
                              const RunIds& ids, double epoch_s,
                              const std::function<void(const Progress&)>& on_progress);

// Returns "12.3 s sent, 345 messages", with " of 60.0 s" and percent if the duration is known.
std::string ProgressText(const Progress& progress, double duration_s);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_RUNNER_H_
