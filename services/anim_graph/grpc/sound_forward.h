// Forwards a voice to the source that makes a face from it.
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

// The source that makes faces from voices.
struct SoundSource {
  std::string address;  // "": none
  std::unique_ptr<nvidia_ace::services::a2f::v1::A2FService::Stub> stub;
};

// A PushAudioStream that is forwarded to another server. Each message is sent after the previous
// one was, so that a slow source slows the client down. The source's response becomes the response
// of the call, and both calls end together. Without a source, the call is UNIMPLEMENTED. Everything
// runs on the queue's thread.
class SoundForward final : public service::StreamCall {
 public:
  using AceStatus = nvidia_ace::status::v1::Status;
  using Message = nvidia_ace::a2f::v1::AudioStream;

  struct Port {
    const SoundSource* source;
    const CallParts* parts;
    // Registers with gRPC for the next call.
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
  // With an empty stream id: whether the caller may push to any stream.
  absl::Status MayPush(const std::string& stream_id) const;

  const Port port_;
  grpc::ServerAsyncReader<AceStatus, Message> stream_{&context_};
  Message message_;
  grpc::ClientContext onward_context_;
  std::unique_ptr<grpc::ClientAsyncWriter<Message>> onward_;
  stream::Caller caller_;
  AceStatus answer_;
  grpc::Status outcome_;
  bool ended_ = false;  // the call was answered
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
