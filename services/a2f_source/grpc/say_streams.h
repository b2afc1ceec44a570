// SayStream of posewire.source.v1: texts that are said while they are written, and voices of the
// caller.
//
// The thread of a call reads parts as there is room for them (speech::TextStream), and sleeps
// meanwhile; the lane of the avatar (Speaker) takes them and tells what is heard, which goes to the
// client by a queue (EventCall). So neither a slow client nor a slow voice holds up anybody else.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_STREAMS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_STREAMS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "services/a2f_source/serve/call_threads.h"
#include "services/a2f_source/serve/say_text.h"
#include "services/a2f_source/serve/speaker.h"

namespace posewire::a2f_source {

struct SayStreamOptions {
  int max_calls = 64;
  // A call that sends nothing for so long, while there is room, ends.
  double idle_s = 60;
};

// Thread-safe.
class SayStreams {
 public:
  // Whether the caller may have the avatars of a stream speak.
  using Admit = std::function<absl::Status(const grpc::CallbackServerContext& context,
                                           const std::string& stream_id)>;

  // `speaker` and `defaults` outlive this.
  SayStreams(Speaker* speaker, const SayDefaults* defaults, SayStreamOptions options, Admit admit)
      : speaker_(*speaker),
        defaults_(*defaults),
        options_(options),
        admit_(std::move(admit)),
        threads_(options.max_calls) {}

  // Serves a call.
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Start(
      grpc::CallbackServerContext* context);

  // Ends all calls; after `budget_s` at once. The speaker has stopped all texts before.
  void Close(double budget_s) { threads_.Close(budget_s); }

 private:
  Speaker& speaker_;
  const SayDefaults& defaults_;
  const SayStreamOptions options_;
  const Admit admit_;
  CallThreads threads_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_STREAMS_H_
