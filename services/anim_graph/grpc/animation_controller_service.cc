#include "services/anim_graph/grpc/animation_controller_service.h"

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {
namespace {

using AceStatus = nvidia_ace::status::v1::Status;

// A random UUID (version 4).
std::string MakeUuid() {
  std::random_device random;
  uint32_t word[4];
  for (uint32_t& w : word) w = random();
  return absl::StrFormat("%08x-%04x-%04x-%04x-%04x%08x", word[0], word[1] >> 16,
                         (word[1] & 0x0fff) | 0x4000, (word[2] >> 16 & 0x3fff) | 0x8000,
                         word[2] & 0xffff, word[3]);
}

// Refuses at once, whatever is sent.
class Refusal : public grpc::ServerReadReactor<nvidia_ace::a2f::v1::AudioStream> {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

// Takes one variable at a time; reads the next when it is set. Keeps itself alive until gRPC and
// the worker are done with it.
class VariableStream : public grpc::ServerReadReactor<acv1::AnimationGraphRequest> {
 public:
  static VariableStream* Start(Control* control, grpc::CallbackServerContext* context,
                               AceStatus* answer) {
    std::shared_ptr<VariableStream> call(new VariableStream(control, context->peer(), answer));
    call->stream_id_metadata_ = LookupIn(*context)("x-stream-id");
    call->self_ = call;
    call->StartRead(&call->message_);
    return call.get();
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      answer_->set_message(absl::StrCat(set_, " variables set"));
      return Finish(grpc::Status::OK);
    }
    const auto& ids = message_.animation_ids();
    const absl::Status status = CheckStreamIdMetadata(
        [this](absl::string_view) { return stream_id_metadata_; }, ids.stream_id());
    if (!status.ok()) return Refuse(status);
    request_.set_stream_id(ids.stream_id());
    request_.set_target_object_id(control_->parts().ignore_targets ? "" : ids.target_object_id());
    request_.set_name(message_.animation_graph_variable_name());
    request_.set_value(message_.animation_graph_variable_value());
    control_->Call(peer_, request_, &response_, [self = self_](const absl::Status& done) {
      if (!done.ok()) return self->Refuse(done);
      ++self->set_;
      self->StartRead(&self->message_);
    });
  }
  void OnDone() override { self_ = nullptr; }

 private:
  VariableStream(Control* control, std::string peer, AceStatus* answer)
      : control_(control), peer_(std::move(peer)), answer_(answer) {}

  void Refuse(const absl::Status& status) {
    if (!control_->parts().faults_as_status || !IsFaultOfData(status)) {
      return Finish(ToGrpc(status));
    }
    answer_->set_code(AceStatus::ERROR);
    answer_->set_message(std::string(status.message()));
    Finish(grpc::Status::OK);
  }

  Control* const control_;
  const std::string peer_;
  AceStatus* const answer_;
  std::optional<std::string> stream_id_metadata_;
  std::shared_ptr<VariableStream> self_;  // until OnDone
  acv1::AnimationGraphRequest message_;
  cv1::SetVariableRequest request_;
  cv1::SetVariableResponse response_;
  int set_ = 0;
};

}  // namespace

grpc::ServerUnaryReactor* AnimationControllerService::RequestAnimationIds(
    grpc::CallbackServerContext* context, const google::protobuf::Empty*,
    acv1::AnimationIdsOrStatus* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto* ids = response->mutable_animation_ids();
  ids->set_stream_id(MakeUuid());
  ids->set_request_id(MakeUuid());
  if (!control_->parts().require_registration) {
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  auto request = std::make_shared<cv1::RegisterStreamRequest>();
  auto done = std::make_shared<cv1::RegisterStreamResponse>();
  request->set_stream_id(ids->stream_id());
  control_->Call(context->peer(), *request, done.get(),
                 [reactor, response, request, done](const absl::Status& status) {
                   if (!status.ok()) {
                     response->mutable_status()->set_code(AceStatus::ERROR);
                     response->mutable_status()->set_message(std::string(status.message()));
                   }
                   reactor->Finish(grpc::Status::OK);
                 });
  return reactor;
}

grpc::ServerReadReactor<nvidia_ace::a2f::v1::AudioStream>*
AnimationControllerService::PushAudioStream(grpc::CallbackServerContext*,
                                            nvidia_ace::status::v1::Status*) {
  return new Refusal({grpc::StatusCode::UNIMPLEMENTED,
                      "no face is made of a voice here; push animation data with "
                      "AnimationDataService.PushAnimationDataStream"});
}

grpc::ServerReadReactor<acv1::AnimationGraphRequest>*
AnimationControllerService::UpdateAnimationGraphVariable(grpc::CallbackServerContext* context,
                                                         nvidia_ace::status::v1::Status* response) {
  return VariableStream::Start(control_, context, response);
}

}  // namespace posewire::anim_graph
