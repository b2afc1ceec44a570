// Serves reflection and channelz, which describe the server itself, on a completion queue.
//
// Everybody may call them, without a token. gRPC serves them with its blocking API: a call that is
// held open keeps one of few threads, and so 15 clients that do nothing keep out all others.
#ifndef POSEWIRE_LIBS_SERVICE_ABOUT_INFO_CALLS_H_
#define POSEWIRE_LIBS_SERVICE_ABOUT_INFO_CALLS_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/queue_calls.h"

namespace posewire::service {

struct InfoLimits {
  // Calls of one connection: one more is refused with RESOURCE_EXHAUSTED.
  int of_connection = 8;
  // Calls of all: one more ends the one that has been open longest with RESOURCE_EXHAUSTED.
  int all = 64;
  // After so long a call ends with DEADLINE_EXCEEDED.
  double longest_s = 30;
};

// Kept alive by its calls beyond its owner, who drops it after the server's shutdown. But for the
// constructor and services(), everything happens on the queue's thread.
class InfoCalls : public std::enable_shared_from_this<InfoCalls> {
 public:
  // A serialized answer to a serialized message of the method at this path.
  using Answer = std::function<absl::StatusOr<std::string>(absl::string_view method,
                                                           const std::string& message)>;
  // `methods` are paths that live as long as the program. Each is served as a stream of questions
  // and answers, which on the wire a call of one message is too.
  explicit InfoCalls(const std::vector<const char*>& methods, const InfoLimits& limits = {});

  // To be registered with the server.
  std::vector<grpc::Service*> services();
  // The server has been started: takes calls on its queue, and counts them.
  void Serve(Answer answer, grpc::ServerCompletionQueue* queue, CallCount* count);

 private:
  class Call;
  using Stream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  // The methods of one service.
  class Service : public grpc::Service {
   public:
    // Adds a method; its number is how many there were before.
    void Add(const char* path);
    void Await(int method, grpc::ServerContext* context, Stream* stream,
               grpc::ServerCompletionQueue* queue, void* tag) {
      RequestAsyncBidiStreaming(method, context, stream, queue, queue, tag);
    }
    std::vector<const char*> paths;
  };

  absl::Status Enter(Call* call);
  void Leave(Call* call) { open_.remove(call); }

  const InfoLimits limits_;
  std::map<std::string, Service> services_;  // by name; not changed once they are served
  Answer answer_;
  grpc::ServerCompletionQueue* queue_ = nullptr;
  CallCount* count_ = nullptr;
  std::list<Call*> open_;  // the oldest first
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ABOUT_INFO_CALLS_H_
