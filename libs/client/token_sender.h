// Sends a bearer token with every call of a channel. Includes gRPC; private to clients.
#ifndef POSEWIRE_LIBS_CLIENT_TOKEN_SENDER_H_
#define POSEWIRE_LIBS_CLIENT_TOKEN_SENDER_H_

#include <memory>
#include <string>
#include <vector>

#include "grpcpp/support/client_interceptor.h"

namespace posewire::client {

// Reads the file for each call, so that each call has the current token. gRPC's own call
// credentials would require TLS on loopback too. While the file cannot be read, the last token is
// sent. Returns an empty vector for an empty path.
std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> SendToken(
    const std::string& path);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_TOKEN_SENDER_H_
