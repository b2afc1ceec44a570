#include "services/renderer_sink/consumers.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/renderer_sink/core/frame_line.h"

namespace posewire::renderer_sink {

absl::StatusOr<std::unique_ptr<RecordConsumer>> RecordConsumer::Create(
    const RecorderOptions& options, service::Logger log) {
  std::unique_ptr<RecordConsumer> consumer(new RecordConsumer(options, std::move(log)));
  auto recorder = Recorder::Create(options);
  if (!recorder.ok()) return recorder.status();
  consumer->recorder_ = *std::move(recorder);
  return consumer;
}

absl::Status RecordConsumer::OnHeader(const Message& message) {
  absl::Status status = recorder_->OnHeader(message);
  if (!absl::IsFailedPrecondition(status)) return status;
  closed_files_ = files();
  if (absl::Status s = recorder_->Close(); !s.ok()) return s;
  RecorderOptions options = options_;
  options.path = PartPath(options_.path, ++part_);
  log_.Warning("the rig or the voice changed; going on in another file", {{"file", options.path}});
  auto recorder = Recorder::Create(options);
  if (!recorder.ok()) return recorder.status();
  recorder_ = *std::move(recorder);
  return recorder_->OnHeader(message);
}

absl::Status RecordConsumer::OnData(Message message, double receive_s) {
  return recorder_->OnData(std::move(message), receive_s);
}

absl::Status RecordConsumer::OnStatus(const Message& message) {
  return recorder_->OnStatus(message);
}

absl::Status RecordConsumer::Tick(double now_s) { return recorder_->Tick(now_s); }

absl::Status RecordConsumer::Close() { return recorder_->Close(); }

std::vector<std::string> RecordConsumer::files() const {
  std::vector<std::string> files = closed_files_;
  files.push_back(recorder_->path());
  if (!recorder_->wav_path().empty()) files.push_back(recorder_->wav_path());
  return files;
}

absl::Status PrintConsumer::Print(const Message& message) {
  if (!lines_) return absl::OkStatus();
  if (std::fprintf(out_, "%s\n", FrameLine(message, header_).c_str()) < 0 ||
      std::fflush(out_) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status PrintConsumer::OnHeader(const Message& message) {
  header_ = message.animation_data_stream_header();
  return Print(message);
}

absl::Status PrintConsumer::OnData(Message message, double) { return Print(message); }

absl::Status PrintConsumer::OnStatus(const Message& message) { return Print(message); }

}  // namespace posewire::renderer_sink
