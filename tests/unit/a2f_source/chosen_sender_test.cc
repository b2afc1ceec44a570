#include "services/a2f_source/live/chosen_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace posewire::a2f_source {
namespace {

using ::testing::HasSubstr;

service::UdpReceiver Loopback() { return *service::UdpReceiver::Bind("127.0.0.1:0", false); }

service::SocketAddress Host(const std::string& host, int port = 49983) {
  return service::ResolveListen({host, port, ""})->at(0);
}

// Returns the datagram that waits at a socket, "" if none does.
std::string Next(service::UdpReceiver& socket, service::SocketAddress* from = nullptr) {
  std::vector<char> buffer(1000);
  const auto size = socket.Receive(absl::MakeSpan(buffer), from);
  return size ? std::string(buffer.data(), *size) : "";
}

TEST(ChosenSender, TheFirstIsTakenUntilItHasGone) {
  ChosenSender sender({}, /*gone_s=*/3);
  EXPECT_TRUE(sender.Takes(Host("10.0.0.1"), 1));
  EXPECT_FALSE(sender.Takes(Host("10.0.0.2"), 2));
  EXPECT_TRUE(sender.Takes(Host("10.0.0.1", 50000), 3)) << "from another port";
  EXPECT_FALSE(sender.Takes(Host("10.0.0.2"), 5.9));
  EXPECT_TRUE(sender.Takes(Host("10.0.0.2"), 6.1));
  EXPECT_FALSE(sender.Takes(Host("10.0.0.1"), 6.2));
  EXPECT_EQ(sender.others(), 3u);
  EXPECT_EQ(sender.chosen()->HostText(), "10.0.0.2");
}

TEST(ChosenSender, ThePhoneAloneIsTaken) {
  const service::UdpReceiver socket = Loopback();
  ChosenSender sender({.phone = "127.0.0.1", .phone_port = 49983, .requests = {"x"}}, 3);
  ASSERT_EQ(sender.Find(socket, "127.0.0.1"), absl::OkStatus());
  EXPECT_FALSE(sender.Takes(Host("127.0.0.2"), 1));
  EXPECT_TRUE(sender.Takes(Host("127.0.0.1"), 2));
  EXPECT_FALSE(sender.Takes(Host("127.0.0.2"), 20));
  EXPECT_EQ(sender.others(), 2u);
}

TEST(ChosenSender, ThePhoneIsAskedOnceASecondWhileNothingComes) {
  service::UdpReceiver socket = Loopback(), phone = Loopback();
  ChosenSender sender({.phone = absl::StrCat("127.0.0.1:", phone.port()),
                       .phone_port = 49983,
                       .requests = {"first", "second"}},
                      3);
  ASSERT_EQ(sender.Find(socket, "127.0.0.1"), absl::OkStatus());
  const service::Logger log("test", {});
  service::SocketAddress from;
  sender.Tick(socket, 10, log);
  EXPECT_EQ(Next(phone, &from), "first");
  EXPECT_EQ(from.HostText(), "127.0.0.1");
  ASSERT_TRUE(phone.SendTo(from, "answer"));
  EXPECT_EQ(Next(socket), "answer") << "the request came from the port that listens";
  sender.Tick(socket, 10.9, log);
  EXPECT_EQ(Next(phone), "");
  sender.Tick(socket, 11, log);
  EXPECT_EQ(Next(phone), "second");
  sender.Tick(socket, 12, log);
  EXPECT_EQ(Next(phone), "first");
  EXPECT_TRUE(sender.Takes(from, 12.5));
  sender.Tick(socket, 13.4, log);
  EXPECT_EQ(Next(phone), "");
  sender.Tick(socket, 13.5, log);
  EXPECT_EQ(Next(phone), "second") << "it is silent again";
}

TEST(ChosenSender, WithoutAPhoneNothingIsAsked) {
  service::UdpReceiver socket = Loopback();
  ChosenSender sender({}, 3);
  ASSERT_EQ(sender.Find(socket, "127.0.0.1"), absl::OkStatus());
  sender.Tick(socket, 10, service::Logger("test", {}));
}

TEST(ChosenSender, PhonesThatCannotBeReachedAreErrors) {
  const service::UdpReceiver socket = Loopback();
  const auto error_of = [&](const std::string& phone) {
    ChosenSender sender({.phone = phone, .phone_port = 49983, .requests = {"x"}}, 3);
    return sender.Find(socket, "127.0.0.1");
  };
  EXPECT_EQ(error_of("192.168.1.7").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(error_of("192.168.1.7").message(), HasSubstr("--host 0.0.0.0 --allow-plaintext"));
  EXPECT_THAT(error_of("127.0.0.1:0").message(), HasSubstr("1 to 65535 is right"));
  for (const char* phone : {"127.0.0.1:x", "::1", "[::1]"}) {
    EXPECT_EQ(error_of(phone).code(), absl::StatusCode::kInvalidArgument) << phone;
  }
}

}  // namespace
}  // namespace posewire::a2f_source
