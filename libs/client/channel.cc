#include "libs/client/channel.h"

#include <algorithm>
#include <utility>

#include "grpcpp/create_channel.h"
#include "grpcpp/support/channel_arguments.h"
#include "libs/client/token_sender.h"
#include "libs/rpc/credentials.h"

namespace posewire::client {
namespace {

int Milliseconds(double seconds) { return std::max(1, static_cast<int>(seconds * 1000)); }

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const ConnectionOptions& options) {
  grpc::ChannelArguments args;
  if (options.keep_alive_s > 0) {
    args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keep_alive_s));
    args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keep_alive_timeout_s));
    args.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  const int connect_ms = Milliseconds(options.connect_timeout_s);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
              Milliseconds(options.reconnect.initial_delay_s));
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, Milliseconds(options.reconnect.max_delay_s));
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, connect_ms);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  args.SetCompressionAlgorithm(GRPC_COMPRESS_NONE);
  args.SetMaxReceiveMessageSize(static_cast<int>(options.message_bytes));
  args.SetMaxSendMessageSize(static_cast<int>(options.message_bytes));
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      options.address, rpc::ClientCredentials(options.tls), args, SendToken(options.token_file));
}

std::shared_ptr<grpc::Channel> MakeCallChannel(ConnectionOptions options) {
  options.reconnect.max_delay_s = options.reconnect.initial_delay_s;
  return MakeChannel(options);
}

}  // namespace posewire::client
