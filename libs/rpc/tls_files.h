// Certificate files of a connection, and checks on them.
#ifndef POSEWIRE_LIBS_RPC_TLS_FILES_H_
#define POSEWIRE_LIBS_RPC_TLS_FILES_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace posewire::rpc {

// Largest size of a PEM file.
inline constexpr size_t kMostPemBytes = 1 << 20;

// PEM files. For a server: certificate and key; with `ca`, clients must present a certificate
// signed by it. For a client: `ca`, which signs servers' certificates; certificate and key are
// presented to the server.
struct TlsFiles {
  std::string ca = {};
  std::string certificate = {};  // our own, followed by those between it and the CA
  std::string key = {};          // without a password

  // False: plain text.
  bool any() const { return !ca.empty() || !certificate.empty() || !key.empty(); }
};

// Contents of the files; empty for an empty name.
struct TlsTexts {
  std::string ca, certificate, key;
  bool operator==(const TlsTexts&) const = default;
};

// Reads the files once. INVALID_ARGUMENT, with the file's name, if a file is not PEM of its kind,
// and if the key does not match the certificate. Otherwise the errors of files::ReadWhole. Empty
// names are skipped; certificate and key must be given together.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);
absl::Status CheckTlsFiles(const TlsFiles& files);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_TLS_FILES_H_
