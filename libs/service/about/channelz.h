// Implements grpc.channelz.v1.Channelz: gRPC's own servers, connections and calls.
#ifndef POSEWIRE_LIBS_SERVICE_ABOUT_CHANNELZ_H_
#define POSEWIRE_LIBS_SERVICE_ABOUT_CHANNELZ_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::service {

// Returns the paths of its methods, such as "/grpc.channelz.v1.Channelz/GetServers". They live as
// long as the program.
const std::vector<const char*>& ChannelzMethods();

// Returns a serialized response to a serialized request of one of ChannelzMethods. NOT_FOUND for a
// number that gRPC does not know, INVALID_ARGUMENT for bytes that are not a request.
absl::StatusOr<std::string> AnswerChannelz(absl::string_view method, const std::string& request);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ABOUT_CHANNELZ_H_
