// ACE's Audio2Face over gRPC: A2FControllerService returns the face for a client's audio, and
// A2FService sends it on to a compositor.
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
  // A call ends after this long without audio, or without its client reading.
  double idle_s = 30;
  AceSourceOptions source = {};  // without `head`, which only a face that is sent on has
  bool head = true;
  // Ids of a face that is sent on. Empty ids are those of the audio, or UUIDs.
  RunIds ids = {};
  Pacer pace{1, 0};
  double first_contact_s = 2;  // see SpeakerOptions
};

struct A2fParts {
  std::shared_ptr<const speech::SpeechNetwork> network;
  // See SpeakerParts. `traceparent` is the caller's, or empty.
  std::function<SpeakerOutput(const std::string& traceparent,
                              std::function<void(const client::ConnectionEvent&)> on_connection)>
      make_output;
  std::shared_ptr<const stream::Authorizer> authorizer;
  service::Logger log;
};

// Both services, with gRPC's callback API and a thread for each call. Register them with a
// GrpcHost, which this must outlive, and close them before it is shut down. Thread-safe.
class A2fServices {
 public:
  A2fServices(const A2fOptions& options, A2fParts parts);
  ~A2fServices();

  std::vector<grpc::Service*> services();
  // See CallThreads.
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
