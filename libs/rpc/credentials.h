// gRPC credentials from certificate files.
//
// The files are read again when they change. A new certificate is used for new connections;
// existing ones continue. If new files cannot be used, a server keeps the previous certificate, and
// new connections of a client fail. Replace both files of a pair together.
#ifndef POSEWIRE_LIBS_RPC_CREDENTIALS_H_
#define POSEWIRE_LIBS_RPC_CREDENTIALS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "libs/rpc/tls_files.h"

namespace posewire::rpc {

// Returns plain-text credentials if no file is named. The files must meet CheckTlsFiles. Any
// thread. The result must outlive the server. `on_fault` is called, on any thread, if new files
// cannot be used.
std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const TlsFiles& files, std::function<void(const absl::Status&)> on_fault);
// Servers are verified by the dialled name or address, which must be in their certificate.
std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const TlsFiles& files);

// Credentials to check the health of a server on the same machine, from the server's own files.
// Accepts any name in its certificate, and presents that certificate if the server asks for one.
std::shared_ptr<grpc::ChannelCredentials> OwnServerCredentials(const TlsFiles& files);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_CREDENTIALS_H_
