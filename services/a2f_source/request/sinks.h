// Destinations of a2f_source's messages: a compositor, or a file.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SINKS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SINKS_H_

#include <memory>
#include <mutex>
#include <string>

#include "libs/client/push_client.h"
#include "libs/clipio/clip_writer.h"
#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

// Pushes one request. Any thread may call Cancel; everything else is one thread's.
class PushSink : public MessageSink {
 public:
  explicit PushSink(client::PushOptions options) : options_(std::move(options)) {}

  absl::Status Begin(const wire::StreamHeader& header) override;
  absl::StatusOr<bool> Send(const wire::Message& message) override;
  // Returns the server's answer, or an error if that is a status ERROR.
  absl::StatusOr<std::string> End() override;

  void Cancel();

 private:
  client::PushOptions options_;
  std::mutex mutex_;  // guards the two below, between Begin and Cancel
  bool cancelled_ = false;
  std::unique_ptr<client::PushClient> client_;
};

// Writes a clip file in the format of its extension. "-" is standard output as .jsonl.
class FileSink : public MessageSink {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)) {}

  absl::Status Begin(const wire::StreamHeader& header) override;
  absl::StatusOr<bool> Send(const wire::Message& message) override;
  absl::StatusOr<std::string> End() override;

 private:
  std::string path_;
  std::unique_ptr<clipio::ClipWriter> writer_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_SINKS_H_
