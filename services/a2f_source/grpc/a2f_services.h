// ACE's Audio2Face over gRPC: A2FControllerService gives the face of a sound back, A2FService sends
// it on.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_A2F_SERVICES_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_A2F_SERVICES_H_

#include <functional>
#include <memory>
#include <vector>

#include "libs/client/connection.h"
#include "libs/service/logger.h"
#include "libs/speech/speech_network.h"
#include "libs/stream/access.h"
#include "services/a2f_source/core/ace_source.h"
#include "services/a2f_source/core/pacer.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/speaker/call_threads.h"
#include "services/a2f_source/speaker/speaker.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace posewire::a2f_source {

struct A2fOptions {
  int max_sounds = 32;  // calls at once; each takes a thread
  // A call whose sound does not come, or whose client takes nothing, ends after so long.
  double idle_s = 30;
  AceSourceOptions source = {};  // without `head`, which only a face that is sent on has
  bool head = true;
  // Of a face that is sent on. Ids that are empty are those of the sound, or UUIDs.
  RunIds ids = {};
  Pacer pace{1, 0};
  double first_contact_s = 2;  // as of SpeakerOptions
};

struct A2fParts {
  std::shared_ptr<const speech::SpeechNetwork> network;
  // As of SpeakerParts; `traceparent` is the caller's, or empty.
  std::function<SpeakerOutput(const std::string& traceparent,
                              std::function<void(const client::ConnectionEvent&)> on_connection)>
      make_output;
  std::shared_ptr<const stream::Authorizer> authorizer;
  service::Logger log;
};

// Both services, by gRPC's callback API and a thread for each call. To be registered with a
// GrpcHost, which it outlives, and closed before that is shut down. Thread-safe.
class A2fServices {
 public:
  A2fServices(const A2fOptions& options, A2fParts parts);
  ~A2fServices();

  std::vector<grpc::Service*> services();
  // As of CallThreads.
  void Close(double budget_s);

 private:
  class Controller;
  class Pusher;

  const A2fOptions options_;
  const A2fParts parts_;
  CallThreads threads_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<Pusher> pusher_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_A2F_SERVICES_H_
