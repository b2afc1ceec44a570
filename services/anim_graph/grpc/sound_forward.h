// A voice on its way to the source that makes a face of it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_SOUND_FORWARD_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_SOUND_FORWARD_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "libs/service/queue_calls.h"
#include "nvidia_ace.services.a2f.v1.grpc.pb.h"
#include "nvidia_ace.services.animation_controller.v1.grpc.pb.h"
#include "services/anim_graph/runtime/admission.h"

namespace posewire::anim_graph {

// Who makes faces of voices.
struct SoundSource {
  std::string address;  // "": nobody
  std::unique_ptr<nvidia_ace::services::a2f::v1::A2FService::Stub> stub;
};

// A PushAudioStream that is served by another: each message goes on when the one before has gone,
// so that a source that reads slowly is waited for, and the source's answer is the answer. Both
// calls end together. Without a source it is UNIMPLEMENTED. All is done on the queue's thread.
class SoundForward final : public service::StreamCall {
 public:
  using AceStatus = nvidia_ace::status::v1::Status;
  using Message = nvidia_ace::a2f::v1::AudioStream;

  struct Port {
    const SoundSource* source;
    const CallParts* parts;
    // Asks the service for the next call.
    std::function<void(grpc::ServerContext*, grpc::ServerAsyncReader<AceStatus, Message>*,
                       void* tag)>
        ask;
    grpc::ServerCompletionQueue* queue;
    service::CallCount* calls;
  };

  static void Await(const Port& port);
  explicit SoundForward(const Port& port) : port_(port) {}

 private:
  void OnArrived(bool ok);
  void OnOpened(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnHalfClosed(bool ok);
  void OnEnded(bool ok);
  void OnAnswered(bool ok);
  void OnDone(bool ok);

  void Open();
  void Read();
  void Answer(const grpc::Status& status);
  // With no stream: whether the caller may push at all.
  absl::Status MayPush(const std::string& stream_id) const;

  const Port port_;
  grpc::ServerAsyncReader<AceStatus, Message> stream_{&context_};
  Message message_;
  grpc::ClientContext onward_context_;
  std::unique_ptr<grpc::ClientAsyncWriter<Message>> onward_;
  stream::Caller caller_;
  AceStatus answer_;
  grpc::Status outcome_;
  bool ended_ = false;  // answered
  service::EventOf<SoundForward, &SoundForward::OnArrived> arrived_{this};
  service::EventOf<SoundForward, &SoundForward::OnOpened> opened_{this};
  service::EventOf<SoundForward, &SoundForward::OnRead> read_{this};
  service::EventOf<SoundForward, &SoundForward::OnWritten> written_{this};
  service::EventOf<SoundForward, &SoundForward::OnHalfClosed> half_closed_{this};
  service::EventOf<SoundForward, &SoundForward::OnEnded> went_{this};
  service::EventOf<SoundForward, &SoundForward::OnAnswered> answered_{this};
  service::EventOf<SoundForward, &SoundForward::OnDone> done_{this};
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_SOUND_FORWARD_H_
