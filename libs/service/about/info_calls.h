// Serves reflection and channelz, which describe the server itself, on a completion queue.
//
// Any client may call them, without a token. gRPC serves them with its blocking API, where an open
// call occupies one of few threads, so that 15 idle clients would block all others.
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
  // Calls per connection; further ones are rejected with RESOURCE_EXHAUSTED.
  int of_connection = 8;
  // Calls in total; one more ends the call that has been open longest with RESOURCE_EXHAUSTED.
  int all = 64;
  // A call ends after this time with DEADLINE_EXCEEDED.
  double longest_s = 30;
};

// Its calls keep it alive; the owner must release it after the server's shutdown. Everything except
// the constructor and services() runs on the queue's thread.
class InfoCalls : public std::enable_shared_from_this<InfoCalls> {
 public:
  // Returns a serialized response to a serialized message of the method at this path.
  using Answer = std::function<absl::StatusOr<std::string>(absl::string_view method,
                                                           const std::string& message)>;
  // `methods` are paths that live as long as the program. Each is served as a bidirectional stream;
  // on the wire, a call with one message is the same.
  explicit InfoCalls(const std::vector<const char*>& methods, const InfoLimits& limits = {});

  // Register these with the server.
  std::vector<grpc::Service*> services();
  // Call after the server has started: accepts calls on `queue`, and counts them.
  void Serve(Answer answer, grpc::ServerCompletionQueue* queue, CallCount* count);

 private:
  class Call;
  using Stream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  // The methods of one service.
  class Service : public grpc::Service {
   public:
    // Adds a method, numbered from 0.
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
  std::map<std::string, Service> services_;  // by name; constant while they are served
  Answer answer_;
  grpc::ServerCompletionQueue* queue_ = nullptr;
  CallCount* count_ = nullptr;
  std::list<Call*> open_;  // the oldest first
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ABOUT_INFO_CALLS_H_
