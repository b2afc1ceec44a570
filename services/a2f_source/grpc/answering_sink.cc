#include "services/a2f_source/grpc/answering_sink.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "libs/rpc/message_bytes.h"
#include "nvidia_ace.controller.v1.pb.h"
#include "services/a2f_source/grpc/call_reader.h"

namespace posewire::a2f_source {
namespace {

namespace ctl = nvidia_ace::controller::v1;

}  // namespace

absl::Status AnsweringSink::Begin(const wire::StreamHeader& header) {
  ctl::AnimationDataStream message;
  auto& begun = *message.mutable_animation_data_stream_header();
  auto& audio = *begun.mutable_audio_header();
  audio.set_channel_count(1);
  audio.set_samples_per_second(static_cast<uint32_t>(header.audio_rate_hz.value_or(0)));
  audio.set_bits_per_sample(16);
  for (const std::string& shape : header.shapes) {
    begun.mutable_skel_animation_header()->add_blend_shapes(shape);
  }
  begun.set_start_time_code_since_epoch(header.epoch_s);
  return Write(Serialize(message));
}

absl::StatusOr<bool> AnsweringSink::Send(const wire::Message& message) {
  const wire::DataChunk* data = message.data();
  const wire::StatusChunk* status = message.status();
  const bool heard =
      data != nullptr ? !data->audio.has_value() : status->code == wire::StatusChunk::kSuccess;
  if (heard && !std::exchange(heard_, true)) {
    ctl::AnimationDataStream event;
    event.mutable_event()->set_event_type(ctl::END_OF_A2F_AUDIO_PROCESSING);
    if (absl::Status s = Write(Serialize(event)); !s.ok()) return s;
  }
  grpc::ByteBuffer bytes;
  if (data != nullptr) {
    const grpc::Slice slice =
        rpc::Wrap(message.bytes->data(), message.bytes->size(), message.bytes);
    bytes = grpc::ByteBuffer(&slice, 1);
  } else {
    ctl::AnimationDataStream last;
    *last.mutable_status() = ToAce(heard ? source_->Answer() : *status);
    bytes = Serialize(last);
  }
  if (absl::Status s = Write(bytes); !s.ok()) return s;
  return true;
}

absl::Status AnsweringSink::Write(const grpc::ByteBuffer& bytes) {
  return OfWait(call_->Write(bytes, idle_s_), "the client read nothing", idle_s_);
}

nvidia_ace::status::v1::Status ToAce(const wire::StatusChunk& status) {
  nvidia_ace::status::v1::Status ace;
  ace.set_code(static_cast<nvidia_ace::status::v1::Status::Code>(status.code));
  ace.set_message(status.message);
  return ace;
}

}  // namespace posewire::a2f_source
