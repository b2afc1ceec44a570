#include "libs/service/http/tls_context.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/bearer_token.h"

namespace posewire::service::internal {

namespace ssl = boost::asio::ssl;
using Error = boost::system::error_code;

namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr size_t kMostBytes = 1 << 20;

absl::Status Wrong(const std::string& file, const Error& error) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", error.message()));
}

// Of HTTP/2 and others we speak nothing. The protocols come as lengths and names.
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
  if (absl::Status s = rpc::CheckTlsFiles(files); !s.ok()) return s;
  std::unique_ptr<TlsContext> made(new TlsContext(std::move(files), std::move(log)));
  if (absl::Status s = made->Read(); !s.ok()) return s;
  return made;
}

ssl::context& TlsContext::At(Clock::time_point now) {
  if (now - looked_ >= kLookEvery) {
    looked_ = now;
    if (const absl::Status s = Read(); !s.ok()) {
      log_.Error("the new certificate of HTTP cannot be used; the one before holds",
                 {{"why", s.message()}});
    }
  }
  return *context_;
}

absl::Status TlsContext::Read() {
  std::string seen;
  absl::Status status;
  std::string texts[3];
  const std::string* const names[3] = {&files_.certificate, &files_.key, &files_.ca};
  for (int i = 0; i < 3; ++i) {
    if (names[i]->empty()) continue;
    auto text = rpc::ReadSmallFile(*names[i], kMostBytes);
    if (!text.ok()) {
      status.Update(text.status());
      absl::StrAppend(&seen, text.status().message());
      continue;
    }
    texts[i] = *std::move(text);
    absl::StrAppend(&seen, texts[i].size(), ":", texts[i]);
  }
  if (seen == seen_) return absl::OkStatus();
  seen_ = std::move(seen);
  if (!status.ok()) return status;

  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | SSL_OP_NO_RENEGOTIATION |
                       SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX* const native = context->native_handle();
  // A connection that waits keeps no buffers, and none is taken up again in a later one.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_alpn_select_cb(native, ChooseHttp, nullptr);
  Error error;
  context->use_certificate_chain(boost::asio::buffer(texts[0]), error);
  if (error) return Wrong(files_.certificate, error);
  context->use_private_key(boost::asio::buffer(texts[1]), ssl::context::pem, error);
  if (error) return Wrong(files_.key, error);
  if (!files_.ca.empty()) {
    context->add_certificate_authority(boost::asio::buffer(texts[2]), error);
    if (error) return Wrong(files_.ca, error);
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
  context_ = std::move(context);
  return absl::OkStatus();
}

}  // namespace posewire::service::internal
