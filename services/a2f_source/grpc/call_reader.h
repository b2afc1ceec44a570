// Reads the audio of a call as it arrives.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CALL_READER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CALL_READER_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nvidia_ace.a2f.v1.pb.h"
#include "nvidia_ace.controller.v1.pb.h"
#include "services/a2f_source/core/ace_source.h"

namespace posewire::a2f_source {

// Takes a part of the audio from a message of either service. Returns false at the end of the
// audio.
bool TakePart(nvidia_ace::a2f::v1::AudioStream& message, nvidia_ace::a2f::v1::AudioStream& part);
bool TakePart(nvidia_ace::controller::v1::AudioStream& message,
              nvidia_ace::a2f::v1::AudioStream& part);

// Returns the error of a wait, with what did not happen and for how long.
absl::Status OfWait(const absl::Status& status, absl::string_view what, double idle_s);

// `Message` is the type that the client sends, `Call` a WaitingCall.
template <typename Message, typename Call>
class CallReader : public AceReader {
 public:
  // `call` must outlive this.
  CallReader(Call* call, double idle_s) : call_(call), idle_s_(idle_s) {}

  absl::StatusOr<bool> Read(nvidia_ace::a2f::v1::AudioStream& part) override {
    grpc::ByteBuffer bytes;
    const absl::StatusOr<bool> read = call_->Read(bytes, idle_s_);
    if (!read.ok()) return OfWait(read.status(), "no sound arrived", idle_s_);
    if (!*read) return false;
    if (!grpc::SerializationTraits<Message>::Deserialize(&bytes, &message_).ok()) {
      return absl::InvalidArgumentError(absl::StrCat("the message is no ", message_.GetTypeName()));
    }
    return TakePart(message_, part);
  }

 private:
  Call* const call_;
  const double idle_s_;
  Message message_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_CALL_READER_H_
