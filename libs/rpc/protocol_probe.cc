#include "libs/rpc/protocol_probe.h"

#include <netdb.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace posewire::rpc {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kMismatchTimeout_s = 0.5;
constexpr unsigned char kTlsAlert = 0x15, kTlsHandshake = 0x16, kTlsMajor = 0x03;
constexpr unsigned char kHttp2Settings = 0x04;
// A frame's type is its fourth byte, and five bytes suffice to distinguish all protocols.
constexpr size_t kJudgedBytes = 5;

struct CloseSocket {
  explicit CloseSocket(int f) : fd(f) {}
  ~CloseSocket() {
    if (fd >= 0) ::close(fd);
  }
  CloseSocket(const CloseSocket&) = delete;
  CloseSocket& operator=(const CloseSocket&) = delete;
  const int fd;
};

// Returns the first message of a TLS client that uses gRPC.
std::string ClientHello(const std::string& host) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  if (context == nullptr) return "";
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), SSL_free);
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  if (tls == nullptr || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    return "";
  }
  SSL_set_bio(tls.get(), in, out);  // takes ownership of both
  constexpr unsigned char kAlpn[] = {2, 'h', '2'};
  SSL_set_alpn_protos(tls.get(), kAlpn, sizeof(kAlpn));
  // A server may have several certificates. SNI is only for names.
  if (host.find_first_not_of("0123456789.") != std::string::npos && !absl::StrContains(host, ':')) {
    SSL_set_tlsext_host_name(tls.get(), host.c_str());
  }
  SSL_connect(tls.get());  // waits for the answer, and has written the hello
  ERR_clear_error();
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : "";
}

bool WaitFor(int fd, short events, SteadyClock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
    if (left.count() <= 0) return false;
    pollfd waited = {fd, events, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

Protocol Judge(absl::string_view bytes) {
  if (bytes == "HTTP/") return Protocol::kHttp1;
  const auto at = [bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if ((at(0) == kTlsHandshake || at(0) == kTlsAlert) && at(1) == kTlsMajor) return Protocol::kTls;
  if (at(0) == 0 && at(3) == kHttp2Settings) return Protocol::kHttp2;
  return Protocol::kUnknown;
}

Protocol AskSocket(const sockaddr* address, socklen_t size, const std::string& hello,
                   SteadyClock::time_point deadline) {
  const CloseSocket socket(
      ::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.fd < 0) return Protocol::kUnknown;
  if (::connect(socket.fd, address, size) != 0) {
    if (errno != EINPROGRESS || !WaitFor(socket.fd, POLLOUT, deadline)) return Protocol::kUnknown;
  }
  // It fits into an empty socket's buffer.
  if (::send(socket.fd, hello.data(), hello.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(hello.size())) {
    return Protocol::kUnknown;
  }
  std::string got;
  while (got.size() < kJudgedBytes) {
    if (!WaitFor(socket.fd, POLLIN, deadline)) return Protocol::kUnknown;
    char buffer[kJudgedBytes];
    const ssize_t read = ::recv(socket.fd, buffer, kJudgedBytes - got.size(), 0);
    if (read <= 0) return Protocol::kUnknown;
    got.append(buffer, static_cast<size_t>(read));
  }
  return Judge(got);
}

Protocol AskUnix(const std::string& path, SteadyClock::time_point deadline) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return Protocol::kUnknown;
  std::memcpy(address.sun_path, path.data(), path.size());
  return AskSocket(reinterpret_cast<const sockaddr*>(&address), sizeof(address), ClientHello(""),
                   deadline);
}

}  // namespace

Protocol ProbeProtocol(absl::string_view address, double timeout_s) {
  const auto deadline = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                                 std::chrono::duration<double>(timeout_s));
  if (absl::ConsumePrefix(&address, "unix:")) return AskUnix(std::string(address), deadline);
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0 || absl::StrContains(address, '/')) {
    return Protocol::kUnknown;
  }
  const std::string port(address.substr(colon + 1));
  absl::string_view host_text = address.substr(0, colon);
  if (absl::ConsumePrefix(&host_text, "[") && !absl::ConsumeSuffix(&host_text, "]")) {
    return Protocol::kUnknown;
  }
  const std::string host(host_text);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return Protocol::kUnknown;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, ::freeaddrinfo);
  const std::string hello = ClientHello(host);
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    const Protocol said = AskSocket(one->ai_addr, one->ai_addrlen, hello, deadline);
    if (said != Protocol::kUnknown) return said;
  }
  return Protocol::kUnknown;
}

std::string ProtocolMismatch(absl::string_view address, bool by_tls, const absl::Status& status) {
  // A probe cannot help if the port has no listener or the name is unknown.
  if (!absl::IsUnavailable(status) || absl::StrContains(status.message(), "refused") ||
      absl::StrContains(status.message(), "DNS")) {
    return "";
  }
  const Protocol spoken = ProbeProtocol(address, kMismatchTimeout_s);
  if (spoken == Protocol::kTls && !by_tls) {
    return absl::StrCat("the server at ", address,
                        " speaks TLS, and it was called in plain text; --server-ca FILE calls it "
                        "by TLS (FILE: the authority of its certificate, or system)");
  }
  if (spoken == Protocol::kHttp2 && by_tls) {
    return absl::StrCat("the server at ", address,
                        " speaks plain text, and it was called by TLS; leave out --server-ca, or "
                        "give the server --tls-cert and --tls-key");
  }
  if (spoken == Protocol::kHttp1) {
    return absl::StrCat("the server at ", address,
                        " speaks HTTP/1 and not gRPC; is it the address of --http?");
  }
  return "";
}

}  // namespace posewire::rpc
