#include "libs/client/token_sender.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/bearer_token.h"

namespace posewire::client {
namespace {

using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

class TokenSender final : public Interceptor {
 public:
  explicit TokenSender(std::string authorization) : authorization_(std::move(authorization)) {}
  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      methods->GetSendInitialMetadata()->emplace("authorization", authorization_);
    }
    methods->Proceed();
  }

 private:
  const std::string authorization_;
};

class Factory final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit Factory(std::string path) : path_(std::move(path)) {}
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override {
    auto token = rpc::ReadToken(path_);
    std::lock_guard lock(mutex_);
    if (token.ok()) last_ = *std::move(token);
    return new TokenSender(absl::StrCat("Bearer ", last_));
  }

 private:
  const std::string path_;
  std::mutex mutex_;
  std::string last_;  // guarded by mutex_
};

}  // namespace

std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> SendToken(
    const std::string& path) {
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> made;
  if (!path.empty()) made.push_back(std::make_unique<Factory>(path));
  return made;
}

}  // namespace posewire::client
