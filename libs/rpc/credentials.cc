#include "libs/rpc/credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <mutex>
#include <optional>
#include <utility>

#include "libs/rpc/tls_watch.h"

namespace posewire::rpc {
namespace {

namespace tls = grpc::experimental;

constexpr unsigned kLookEvery_s = 1;

std::shared_ptr<tls::CertificateProviderInterface> Watch(const TlsFiles& files) {
  return std::make_shared<tls::FileWatcherCertificateProvider>(files.key, files.certificate,
                                                               files.ca, kLookEvery_s);
}

// gRPC's own file watcher opens files on its own thread, and would wait for a pipe. Here gRPC asks
// for the certificates of each connection.
class WatchedCredentials final : public grpc::ServerCredentials {
 public:
  WatchedCredentials(const TlsFiles& files, std::function<void(const absl::Status&)> on_fault)
      : watch_(files), on_fault_(std::move(on_fault)) {
    const auto clients = files.ca.empty()
                             ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                             : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
    made_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(clients, Fetch, this));
  }
  ~WatchedCredentials() override { grpc_server_credentials_release(made_); }
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), made_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    auto& of = *static_cast<WatchedCredentials*>(self);
    absl::StatusOr<std::optional<TlsTexts>> texts;
    {
      std::lock_guard lock(of.mutex_);
      texts = of.watch_.Look(TlsWatch::Clock::now());
    }
    if (!texts.ok()) of.on_fault_(texts.status());
    if (!texts.ok() || !*texts) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const TlsTexts& found = **texts;
    const grpc_ssl_pem_key_cert_pair pair = {found.key.c_str(), found.certificate.c_str()};
    // gRPC requires roots even if clients are not asked for a certificate.
    const std::string& roots = found.ca.empty() ? found.certificate : found.ca;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  std::mutex mutex_;
  TlsWatch watch_;  // guarded by mutex_
  const std::function<void(const absl::Status&)> on_fault_;
  grpc_server_credentials* made_ = nullptr;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> ServerCredentials(
    const TlsFiles& files, std::function<void(const absl::Status&)> on_fault) {
  if (!files.any()) return grpc::InsecureServerCredentials();
  return std::make_shared<WatchedCredentials>(files, std::move(on_fault));
}

std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const TlsFiles& files) {
  if (!files.any()) return grpc::InsecureChannelCredentials();
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Watch(files));
  if (!files.ca.empty()) options.watch_root_certs();
  if (!files.key.empty()) options.watch_identity_key_cert_pairs();
  return tls::TlsCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> OwnServerCredentials(const TlsFiles& files) {
  if (!files.any()) return grpc::InsecureChannelCredentials();
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Watch(files));
  options.watch_identity_key_cert_pairs();
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  options.set_certificate_verifier(std::make_shared<tls::NoOpCertificateVerifier>());
  return tls::TlsCredentials(options);
}

}  // namespace posewire::rpc
