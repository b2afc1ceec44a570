// Flags for the certificates and tokens of listening and dialling connections.
#ifndef POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
#define POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_

#include <string>
#include <vector>

#include "libs/rpc/tls_files.h"

namespace posewire::service {

class Flags;

// Declares --tls-cert, --tls-key and --tls-client-ca. Reads the files immediately; unusable ones
// are an error of the flags. The same holds for the functions below.
void DeclareListenTls(Flags& flags, rpc::TlsFiles* files);
// Declares --server-ca, --client-cert and --client-key. "system" selects the CAs that the machine
// trusts.
void DeclareDialTls(Flags& flags, rpc::TlsFiles* files);

// Declares --token-file, whose name is stored in `file`. In plain text a token is sent only to
// loopback, unless --allow-plaintext (`allow_plaintext`) declares the network trusted. Other
// addresses in `dialled` are an error of the flags, as is a file without a token.
void DeclareDialToken(Flags& flags, std::string* file, const rpc::TlsFiles* tls,
                      const bool* allow_plaintext, std::vector<const std::string*> dialled);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
