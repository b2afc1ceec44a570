// Flags that name certificates: of who listens, and of who dials.
#ifndef POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
#define POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_

#include "libs/rpc/tls_files.h"

namespace posewire::service {

class Flags;

// --tls-cert, --tls-key and --tls-client-ca. The files are read at once: what cannot be used is an
// error of the flags. So below.
void DeclareListenTls(Flags& flags, rpc::TlsFiles* files);
// --server-ca, --client-cert and --client-key. "system" is the CAs that the machine trusts.
void DeclareDialTls(Flags& flags, rpc::TlsFiles* files);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TLS_FLAGS_H_
