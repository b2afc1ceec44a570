// Certificates of a connection: where they lie, and whether they can be used.
#ifndef POSEWIRE_LIBS_RPC_TLS_FILES_H_
#define POSEWIRE_LIBS_RPC_TLS_FILES_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace posewire::rpc {

// The most that a PEM file may have.
inline constexpr size_t kMostPemBytes = 1 << 20;

// PEM files. Of a server: certificate and key; with `ca`, clients must show a certificate of theirs
// that it signed. Of a client: `ca`, which signs servers; with certificate and key, what it shows.
struct TlsFiles {
  std::string ca = {};
  std::string certificate = {};  // own, then those between it and the CA
  std::string key = {};          // without a password

  // False: plain text.
  bool any() const { return !ca.empty() || !certificate.empty() || !key.empty(); }
};

// What they hold; empty for an empty name.
struct TlsTexts {
  std::string ca, certificate, key;
  bool operator==(const TlsTexts&) const = default;
};

// Reads them once. INVALID_ARGUMENT, with the file's name, for one that is no PEM of its kind, and
// when the key is not the certificate's; the errors of files::ReadWhole for one that cannot be
// read. An empty name is not looked at; certificate and key come together.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);
absl::Status CheckTlsFiles(const TlsFiles& files);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_TLS_FILES_H_
