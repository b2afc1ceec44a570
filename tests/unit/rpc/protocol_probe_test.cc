#include "libs/rpc/protocol_probe.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::rpc {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kServerHello("\x16\x03\x03\x00\x7a\x02", 6);
constexpr absl::string_view kAlert("\x15\x03\x01\x00\x02\x02\x46", 7);
constexpr absl::string_view kSettings("\x00\x00\x06\x04\x00\x00\x00\x00\x00", 9);

// Accepts one connection, keeps what comes first, answers with the pieces one after the other, and
// closes.
class OneAnswer {
 public:
  explicit OneAnswer(std::vector<std::string> pieces)
      : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this, pieces = std::move(pieces)] {
      const int client = ::accept(listener_, nullptr, nullptr);
      char heard[1024];
      const ssize_t got = ::recv(client, heard, sizeof(heard), 0);
      if (got > 0) heard_.assign(heard, static_cast<size_t>(got));
      for (const std::string& piece : pieces) {
        ::send(client, piece.data(), piece.size(), MSG_NOSIGNAL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      // Until the other side closes, where nothing is answered.
      if (pieces.empty()) (void)::recv(client, heard, sizeof(heard), 0);
      ::close(client);
    });
  }
  ~OneAnswer() {
    if (thread_.joinable()) thread_.join();
    ::close(listener_);
  }
  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }
  const std::string& heard() {
    thread_.join();
    return heard_;
  }

 private:
  const int listener_;
  int port_ = 0;
  std::string heard_;
  std::thread thread_;
};

Protocol Probe(std::vector<std::string> pieces, double timeout_s = 5) {
  const OneAnswer server(std::move(pieces));
  return ProbeProtocol(server.address(), timeout_s);
}

TEST(ProtocolProbe, TellsServersByTheirFirstBytes) {
  EXPECT_EQ(Probe({std::string(kServerHello)}), Protocol::kTls);
  EXPECT_EQ(Probe({std::string(kAlert)}), Protocol::kTls);
  EXPECT_EQ(Probe({std::string(kSettings)}), Protocol::kHttp2);
  EXPECT_EQ(Probe({"HTTP/1.1 400 Bad Request\r\n\r\n"}), Protocol::kHttp1);
  EXPECT_EQ(Probe({"220 mail.example ESMTP\r\n"}), Protocol::kUnknown);
  EXPECT_EQ(Probe({std::string("\x16\x02\x00\x00\x00", 5)}), Protocol::kUnknown);
}

TEST(ProtocolProbe, WaitsForBytesThatComeOneByOne) {
  std::vector<std::string> pieces;
  for (const char c : kSettings) pieces.emplace_back(1, c);
  EXPECT_EQ(Probe(pieces), Protocol::kHttp2);
}

TEST(ProtocolProbe, SendsATlsHello) {
  OneAnswer server({std::string(kServerHello)});
  ASSERT_EQ(ProbeProtocol(server.address(), 5), Protocol::kTls);
  const std::string hello = server.heard();
  ASSERT_GT(hello.size(), 43u);
  EXPECT_EQ(hello.substr(0, 2), "\x16\x03");
  EXPECT_THAT(hello, HasSubstr(std::string("\x02h2", 3)));
}

TEST(ProtocolProbe, KnowsNothingOfASilentOrClosedOrMissingServer) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(Probe({}, 0.1), Protocol::kUnknown);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
  EXPECT_EQ(Probe({"\x16"}), Protocol::kUnknown);
  for (const char* address : {"", ":", "127.0.0.1", "127.0.0.1:1", "[::1:5", "dns:///a:5",
                              "unix:/nowhere/at/all", "127.0.0.1:none"}) {
    EXPECT_EQ(ProbeProtocol(address, 1), Protocol::kUnknown) << address;
  }
}

TEST(ProtocolMismatch, NamesTheSettingThatIsWrong) {
  const absl::Status closed = absl::UnavailableError("Socket closed");
  const auto said = [&](absl::string_view answer, bool by_tls) {
    const OneAnswer server({std::string(answer)});
    return ProtocolMismatch(server.address(), by_tls, closed);
  };
  EXPECT_THAT(said(kServerHello, false), HasSubstr("speaks TLS, and it was called in plain text"));
  EXPECT_THAT(said(kServerHello, false), HasSubstr("--server-ca"));
  EXPECT_EQ(said(kServerHello, true), "");
  EXPECT_THAT(said(kSettings, true), HasSubstr("speaks plain text, and it was called by TLS"));
  EXPECT_EQ(said(kSettings, false), "");
  EXPECT_THAT(said("HTTP/1.1 400 \r\n", false), HasSubstr("HTTP/1 and not gRPC"));
}

// Nobody listens, or another reason: no connection is made.
TEST(ProtocolMismatch, IsLookedForAfterAFailureOfTheConnectionAlone) {
  EXPECT_EQ(ProtocolMismatch("127.0.0.1:1", false, absl::UnavailableError("Connection refused")),
            "");
  EXPECT_EQ(ProtocolMismatch("127.0.0.1:1", false, absl::PermissionDeniedError("no")), "");
  EXPECT_EQ(ProtocolMismatch("127.0.0.1:1", false, absl::OkStatus()), "");
}

}  // namespace
}  // namespace posewire::rpc
