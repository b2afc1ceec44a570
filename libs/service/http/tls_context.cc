#include "libs/service/http/tls_context.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::service::internal {

namespace ssl = boost::asio::ssl;
using Error = boost::system::error_code;

namespace {

absl::Status Wrong(const std::string& file, const Error& error) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", error.message()));
}

// HTTP/2 and other protocols are not supported. The protocols come as lengths and names.
int ChooseHttp(SSL*, const unsigned char** chosen, unsigned char* size,
               const unsigned char* offered, unsigned int offered_size, void*) {
  static constexpr unsigned char kSpoken[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, kSpoken, sizeof(kSpoken) - 1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Open(rpc::TlsFiles files, Logger log) {
  std::unique_ptr<TlsContext> made(new TlsContext(std::move(files), std::move(log)));
  if (absl::Status s = made->Look(Clock::now()); !s.ok()) return s;
  return made;
}

ssl::context& TlsContext::At(Clock::time_point now) {
  if (const absl::Status s = Look(now); !s.ok()) {
    log_.Error("the new certificate of HTTP cannot be used; the previous one stays in use",
               {{"why", s.message()}});
  }
  return *context_;
}

absl::Status TlsContext::Look(Clock::time_point now) {
  const absl::StatusOr<std::optional<rpc::TlsTexts>> texts = watch_.Look(now);
  if (!texts.ok()) return texts.status();
  return *texts ? Make(**texts) : absl::OkStatus();
}

absl::Status TlsContext::Make(const rpc::TlsTexts& texts) {
  const rpc::TlsFiles& files = watch_.files();
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | SSL_OP_NO_RENEGOTIATION |
                       SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX* const native = context->native_handle();
  // An idle connection keeps no buffers, and sessions are not resumed.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_alpn_select_cb(native, ChooseHttp, nullptr);
  Error error;
  context->use_certificate_chain(boost::asio::buffer(texts.certificate), error);
  if (error) return Wrong(files.certificate, error);
  context->use_private_key(boost::asio::buffer(texts.key), ssl::context::pem, error);
  if (error) return Wrong(files.key, error);
  if (!files.ca.empty()) {
    context->add_certificate_authority(boost::asio::buffer(texts.ca), error);
    if (error) return Wrong(files.ca, error);
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
  context_ = std::move(context);
  return absl::OkStatus();
}

}  // namespace posewire::service::internal
