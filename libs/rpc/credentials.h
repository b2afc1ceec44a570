// What a connection proves of itself: gRPC's credentials from files of certificates.
//
// The files are read again when they change: a new certificate holds for the connections that begin
// then, and those that are open stay. While what is there cannot be used, a server keeps the one
// before, and new connections of a client fail: both files of a pair should be put in place
// together.
#ifndef POSEWIRE_LIBS_RPC_CREDENTIALS_H_
#define POSEWIRE_LIBS_RPC_CREDENTIALS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "libs/rpc/tls_files.h"

namespace posewire::rpc {

// Plain text when no file is named. The files are as CheckTlsFiles wants them; any thread. The
// result must outlive the server. `on_fault` is called, by any thread, when new files cannot be
// used.
std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const TlsFiles& files, std::function<void(const absl::Status&)> on_fault);
// Servers are known by the name that was dialled, or its address, in their certificate.
std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const TlsFiles& files);

// To ask a server for its health from its own machine, by the server's own files: whatever name its
// certificate has, and showing that one where it wants one.
std::shared_ptr<grpc::ChannelCredentials> OwnServerCredentials(const TlsFiles& files);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_CREDENTIALS_H_
