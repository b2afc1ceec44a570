// An AnimationDataService whose calls a test scripts.
#ifndef POSEWIRE_TESTS_UNIT_CLIENT_FAKE_SERVER_H_
#define POSEWIRE_TESTS_UNIT_CLIENT_FAKE_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "grpcpp/server.h"
#include "grpcpp/server_context.h"
#include "libs/client/connection.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"

namespace posewire::client {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStream;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using nvidia_ace::animation_id::v1::AnimationIds;
using StatusMessage = nvidia_ace::status::v1::Status;

// Threads of gRPC's sync server run the scripts: enough for tests, never for our servers.
class FakeServer : nvidia_ace::services::animation_data::v1::AnimationDataService::Service {
 public:
  using Push = std::function<grpc::Status(
      grpc::ServerContext&, grpc::ServerReader<AnimationDataStream>&, StatusMessage&)>;
  using Pull = std::function<grpc::Status(grpc::ServerContext&, const AnimationIds&,
                                          grpc::ServerWriter<AnimationDataStream>&)>;

  FakeServer() = default;
  ~FakeServer() override { Stop(); }

  // Set before Start.
  Push on_push;
  Pull on_pull;

  // The first start takes a free port, later ones the same port again.
  void Start();
  // Breaks every call and connection.
  void Stop();
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  grpc::Status PushAnimationDataStream(grpc::ServerContext* context,
                                       grpc::ServerReader<AnimationDataStream>* reader,
                                       StatusMessage* response) override;
  grpc::Status PullAnimationDataStream(grpc::ServerContext* context, const AnimationIds* ids,
                                       grpc::ServerWriter<AnimationDataStream>* writer) override;

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// The value of a call's metadata; "" when it is absent.
std::string MetadataOf(const grpc::ServerContext& context, const std::string& key);

// Fast reconnection, for tests.
ConnectionOptions TestConnection(const std::string& address);

}  // namespace posewire::client

#endif  // POSEWIRE_TESTS_UNIT_CLIENT_FAKE_SERVER_H_
