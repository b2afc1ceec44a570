// Returns a face to the client that sent its audio.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_ANSWERING_SINK_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_ANSWERING_SINK_H_

#include <grpcpp/impl/codegen/proto_utils.h>

#include <string>

#include "nvidia_ace.status.v1.pb.h"
#include "services/a2f_source/core/ace_source.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/grpc/waiting_call.h"

namespace posewire::a2f_source {

// Follows ACE's protocol: the header, data, the event that all audio was processed, the remaining
// data, and the source's answer as the last status. Data has the same bytes in this stream as in
// the pushed one. Methods block while the client does not read, for at most `idle_s`. One thread.
class AnsweringSink : public MessageSink {
 public:
  // Both must outlive this.
  AnsweringSink(WritingCall* call, const AceSource* source, double idle_s)
      : call_(call), source_(source), idle_s_(idle_s) {}

  absl::Status Begin(const wire::StreamHeader& header) override;
  absl::StatusOr<bool> Send(const wire::Message& message) override;
  absl::StatusOr<std::string> End() override { return ""; }

 private:
  absl::Status Write(const grpc::ByteBuffer& bytes);

  WritingCall* const call_;
  const AceSource* const source_;
  const double idle_s_;
  bool heard_ = false;  // all audio was processed, and the event was sent
};

nvidia_ace::status::v1::Status ToAce(const wire::StatusChunk& status);

template <typename Message>
grpc::ByteBuffer Serialize(const Message& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  // Serializing to memory cannot fail.
  (void)grpc::SerializationTraits<Message>::Serialize(message, &bytes, &own);
  return bytes;
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_ANSWERING_SINK_H_
