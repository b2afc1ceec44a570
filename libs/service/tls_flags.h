// Flags of what a connection proves of itself: of who listens, and of who dials.
#ifndef POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
#define POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_

#include <string>
#include <vector>

#include "libs/rpc/tls_files.h"

namespace posewire::service {

class Flags;

// --tls-cert, --tls-key and --tls-client-ca. The files are read at once: what cannot be used is an
// error of the flags. So below.
void DeclareListenTls(Flags& flags, rpc::TlsFiles* files);
// --server-ca, --client-cert and --client-key. "system" is the CAs that the machine trusts.
void DeclareDialTls(Flags& flags, rpc::TlsFiles* files);

// --token-file, of which `file` is the name. In plain text a token goes to loopback alone, unless
// --allow-plaintext (`allow_plaintext`) trusts the network: what else `dialled` names is an error
// of the flags, and so is a file without a token.
void DeclareDialToken(Flags& flags, std::string* file, const rpc::TlsFiles* tls,
                      const bool* allow_plaintext, std::vector<const std::string*> dialled);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
