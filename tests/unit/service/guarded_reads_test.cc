#include "libs/service/guarded_reads.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/files/descriptor.h"

namespace posewire::service {
namespace {

struct Pair {
  Pair() {
    std::array<int, 2> fds{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()), 0);
    server = files::Descriptor(fds[0]);
    client = files::Descriptor(fds[1]);
  }
  void Send(const std::vector<uint8_t>& bytes) const {
    EXPECT_EQ(write(client.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // As gRPC does it, into two buffers.
  ssize_t Read() const {
    std::array<char, 1000> one{};
    std::array<char, 60000> two{};
    std::array<iovec, 2> parts{iovec{one.data(), one.size()}, iovec{two.data(), two.size()}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return recvmsg(server.get(), &message, 0);
  }
  files::Descriptor server, client;
};

// A preface, and so many pings of no size.
std::vector<uint8_t> Pings(size_t count) {
  std::vector<uint8_t> out(24);
  for (size_t i = 0; i < count; ++i) out.insert(out.end(), {0, 0, 0, 6, 0, 0, 0, 0, 0});
  return out;
}

class GuardedReads : public testing::Test {
 protected:
  static constexpr size_t kMost = 200;
  void Guard(const Pair& pair) {
    GuardReads(pair.server.get(), {.control_frames_at_once = kMost, .control_frames_per_s = 0},
               cut_);
  }
  std::vector<std::string> told_;
  std::shared_ptr<const OnCut> cut_ =
      std::make_shared<const OnCut>([this](int, const char* why) { told_.emplace_back(why); });
};

TEST_F(GuardedReads, PassesOnWhatIsWithinTheLimits) {
  const Pair pair;
  Guard(pair);
  const std::vector<uint8_t> bytes = Pings(kMost);
  pair.Send(bytes);
  EXPECT_EQ(pair.Read(), static_cast<ssize_t>(bytes.size()));
  EXPECT_TRUE(told_.empty());
}

TEST_F(GuardedReads, EndsAConnectionBeyondThemAndSaysSoToBothSides) {
  const Pair pair;
  Guard(pair);
  pair.Send(Pings(kMost + 1));
  EXPECT_EQ(pair.Read(), -1);
  EXPECT_EQ(errno, ECONNRESET);
  ASSERT_EQ(told_.size(), 1u);
  std::array<char, 200> said{};
  const ssize_t size = read(pair.client.get(), said.data(), said.size());
  ASSERT_EQ(size, static_cast<ssize_t>(17 + told_[0].size()));
  EXPECT_EQ(said[3], 7);    // GOAWAY
  EXPECT_EQ(said[16], 11);  // ENHANCE_YOUR_CALM
  EXPECT_EQ(std::string(&said[17]), told_[0]);
}

TEST_F(GuardedReads, LeavesAnotherSocketOfTheSameNumberAlone) {
  int number = -1;
  {
    const Pair pair;
    Guard(pair);
    number = pair.server.get();
  }
  const Pair other;
  ASSERT_EQ(other.server.get(), number);
  const std::vector<uint8_t> bytes = Pings(kMost + 1);
  for (int i = 0; i < 3; ++i) {
    other.Send(bytes);
    EXPECT_EQ(other.Read(), static_cast<ssize_t>(bytes.size()));
  }
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace posewire::service
