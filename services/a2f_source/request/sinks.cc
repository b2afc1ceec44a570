#include "services/a2f_source/request/sinks.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::a2f_source {

absl::Status PushSink::Begin(const wire::StreamHeader& header) {
  auto client = std::make_unique<client::PushClient>(options_, header);
  std::lock_guard lock(mutex_);
  if (cancelled_) return absl::CancelledError("told to stop");
  client_ = std::move(client);
  return absl::OkStatus();
}

absl::StatusOr<bool> PushSink::Send(const wire::Message& message) { return client_->Send(message); }

absl::StatusOr<std::string> PushSink::End() {
  auto answer = client_->Finish();
  if (!answer.ok()) return answer.status();
  const std::string text = absl::StrCat(wire::CodeName(answer->code), ": ", answer->message);
  if (answer->code == wire::StatusChunk::kError) return absl::AbortedError(text);
  return text;
}

void PushSink::Cancel() {
  std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (client_) client_->Cancel();
}

absl::Status FileSink::Begin(const wire::StreamHeader& header) {
  auto writer = clipio::ClipWriter::Open(path_);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  return writer_->WriteSerialized({wire::SpanOf(wire::SerializeHeader(header))});
}

absl::StatusOr<bool> FileSink::Send(const wire::Message& message) {
  if (absl::Status s = writer_->WriteSerialized({wire::SpanOf(message.bytes)}); !s.ok()) return s;
  return true;
}

absl::StatusOr<std::string> FileSink::End() {
  if (absl::Status s = writer_->Close(); !s.ok()) return s;
  return absl::StrCat("wrote ", path_, ", ", writer_->bytes(), " bytes");
}

}  // namespace posewire::a2f_source
