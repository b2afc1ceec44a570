#include "libs/service/udp_socket.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

std::optional<std::string> Next(UdpReceiver& receiver, UdpWaiter& waiter) {
  std::vector<char> buffer(kMaxUdpBytes);
  for (int i = 0; i < 2; ++i) {
    if (auto size = receiver.Receive(absl::MakeSpan(buffer))) {
      return std::string(buffer.data(), *size);
    }
    if (i == 0) waiter.Wait({&receiver}, 5);
  }
  return std::nullopt;
}

TEST(UdpSocket, CarriesDatagramsWhole) {
  UdpWaiter waiter;
  auto receiver = UdpReceiver::Bind("127.0.0.1:0", false);
  ASSERT_TRUE(receiver.ok()) << receiver.status();
  ASSERT_GT(receiver->port(), 0);
  auto sender = UdpSender::To(absl::StrCat("localhost:", receiver->port()));
  ASSERT_TRUE(sender.ok()) << sender.status();
  const std::string large(65000, 'x');
  ASSERT_TRUE(sender->Send("one"));
  ASSERT_TRUE(sender->Send(""));
  ASSERT_TRUE(sender->Send(large));
  EXPECT_EQ(Next(*receiver, waiter), "one");
  EXPECT_EQ(Next(*receiver, waiter), "");
  EXPECT_EQ(Next(*receiver, waiter), large);
  std::vector<char> buffer(10);
  EXPECT_FALSE(receiver->Receive(absl::MakeSpan(buffer)).has_value());
}

TEST(UdpSocket, ReceivesOnLoopbackOnlyUnlessTold) {
  EXPECT_EQ(UdpReceiver::Bind("0.0.0.0:0", false).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(UdpReceiver::Bind("0.0.0.0:0", true).ok());
}

TEST(UdpSocket, ATakenPortSaysSo) {
  auto first = UdpReceiver::Bind("127.0.0.1:0", false);
  ASSERT_TRUE(first.ok());
  const auto second = UdpReceiver::Bind(absl::StrCat("127.0.0.1:", first->port()), false);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(second.status().message(), HasSubstr(absl::StrCat(first->port())));
}

TEST(UdpSocket, AddressesThatCannotBeAreRejected) {
  for (const char* text : {"nonsense", "unix:/tmp/x", "127.0.0.1", "127.0.0.1:99999"}) {
    EXPECT_EQ(UdpReceiver::Bind(text, false).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_EQ(UdpSender::To(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(UdpSender::To("127.0.0.1:0").status().message(), HasSubstr("port"));
}

TEST(UdpSocket, AReceiverKnowsTheSenderAndRepliesFromItsPort) {
  auto asked = UdpReceiver::Bind("127.0.0.1:0", false),
       asks = UdpReceiver::Bind("127.0.0.2:0", false);
  ASSERT_TRUE(asked.ok() && asks.ok());
  const auto to = asks->Resolve(absl::StrCat("127.0.0.1:", asked->port()));
  ASSERT_TRUE(to.ok()) << to.status();
  ASSERT_TRUE(asks->SendTo(*to, "question"));
  std::vector<char> buffer(100);
  SocketAddress from;
  ASSERT_EQ(asked->Receive(absl::MakeSpan(buffer), &from), 8u);
  EXPECT_EQ(from.HostText(), "127.0.0.2");
  EXPECT_FALSE(from.SameHost(*to));
  ASSERT_TRUE(asked->SendTo(from, "answer"));
  ASSERT_EQ(asks->Receive(absl::MakeSpan(buffer), &from), 6u);
  EXPECT_TRUE(from.SameHost(*to));
  EXPECT_EQ(from.HostText(), "127.0.0.1");
}

TEST(UdpSocket, AReceiverResolvesAddressesOfItsFamilyOnly) {
  auto receiver = UdpReceiver::Bind("127.0.0.1:0", false);
  ASSERT_TRUE(receiver.ok());
  EXPECT_EQ(receiver->Resolve("localhost:1")->HostText(), "127.0.0.1");
  for (const char* text : {"[::1]:1", "nonsense", "127.0.0.1:0", "unix:/tmp/x"}) {
    EXPECT_EQ(receiver->Resolve(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(UdpSocket, SendingOnAfterNobodyListenedReachesTheNextListener) {
  UdpWaiter waiter;
  std::string address;
  {
    auto gone = UdpReceiver::Bind("127.0.0.1:0", false);
    ASSERT_TRUE(gone.ok());
    address = absl::StrCat("127.0.0.1:", gone->port());
  }
  auto sender = UdpSender::To(address);
  ASSERT_TRUE(sender.ok());
  sender->Send("to nobody");
  auto receiver = UdpReceiver::Bind(address, false);
  ASSERT_TRUE(receiver.ok()) << receiver.status();
  EXPECT_TRUE(sender->Send("to you"));
  EXPECT_EQ(Next(*receiver, waiter), "to you");
}

TEST(UdpWaiter, WakeEndsThisWaitAndAllLaterOnes) {
  UdpWaiter waiter;
  auto receiver = UdpReceiver::Bind("127.0.0.1:0", false);
  ASSERT_TRUE(receiver.ok());
  std::thread other([&] { waiter.Wake(); });
  waiter.Wait({&*receiver}, 3600);
  waiter.Wait({&*receiver}, 3600);
  other.join();
}

}  // namespace
}  // namespace posewire::service
