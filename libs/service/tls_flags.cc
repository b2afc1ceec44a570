#include "libs/service/tls_flags.h"

#include "absl/strings/str_cat.h"
#include "libs/rpc/bearer_token.h"
#include "libs/service/address.h"
#include "libs/service/flags/flags.h"

namespace posewire::service {
namespace {

// Path on Debian, Ubuntu and Alpine.
constexpr char kSystemCa[] = "/etc/ssl/certs/ca-certificates.crt";

bool IsBeyondLoopback(const std::string& address) {
  if (address.empty() || address == "none") return false;
  const auto parsed = ParseListenAddress(address);
  return !parsed.ok() || !IsLoopback(*parsed);
}

}  // namespace

void DeclareListenTls(Flags& flags, rpc::TlsFiles* files) {
  flags.Add(
      "tls-cert", &files->certificate,
      "Certificate of the gRPC server, which then accepts only TLS; read again when it changes.",
      {.value_name = "FILE"});
  flags.Add("tls-key", &files->key, "Key of --tls-cert.", {.value_name = "FILE"});
  flags.Add("tls-client-ca", &files->ca, "Only clients with a certificate signed by it may call.",
            {.value_name = "FILE"});
  flags.AddCheck([files] {
    if (!files->ca.empty() && files->certificate.empty()) {
      return absl::InvalidArgumentError("--tls-client-ca: needs --tls-cert and --tls-key");
    }
    if (const absl::Status s = rpc::CheckTlsFiles(*files); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--tls-cert: ", s.message()));
    }
    return absl::OkStatus();
  });
}

void DeclareDialTls(Flags& flags, rpc::TlsFiles* files) {
  flags.Group("TLS");
  flags.Add("server-ca", &files->ca,
            "Call servers by TLS, and require a certificate signed by this authority; system: by "
            "one that this machine trusts.",
            {.value_name = "FILE|system"});
  flags.Add("client-cert", &files->certificate, "Certificate that is sent to servers.",
            {.value_name = "FILE"});
  flags.Add("client-key", &files->key, "Key of --client-cert.", {.value_name = "FILE"});
  flags.AddCheck([files] {
    if (files->ca == "system") files->ca = kSystemCa;
    if (files->ca.empty() && files->any()) {
      return absl::InvalidArgumentError("--client-cert: needs --server-ca, FILE or system");
    }
    if (const absl::Status s = rpc::CheckTlsFiles({.ca = files->ca}); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--server-ca: ", s.message()));
    }
    if (const absl::Status s = rpc::CheckTlsFiles(*files); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--client-cert, --client-key: ", s.message()));
    }
    return absl::OkStatus();
  });
}

void DeclareDialToken(Flags& flags, std::string* file, const rpc::TlsFiles* tls,
                      const bool* allow_plaintext, const std::string* dialled) {
  flags.Add("token-file", file, "File with the token that is sent to servers with every call.",
            {.value_name = "FILE"});
  flags.AddCheck([file, tls, allow_plaintext, dialled] {
    if (file->empty()) return absl::OkStatus();
    if (const auto token = rpc::ReadToken(*file); !token.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--token-file: ", token.status().message()));
    }
    return CheckTokenGoes(*file, *tls, *allow_plaintext, *dialled);
  });
}

absl::Status CheckTokenGoes(const std::string& file, const rpc::TlsFiles& tls, bool allow_plaintext,
                            const std::string& address) {
  if (file.empty() || tls.any() || allow_plaintext || !IsBeyondLoopback(address)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--token-file: the token would go to ", address,
      " in plain text; --server-ca calls by TLS, --allow-plaintext trusts the network"));
}

}  // namespace posewire::service
