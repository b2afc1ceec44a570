#include "libs/service/address.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

TEST(ListenAddress, ReadsHostAndPort) {
  auto address = ParseListenAddress("127.0.0.1:51000");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "127.0.0.1");
  EXPECT_EQ(address->port, 51000);
  EXPECT_EQ(address->ToString(), "127.0.0.1:51000");
}

TEST(ListenAddress, ReadsBracketsAndUnixPaths) {
  auto v6 = ParseListenAddress("[::1]:0");
  ASSERT_TRUE(v6.ok()) << v6.status();
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->ToString(), "[::1]:0");
  for (const char* text : {"unix:/tmp/a b.sock", "unix:///tmp/a b.sock"}) {
    auto path = ParseListenAddress(text);
    ASSERT_TRUE(path.ok()) << path.status();
    EXPECT_EQ(path->unix_path, "/tmp/a b.sock");
    EXPECT_EQ(path->ToString(), "unix:/tmp/a b.sock");
  }
}

TEST(ListenAddress, OfAllAddressesLoopbackCanBeCalled) {
  const auto callable = [](absl::string_view text) {
    return ParseListenAddress(text)->CallableText();
  };
  EXPECT_EQ(callable("0.0.0.0:80"), "127.0.0.1:80");
  EXPECT_EQ(callable("[::]:80"), "[::1]:80");
  EXPECT_EQ(callable("192.168.1.20:80"), "192.168.1.20:80");
  EXPECT_EQ(callable("avatars.example.org:80"), "avatars.example.org:80");
}

TEST(ListenAddress, RejectsWhatIsNoAddressAndSaysWhatIs) {
  for (const char* text : {"", "51000", "host", "host:", ":51000", "host:65536", "host:-1",
                           "host:5x", "::1:51000", "[::1:51000", "unix:", "host: 1"}) {
    auto address = ParseListenAddress(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("127.0.0.1:51000")) << text;
  }
}

TEST(ListenAddress, TakesOnlyLoopbackWithoutLeave) {
  const auto check = [](const char* text, bool allow) {
    return CheckPlaintext(*ParseListenAddress(text), allow).code();
  };
  for (const char* text :
       {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "unix:/tmp/x.sock"}) {
    EXPECT_EQ(check(text, false), absl::StatusCode::kOk) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1", "128.0.0.1:1"}) {
    EXPECT_EQ(check(text, false), absl::StatusCode::kFailedPrecondition) << text;
    EXPECT_EQ(check(text, true), absl::StatusCode::kOk) << text;
  }
}

TEST(MachineAddresses, AreOfTheFamilyAndNotLoopback) {
  for (const char* wildcard : {"0.0.0.0:1", "[::]:1"}) {
    for (const std::string& host : MachineAddresses(*ParseListenAddress(wildcard))) {
      const ListenAddress address{.host = host, .port = 0, .unix_path = ""};
      EXPECT_FALSE(IsLoopback(address)) << host;
      EXPECT_EQ(host.find(':') == std::string::npos, wildcard[0] == '0') << host;
      EXPECT_TRUE(ProbeBind(address).ok()) << host;
    }
  }
}

TEST(ProbeBind, FindsATakenPort) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in bound{};
  bound.sin_family = AF_INET;
  bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&bound), sizeof(bound)), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  socklen_t size = sizeof(bound);
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  const ListenAddress address{.host = "127.0.0.1", .port = ntohs(bound.sin_port), .unix_path = ""};
  EXPECT_EQ(ProbeBind(address).code(), absl::StatusCode::kAlreadyExists);
  close(fd);
  EXPECT_TRUE(ProbeBind(address).ok());
}

TEST(ProbeBind, SaysWhyAnAddressCannotBeBound) {
  const ListenAddress elsewhere{.host = "192.0.2.1", .port = 0, .unix_path = ""};
  EXPECT_EQ(ProbeBind(elsewhere).code(), absl::StatusCode::kUnavailable);
  const ListenAddress unknown{.host = "no such host", .port = 0, .unix_path = ""};
  EXPECT_EQ(ProbeBind(unknown).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::service
