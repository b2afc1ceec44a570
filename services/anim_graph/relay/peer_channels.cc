#include "services/anim_graph/relay/peer_channels.h"

#include <grpcpp/support/channel_arguments.h>

#include <utility>

#include "libs/client/channel.h"

namespace posewire::anim_graph {
namespace {

constexpr int kIdle_ms = 60'000;
// What gRPC reads ahead of a call. By itself it would go by the bandwidth, up to megabytes for a
// client that does not keep up.
constexpr int kReadAhead_bytes = 128 << 10;

}  // namespace

std::shared_ptr<const PeerChannels::Link> PeerChannels::Take(const std::string& address) {
  std::lock_guard lock(mutex_);
  const auto [first, last] = links_.equal_range(address);
  for (auto at = first; at != last; ++at) {
    if (at->second.use_count() <= calls_per_connection_) return at->second;
  }
  if (links_.size() >= kMostKept) {
    std::erase_if(links_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  client::ConnectionOptions options = options_;
  options.address = address;
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, kIdle_ms);
  args.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  args.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kReadAhead_bytes);
  return links_
      .emplace(address, std::make_shared<const Link>(
                            Link{client::MakeCallChannel(std::move(options), std::move(args))}))
      ->second;
}

size_t PeerChannels::size() const {
  std::lock_guard lock(mutex_);
  return links_.size();
}

}  // namespace posewire::anim_graph
