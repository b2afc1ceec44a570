#include "libs/service/connection_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/service/tcp_pair.h"

namespace posewire::service {
namespace {

// The peer of `server`, as gRPC says it.
std::string PeerOf(const TcpPair& pair) {
  sockaddr_in name{};
  socklen_t size = sizeof(name);
  getsockname(pair.client.get(), reinterpret_cast<sockaddr*>(&name), &size);
  return absl::StrCat("ipv4:127.0.0.1:", ntohs(name.sin_port));
}

TEST(ConnectionTable, FindsAConnectionByItsPeer) {
  ConnectionTable table;
  const TcpPair one, two;
  EXPECT_EQ(table.Find(PeerOf(one)), -1);
  EXPECT_TRUE(table.Add(one.server.get()).ok());
  EXPECT_TRUE(table.Add(two.server.get()).ok());
  EXPECT_EQ(table.Find(PeerOf(one)), one.server.get());
  EXPECT_EQ(table.Find(PeerOf(two)), two.server.get());
  EXPECT_EQ(table.Find("ipv4:127.0.0.1:1"), -1);
  EXPECT_EQ(table.Find(""), -1);
}

TEST(ConnectionTable, ANewerConnectionTakesTheNumberOfAnOlder) {
  ConnectionTable table;
  TcpPair old;
  const std::string gone = PeerOf(old);
  const int number = old.server.get();
  ASSERT_TRUE(table.Add(number).ok());
  TcpPair other;
  ASSERT_EQ(dup2(other.server.get(), number), number);
  ASSERT_TRUE(table.Add(number).ok());
  EXPECT_EQ(table.Find(gone), -1);
  EXPECT_EQ(table.Find(PeerOf(other)), number);
}

TEST(ConnectionTable, APeerThatHasComeBackKeepsItsNewNumber) {
  ConnectionTable table;
  const TcpPair pair, third;
  // The same peer, first by another number.
  const files::Descriptor first(dup(pair.server.get()));
  ASSERT_TRUE(table.Add(first.get()).ok());
  ASSERT_TRUE(table.Add(pair.server.get()).ok());
  EXPECT_EQ(table.Find(PeerOf(pair)), pair.server.get());
  ASSERT_EQ(dup2(third.server.get(), first.get()), first.get());
  ASSERT_TRUE(table.Add(first.get()).ok());
  EXPECT_EQ(table.Find(PeerOf(pair)), pair.server.get());
  EXPECT_EQ(table.Find(PeerOf(third)), first.get());
}

TEST(ConnectionTable, RejectsASocketWithoutAPeerAndIgnoresUnixSockets) {
  ConnectionTable table;
  const files::Descriptor alone(socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_FALSE(table.Add(alone.get()).ok());
  EXPECT_FALSE(table.Add(1 << 20).ok());
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const files::Descriptor one(ends[0]), other(ends[1]);
  EXPECT_TRUE(table.Add(one.get()).ok());
  EXPECT_EQ(table.Find("unix:"), -1);
  EXPECT_EQ(table.Find(""), -1);
}

TEST(ConnectionTable, RejectsMoreThanMayBeOpenUntilOneIsClosed) {
  ConnectionTable table({.all = 2, .of_address = 2});
  const TcpPair one;
  auto two = std::make_unique<TcpPair>();
  ASSERT_TRUE(table.Add(one.server.get()).ok());
  ASSERT_TRUE(table.Add(two->server.get()).ok());
  const TcpPair three;
  const absl::Status rejected = table.Add(three.server.get());
  EXPECT_TRUE(absl::IsResourceExhausted(rejected));
  EXPECT_EQ(rejected.message(),
            "2 connections are open of ipv4:127.0.0.1, and --max-connections-per-address allows 2; "
            "try again in 5 s");
  EXPECT_EQ(table.Find(PeerOf(three)), -1);
  two = nullptr;
  absl::Status again = table.Add(three.server.get());
  while (!again.ok()) again = table.Add(three.server.get());  // it looks 20 times a second
  EXPECT_EQ(table.all().used(), 2);
}

TEST(ConnectionTable, OfAllAddressesTogether) {
  ConnectionTable table({.all = 1, .of_address = 2});
  const TcpPair one, two;
  ASSERT_TRUE(table.Add(one.server.get()).ok());
  EXPECT_EQ(table.Add(two.server.get()).message(),
            "1 connections are open, and --max-connections allows 1; try again in 5 s");
  EXPECT_EQ(table.all().rejections(), 1);
}

}  // namespace
}  // namespace posewire::service
