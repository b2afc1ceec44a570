#include "libs/client/channel.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "grpc/grpc.h"
#include "grpcpp/create_channel.h"
#include "libs/client/token_sender.h"
#include "libs/rpc/credentials.h"

namespace posewire::client {
namespace {

// Channels that were released while connecting. If gRPC destroys such a channel, its connection
// leaks: it stays open on both sides until the process ends. Therefore channels stay here until
// they have connected or failed, which is checked when the next one is added.
class Parting {
 public:
  // Maximum number of channels. It suffices because attempts to connect time out.
  static constexpr size_t kMost = 256;

  void Take(std::shared_ptr<grpc::Channel> channel) {
    std::vector<std::shared_ptr<grpc::Channel>> over;  // destroyed without the lock
    std::lock_guard lock(mutex_);
    const auto connects = [](const auto& c) {
      return c->GetState(false) == GRPC_CHANNEL_CONNECTING;
    };
    const auto done = std::partition(channels_.begin(), channels_.end(), connects);
    std::move(done, channels_.end(), std::back_inserter(over));
    channels_.erase(done, channels_.end());
    if (connects(channel) && channels_.size() < kMost) channels_.push_back(std::move(channel));
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;  // guarded by mutex_
};

// Never destroyed, because a thread may release a channel while the process ends.
Parting& PartingChannels() {
  static auto* const parting = new Parting;
  return *parting;
}

// gRPC shuts down with its last user. If a connection has leaked by then, because its channel was
// destroyed while it was being made, that waits for it for up to ten seconds, and says nothing. So
// a program that has made a channel never gives up its last use of gRPC, and ends at once.
void KeepGrpc() {
  static const bool kept = [] {
    grpc_init();
    return true;
  }();
  (void)kept;
}

constexpr int kPingTimeout_ms = 4000, kConnectTimeout_ms = 2000;

int Milliseconds(double seconds) { return std::max(1, static_cast<int>(seconds * 1000)); }

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const ConnectionOptions& options,
                                           grpc::ChannelArguments args) {
  KeepGrpc();
  if (options.keep_alive_s > 0) {
    args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keep_alive_s));
    args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeout_ms);
    args.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
              Milliseconds(options.reconnect.initial_delay_s));
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, Milliseconds(options.reconnect.max_delay_s));
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeout_ms);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  args.SetCompressionAlgorithm(GRPC_COMPRESS_NONE);
  args.SetMaxReceiveMessageSize(static_cast<int>(options.message_bytes));
  args.SetMaxSendMessageSize(static_cast<int>(options.message_bytes));
  std::shared_ptr<grpc::Channel> channel = grpc::experimental::CreateCustomChannelWithInterceptors(
      options.address, rpc::ClientCredentials(options.tls), args, SendToken(options.token_file));
  grpc::Channel* const raw = channel.get();
  return {raw, [channel](grpc::Channel*) mutable { PartingChannels().Take(std::move(channel)); }};
}

std::shared_ptr<grpc::Channel> MakeCallChannel(ConnectionOptions options,
                                               grpc::ChannelArguments args) {
  options.reconnect.max_delay_s = options.reconnect.initial_delay_s;
  return MakeChannel(options, std::move(args));
}

}  // namespace posewire::client
