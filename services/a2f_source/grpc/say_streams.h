// Serves SayStream of posewire.source.v1: texts that are spoken while they are written, and voices
// of the client.
//
// Each call has a thread, which reads parts while there is room for them (speech::TextStream) and
// sleeps otherwise. The lane of the avatar (Speaker) takes the parts and reports what is heard. Its
// events wait for the client in a queue (EventCall). A slow client or voice delays no other call.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_STREAMS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_STREAMS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "services/a2f_source/speaker/call_threads.h"
#include "services/a2f_source/speaker/say_text.h"
#include "services/a2f_source/speaker/speaker.h"

namespace posewire::a2f_source {

struct SayStreamOptions {
  int max_calls = 64;  // at once; each takes a thread
  // A call ends if it sends no part for this long although there is room for one.
  double idle_s = 60;
};

// Thread-safe.
class SayStreams {
 public:
  // Returns OK if the client may make the avatars of a stream speak.
  using Admit = std::function<absl::Status(const grpc::CallbackServerContext& context,
                                           const std::string& stream_id)>;

  // `speaker` and `defaults` must outlive this. `admit` is called on the threads of calls.
  SayStreams(Speaker* speaker, const SayDefaults* defaults, SayStreamOptions options, Admit admit)
      : speaker_(*speaker),
        defaults_(*defaults),
        options_(options),
        admit_(std::move(admit)),
        threads_(options.max_calls, "text") {}

  // Serves a call, and ends it: with RESOURCE_EXHAUSTED if max_calls are open already, UNAVAILABLE
  // once closed, DEADLINE_EXCEEDED after idle_s, the error of `admit` or of the text, and
  // INVALID_ARGUMENT for an invalid part. gRPC owns the reactor.
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Start(
      grpc::CallbackServerContext* context);

  // Ends all calls, and cuts off those left after `budget_s`. Close the speaker first.
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
