#include "tests/unit/client/fake_server.h"

#include <chrono>

#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"

namespace posewire::client {

void FakeServer::Start() {
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  ASSERT_NE(server_, nullptr) << "cannot bind " << address();
}

void FakeServer::Stop() {
  if (!server_) return;
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

grpc::Status FakeServer::PushAnimationDataStream(grpc::ServerContext* context,
                                                 grpc::ServerReader<AnimationDataStream>* reader,
                                                 StatusMessage* response) {
  return on_push(*context, *reader, *response);
}

grpc::Status FakeServer::PullAnimationDataStream(grpc::ServerContext* context,
                                                 const AnimationIds* ids,
                                                 grpc::ServerWriter<AnimationDataStream>* writer) {
  return on_pull(*context, *ids, *writer);
}

std::string MetadataOf(const grpc::ServerContext& context, const std::string& key) {
  const auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end()) return "";
  return std::string(found->second.data(), found->second.size());
}

ConnectionOptions TestConnection(const std::string& address) {
  ConnectionOptions options;
  options.address = address;
  options.reconnect.initial_delay_s = 0.01;
  options.reconnect.max_delay_s = 0.05;
  options.reconnect.give_up_s = 20;
  return options;
}

}  // namespace posewire::client
