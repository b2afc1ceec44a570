#include "services/a2f_source/sinks.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::a2f_source {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStream;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using StatusMessage = nvidia_ace::status::v1::Status;

absl::Status PushSink::Begin(const AnimationDataStreamHeader& header) {
  auto client = std::make_unique<client::PushClient>(options_, header);
  std::lock_guard lock(mutex_);
  if (cancelled_) return absl::CancelledError("told to stop");
  client_ = std::move(client);
  return absl::OkStatus();
}

absl::StatusOr<bool> PushSink::Send(const AnimationData& data) { return client_->Send(data); }

absl::StatusOr<bool> PushSink::Send(const StatusMessage& status) { return client_->Send(status); }

absl::StatusOr<std::string> PushSink::End() {
  auto answer = client_->Finish();
  if (!answer.ok()) return answer.status();
  const std::string text =
      absl::StrCat(StatusMessage::Code_Name(answer->code()), ": ", answer->message());
  if (answer->code() == StatusMessage::ERROR) return absl::AbortedError(text);
  return text;
}

void PushSink::Cancel() {
  std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (client_) client_->Cancel();
}

absl::Status FileSink::Begin(const AnimationDataStreamHeader& header) {
  auto writer = clipio::ClipWriter::Open(path_);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  AnimationDataStream message;
  *message.mutable_animation_data_stream_header() = header;
  return writer_->Write(message);
}

absl::StatusOr<bool> FileSink::Send(const AnimationData& data) {
  AnimationDataStream message;
  *message.mutable_animation_data() = data;
  if (absl::Status s = writer_->Write(message); !s.ok()) return s;
  return true;
}

absl::StatusOr<bool> FileSink::Send(const StatusMessage& status) {
  AnimationDataStream message;
  *message.mutable_status() = status;
  if (absl::Status s = writer_->Write(message); !s.ok()) return s;
  return true;
}

absl::StatusOr<std::string> FileSink::End() {
  const int64_t bytes = writer_->bytes();
  if (absl::Status s = writer_->Close(); !s.ok()) return s;
  return absl::StrCat("wrote ", path_, ", ", bytes, " bytes");
}

}  // namespace posewire::a2f_source
