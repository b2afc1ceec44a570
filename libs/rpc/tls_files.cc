#include "libs/rpc/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "libs/files/read.h"

namespace posewire::rpc {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// `text` must outlive the result.
Bio Over(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
}

absl::StatusOr<Certificate> ParseCertificate(const std::string& path, const std::string& text) {
  Certificate read(PEM_read_bio_X509(Over(text).get(), nullptr, nullptr, nullptr), X509_free);
  ERR_clear_error();
  if (read != nullptr) return read;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": no certificate in PEM (\"-----BEGIN CERTIFICATE-----\")"));
}

// Never asks for a password, because there may be no user.
int NoPassword(char*, int, int, void*) { return -1; }

absl::StatusOr<Key> ParseKey(const std::string& path, const std::string& text) {
  Key read(PEM_read_bio_PrivateKey(Over(text).get(), nullptr, NoPassword, nullptr), EVP_PKEY_free);
  ERR_clear_error();
  if (read != nullptr) return read;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": no key in PEM without a password (\"-----BEGIN PRIVATE KEY-----\")"));
}

}  // namespace

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files) {
  if (files.certificate.empty() != files.key.empty()) {
    return absl::InvalidArgumentError(
        files.key.empty() ? absl::StrCat("the certificate ", files.certificate, " needs its key")
                          : absl::StrCat("the key ", files.key, " needs its certificate"));
  }
  TlsTexts texts;
  for (const auto& [path, text] :
       {std::pair(&files.ca, &texts.ca), std::pair(&files.certificate, &texts.certificate),
        std::pair(&files.key, &texts.key)}) {
    if (path->empty()) continue;
    auto read = files::ReadWhole(*path, kMostPemBytes);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  if (!files.ca.empty()) {
    if (auto ca = ParseCertificate(files.ca, texts.ca); !ca.ok()) return ca.status();
  }
  if (files.key.empty()) return texts;
  auto certificate = ParseCertificate(files.certificate, texts.certificate);
  if (!certificate.ok()) return certificate.status();
  auto key = ParseKey(files.key, texts.key);
  if (!key.ok()) return key.status();
  const bool match = X509_check_private_key(certificate->get(), key->get()) == 1;
  ERR_clear_error();
  if (match) return texts;
  return absl::InvalidArgumentError(
      absl::StrCat("the key ", files.key, " is not that of the certificate ", files.certificate));
}

absl::Status CheckTlsFiles(const TlsFiles& files) { return ReadTlsFiles(files).status(); }

}  // namespace posewire::rpc
