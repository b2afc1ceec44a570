// What the sink can do with a pull: record it, or print it.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CONSUMERS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CONSUMERS_H_

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "libs/service/logger.h"
#include "services/renderer_sink/core/recorder.h"
#include "services/renderer_sink/session.h"

namespace posewire::renderer_sink {

// Records into one file, and into further ones ("take.2.animdata") when a reconnection brings other
// joints, shapes or audio.
class RecordConsumer : public Consumer {
 public:
  // Makes the file.
  static absl::StatusOr<std::unique_ptr<RecordConsumer>> Create(const RecorderOptions& options,
                                                                service::Logger log);

  absl::Status OnHeader(const Message& message) override;
  absl::Status OnData(Message message, double receive_s) override;
  absl::Status OnStatus(const Message& message) override;
  absl::Status Tick(double now_s) override;
  absl::Status Close() override;

  // Every file that was written, clips and voices.
  std::vector<std::string> files() const;

 private:
  RecordConsumer(const RecorderOptions& options, service::Logger log)
      : options_(options), log_(std::move(log)) {}

  RecorderOptions options_;
  service::Logger log_;
  int part_ = 1;
  std::unique_ptr<Recorder> recorder_;
  std::vector<std::string> closed_files_;
};

// Prints a line a message to `out`, or nothing.
class PrintConsumer : public Consumer {
 public:
  PrintConsumer(std::FILE* out, bool lines) : out_(out), lines_(lines) {}

  absl::Status OnHeader(const Message& message) override;
  absl::Status OnData(Message message, double receive_s) override;
  absl::Status OnStatus(const Message& message) override;
  absl::Status Tick(double) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  absl::Status Print(const Message& message);

  std::FILE* out_;
  bool lines_;
  nvidia_ace::animation_data::v1::AnimationDataStreamHeader header_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CONSUMERS_H_
