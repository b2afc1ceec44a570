// Certificates of a connection: where they lie, and whether they can be used.
#ifndef POSEWIRE_LIBS_RPC_TLS_FILES_H_
#define POSEWIRE_LIBS_RPC_TLS_FILES_H_

#include <string>

#include "absl/status/status.h"

namespace posewire::rpc {

// PEM files. Of a server: certificate and key; with `ca`, clients must show a certificate of theirs
// that it signed. Of a client: `ca`, which signs servers; with certificate and key, what it shows.
struct TlsFiles {
  std::string ca = {};
  std::string certificate = {};  // own, then those between it and the CA
  std::string key = {};          // without a password

  // False: plain text.
  bool any() const { return !ca.empty() || !certificate.empty() || !key.empty(); }
};

// Reads them once. INVALID_ARGUMENT, with the file's name, for one that is no PEM of its kind, and
// when the key is not the certificate's; NOT_FOUND or PERMISSION_DENIED for one that cannot be
// read. An empty name is not looked at; certificate and key come together.
absl::Status CheckTlsFiles(const TlsFiles& files);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_TLS_FILES_H_
