// gRPC channels of clients: address, keep-alive, limits. Includes gRPC; private to clients.
#ifndef POSEWIRE_LIBS_CLIENT_CHANNEL_H_
#define POSEWIRE_LIBS_CLIENT_CHANNEL_H_

#include <memory>

#include "grpcpp/channel.h"
#include "grpcpp/support/channel_arguments.h"
#include "libs/client/connection.h"

namespace posewire::client {

inline constexpr char kPushMethod[] =
    "/nvidia_ace.services.animation_data.v1.AnimationDataService/PushAnimationDataStream";
inline constexpr char kPullMethod[] =
    "/nvidia_ace.services.animation_data.v1.AnimationDataService/PullAnimationDataStream";

// Makes a separate channel: it shares neither connection nor back-off with any other, makes one
// attempt to connect, and uses neither compression nor a proxy. `args`: other settings.
std::shared_ptr<grpc::Channel> MakeChannel(const ConnectionOptions& options,
                                           grpc::ChannelArguments args = {});

// The same for single calls. The pauses between connection attempts do not grow, so that a call
// finds a restarted server immediately.
std::shared_ptr<grpc::Channel> MakeCallChannel(ConnectionOptions options,
                                               grpc::ChannelArguments args = {});

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CHANNEL_H_
