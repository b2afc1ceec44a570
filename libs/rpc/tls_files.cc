#include "libs/rpc/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace posewire::rpc {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

absl::StatusOr<Bio> Open(const std::string& path) {
  errno = 0;
  Bio file(BIO_new_file(path.c_str(), "r"), BIO_free);
  if (file == nullptr) {
    const int error = errno;
    ERR_clear_error();
    return absl::ErrnoToStatus(error, path);
  }
  return file;
}

absl::StatusOr<Certificate> ReadCertificate(const std::string& path) {
  auto file = Open(path);
  if (!file.ok()) return file.status();
  Certificate read(PEM_read_bio_X509(file->get(), nullptr, nullptr, nullptr), X509_free);
  ERR_clear_error();
  if (read != nullptr) return read;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": no certificate in PEM (\"-----BEGIN CERTIFICATE-----\")"));
}

// A password is not asked for: nobody may sit there.
int NoPassword(char*, int, int, void*) { return -1; }

absl::StatusOr<Key> ReadKey(const std::string& path) {
  auto file = Open(path);
  if (!file.ok()) return file.status();
  Key read(PEM_read_bio_PrivateKey(file->get(), nullptr, NoPassword, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  if (read != nullptr) return read;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": no key in PEM without a password (\"-----BEGIN PRIVATE KEY-----\")"));
}

}  // namespace

absl::Status CheckTlsFiles(const TlsFiles& files) {
  if (files.certificate.empty() != files.key.empty()) {
    return absl::InvalidArgumentError(
        files.key.empty() ? absl::StrCat("the certificate ", files.certificate, " needs its key")
                          : absl::StrCat("the key ", files.key, " needs its certificate"));
  }
  if (!files.ca.empty()) {
    if (auto ca = ReadCertificate(files.ca); !ca.ok()) return ca.status();
  }
  if (files.key.empty()) return absl::OkStatus();
  auto certificate = ReadCertificate(files.certificate);
  if (!certificate.ok()) return certificate.status();
  auto key = ReadKey(files.key);
  if (!key.ok()) return key.status();
  const bool match = X509_check_private_key(certificate->get(), key->get()) == 1;
  ERR_clear_error();
  if (match) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the key ", files.key, " is not that of the certificate ", files.certificate));
}

}  // namespace posewire::rpc
