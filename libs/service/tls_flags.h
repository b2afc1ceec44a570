// Flags for the certificates and tokens of listening and dialling connections.
#ifndef POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
#define POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_

#include <string>

#include "absl/status/status.h"
#include "libs/rpc/tls_files.h"

namespace posewire::service {

class Flags;

// Declares --tls-cert, --tls-key and --tls-client-ca. Reads the files immediately; unusable ones
// are an error of the flags. The same holds for the functions below.
void DeclareListenTls(Flags& flags, rpc::TlsFiles* files);
// Declares --server-ca, --client-cert and --client-key. "system" selects the CAs that the machine
// trusts.
void DeclareDialTls(Flags& flags, rpc::TlsFiles* files);

// Declares --token-file, whose name is stored in `file`. A file without a token is an error of the
// flags, and so is a `dialled` address that CheckTokenGoes rejects.
void DeclareDialToken(Flags& flags, std::string* file, const rpc::TlsFiles* tls,
                      const bool* allow_plaintext, const std::string* dialled);

// INVALID_ARGUMENT if the token of `file`, unless that is empty, would go to `address` in plain
// text: it does so to loopback alone, unless --allow-plaintext trusts the network.
absl::Status CheckTokenGoes(const std::string& file, const rpc::TlsFiles& tls, bool allow_plaintext,
                            const std::string& address);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
