#include "services/anim_graph/grpc/animation_controller_service.h"

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/client/channel.h"
#include "libs/rpc/grpc_status.h"
#include "libs/service/queue_calls.h"
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

struct Port {
  Control* control;
  AnimationControllerAsync* service;
  grpc::ServerCompletionQueue* queue;
  service::CallCount* calls;
};

// Reads one variable at a time; reads the next after the previous one is set.
class VariableStream final : public service::StreamCall {
 public:
  static void Await(const Port& port) {
    const auto call = std::make_shared<VariableStream>(port);
    call->AwaitArrival(&call->done_, port.calls);
    port.service->RequestUpdateAnimationGraphVariable(&call->context_, &call->stream_, port.queue,
                                                      port.queue, call->arrived_.tag());
  }
  explicit VariableStream(const Port& port) : port_(port) {}

 private:
  void OnArrived(bool ok) {
    const Port port = port_;
    if (!Arrived(ok)) return;
    Await(port);
    caller_ = CallerOf(context_);
    stream_id_metadata_ = LookupIn(context_)("x-stream-id");
    Read();
  }
  void OnRead(bool ok) {
    const auto last = ReleaseEvent();
    if (!ok) {
      answer_.set_message(absl::StrCat(set_, " variables set"));
      return Answer(grpc::Status::OK);
    }
    const auto& ids = message_.animation_ids();
    const absl::Status status = stream::CheckStreamIdMetadata(
        [this](absl::string_view) { return stream_id_metadata_; }, ids.stream_id());
    if (!status.ok()) return Reject(status);
    const Control& control = *port_.control;
    request_.set_stream_id(ids.stream_id());
    request_.set_target_object_id(control.parts().ignore_targets ? "" : ids.target_object_id());
    request_.set_name(message_.animation_graph_variable_name());
    request_.set_value(message_.animation_graph_variable_value());
    port_.control->Call(caller_, request_, &response_,
                        [held = shared_from_this(), this](const absl::Status& done) {
                          if (!done.ok()) return Reject(done);
                          ++set_;
                          Read();
                        });
  }
  void OnAnswered(bool) { const auto last = ReleaseEvent(); }
  void OnDone(bool) { const auto last = ReleaseEvent(/*over=*/true); }

  void Read() {
    std::lock_guard lock(mutex_);
    if (Begin()) stream_.Read(&message_, read_.tag());
  }
  void Reject(const absl::Status& status) {
    if (!port_.control->parts().faults_as_status || !IsFaultOfData(status)) {
      return Answer(rpc::ToGrpc(status));
    }
    answer_.set_code(AceStatus::ERROR);
    answer_.set_message(std::string(status.message()));
    Answer(grpc::Status::OK);
  }
  void Answer(const grpc::Status& status) {
    std::lock_guard lock(mutex_);
    if (!Begin()) return;
    if (status.ok()) {
      stream_.Finish(answer_, status, answered_.tag());
    } else {
      stream_.FinishWithError(status, answered_.tag());
    }
  }

  const Port port_;
  grpc::ServerAsyncReader<AceStatus, acv1::AnimationGraphRequest> stream_{&context_};
  stream::Caller caller_;
  std::optional<std::string> stream_id_metadata_;
  acv1::AnimationGraphRequest message_;
  AceStatus answer_;
  cv1::SetVariableRequest request_;
  cv1::SetVariableResponse response_;
  int set_ = 0;
  service::EventOf<VariableStream, &VariableStream::OnArrived> arrived_{this};
  service::EventOf<VariableStream, &VariableStream::OnRead> read_{this};
  service::EventOf<VariableStream, &VariableStream::OnAnswered> answered_{this};
  service::EventOf<VariableStream, &VariableStream::OnDone> done_{this};
};

void MakeIds(Control* control, const stream::Caller& caller, acv1::AnimationIdsOrStatus* response,
             const std::function<void(const grpc::Status&)>& finish) {
  if (const auto name = control->MayCall("RegisterStream", caller); !name.ok()) {
    return finish(rpc::ToGrpc(name.status()));
  }
  auto* ids = response->mutable_animation_ids();
  ids->set_stream_id(MakeUuid());
  ids->set_request_id(MakeUuid());
  if (!control->parts().require_registration) return finish(grpc::Status::OK);
  auto request = std::make_shared<cv1::RegisterStreamRequest>();
  auto done = std::make_shared<cv1::RegisterStreamResponse>();
  request->set_stream_id(ids->stream_id());
  control->Call(caller, *request, done.get(),
                [finish, response, request, done](const absl::Status& status) {
                  if (!status.ok()) {
                    response->mutable_status()->set_code(AceStatus::ERROR);
                    response->mutable_status()->set_message(std::string(status.message()));
                  }
                  finish(grpc::Status::OK);
                });
}

}  // namespace

AnimationControllerService::AnimationControllerService(Control* control,
                                                       const client::ConnectionOptions& a2f)
    : control_(control), sound_source_{a2f.address, nullptr} {
  if (a2f.address.empty()) return;
  sound_source_.stub =
      nvidia_ace::services::a2f::v1::A2FService::NewStub(client::MakeCallChannel(a2f));
}

void AnimationControllerService::Serve(grpc::ServerCompletionQueue* queue,
                                       service::CallCount* calls) {
  service::ServeUnary(&service_, queue, calls,
                      &AnimationControllerAsync::RequestRequestAnimationIds,
                      [this](const grpc::ServerContext& context, const google::protobuf::Empty&,
                             acv1::AnimationIdsOrStatus* response,
                             const std::function<void(const grpc::Status&)>& done) {
                        MakeIds(control_, CallerOf(context), response, done);
                      });
  const auto ask = [this, queue](grpc::ServerContext* context, auto* stream, void* tag) {
    service_.RequestPushAudioStream(context, stream, queue, queue, tag);
  };
  SoundForward::Await({&sound_source_, &control_->parts(), ask, queue, calls});
  VariableStream::Await({control_, &service_, queue, calls});
}

}  // namespace posewire::anim_graph
