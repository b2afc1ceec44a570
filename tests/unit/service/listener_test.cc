#include "libs/service/listener.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/service/tcp_pair.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Listener> Open(const std::string& text, const ListenerOptions& options = {}) {
  auto listener = Listener::Open(*ParseListenAddress(text), options, Logger());
  EXPECT_TRUE(listener.ok()) << listener.status();
  return listener.ok() ? *std::move(listener) : nullptr;
}

absl::Status Rejection(const ListenAddress& address) {
  return Listener::Open(address, {}, Logger()).status();
}

// Keeps what it is given.
class Taken {
 public:
  Listener::Take Take() {
    return [this](int, int fd) {
      std::lock_guard lock(mutex_);
      files_.emplace_back(fd);
      changed_.notify_all();
    };
  }
  // Waits until there are so many.
  bool Have(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return files_.size() >= count; });
  }
  size_t count() {
    std::lock_guard lock(mutex_);
    return files_.size();
  }
  int at(size_t i) {
    std::lock_guard lock(mutex_);
    return files_[i].get();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<files::Descriptor> files_;
};

files::Descriptor ConnectToUnix(const std::string& path) {
  files::Descriptor file(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  path.copy(to.sun_path, sizeof(to.sun_path) - 1);
  if (connect(file.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0)
    return files::Descriptor();
  return file;
}

std::string UnixPath(const char* name) {
  return absl::StrCat(::testing::TempDir(), "listener_", name, "_", getpid(), ".sock");
}

TEST(Listener, TakesConnectionsThatSendWithoutDelayAndDoNotBlock) {
  Taken taken;
  const auto listener = Open("127.0.0.1:0", {.user_timeout_ms = 10'000});
  ASSERT_GT(listener->bound().port, 0);
  // One that comes before the start waits for it.
  const files::Descriptor early = ConnectTo(AF_INET, listener->bound().port);
  ASSERT_GE(early.get(), 0);
  listener->Start(taken.Take());
  const files::Descriptor late = ConnectTo(AF_INET, listener->bound().port);
  ASSERT_TRUE(taken.Have(2));
  for (const size_t i : {0u, 1u}) {
    const int fd = taken.at(i);
    EXPECT_EQ(GetOption(fd, IPPROTO_TCP, TCP_NODELAY), 1);
    EXPECT_EQ(GetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 10'000);
    EXPECT_EQ(GetOption(fd, SOL_SOCKET, SO_REUSEPORT), 0);
    EXPECT_NE(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Listener, AWildcardAndANameTakeIpv4AndIpv6) {
  const files::Descriptor v6(socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  if (bind(v6.get(), reinterpret_cast<sockaddr*>(&loopback), sizeof(loopback)) != 0) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  for (const char* text : {"0.0.0.0:0", "[::]:0"}) {
    Taken taken;
    const auto listener = Open(text);
    listener->Start(taken.Take());
    const files::Descriptor one = ConnectTo(AF_INET, listener->bound().port);
    const files::Descriptor other = ConnectTo(AF_INET6, listener->bound().port);
    EXPECT_TRUE(taken.Have(2)) << text;
  }
  Taken taken;
  const auto listener = Open("[::1]:0");
  listener->Start(taken.Take());
  EXPECT_LT(ConnectTo(AF_INET, listener->bound().port).get(), 0);
  const files::Descriptor other = ConnectTo(AF_INET6, listener->bound().port);
  EXPECT_TRUE(taken.Have(1));
}

TEST(Listener, ListensAtAllAddressesOfANameOnOnePort) {
  auto addresses = ResolveListen({.host = "localhost", .port = 0, .unix_path = ""});
  ASSERT_TRUE(addresses.ok());
  Taken taken;
  const auto listener = Open("localhost:0");
  EXPECT_EQ(listener->bound().host, "localhost");
  listener->Start(taken.Take());
  std::vector<files::Descriptor> clients;
  for (const SocketAddress& address : *addresses) {
    clients.push_back(ConnectTo(address.storage.ss_family, listener->bound().port));
  }
  EXPECT_TRUE(taken.Have(clients.size()));
}

TEST(Listener, APortHasOneListener) {
  for (const char* text : {"127.0.0.1:0", "0.0.0.0:0", "localhost:0"}) {
    auto listener = Open(text);
    EXPECT_EQ(Rejection(listener->bound()).code(), absl::StatusCode::kAlreadyExists) << text;
    ListenAddress everywhere = listener->bound();
    everywhere.host = "0.0.0.0";
    EXPECT_EQ(Rejection(everywhere).code(), absl::StatusCode::kAlreadyExists) << text;
    const ListenAddress bound = listener->bound();
    listener->Stop();
    EXPECT_TRUE(Rejection(bound).ok()) << text;
  }
}

TEST(Listener, ListensAgainAtOnceWhereConnectionsWereClosed) {
  Taken taken;
  auto listener = Open("127.0.0.1:0");
  listener->Start(taken.Take());
  const files::Descriptor client = ConnectTo(AF_INET, listener->bound().port);
  ASSERT_TRUE(taken.Have(1));
  const ListenAddress bound = listener->bound();
  listener.reset();
  EXPECT_TRUE(Rejection(bound).ok());  // although the connection is still there
}

TEST(Listener, SaysWhyItCannotListen) {
  EXPECT_EQ(Rejection({.host = "192.0.2.1", .port = 0, .unix_path = ""}).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Rejection({.host = "no such host", .port = 0, .unix_path = ""}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Rejection({.host = "", .port = 0, .unix_path = std::string(200, 'x')}).code(),
            absl::StatusCode::kUnavailable);
  const absl::Status nowhere = Rejection({.host = "", .port = 0, .unix_path = "/no/such/folder/x"});
  EXPECT_EQ(nowhere.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(nowhere.message()), HasSubstr("No such file"));
}

TEST(Listener, TakesOverAUnixSocketThatNobodyListensOn) {
  const std::string path = UnixPath("stale");
  {
    // As a process that was killed leaves it.
    const files::Descriptor dead(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un stale{};
    stale.sun_family = AF_UNIX;
    path.copy(stale.sun_path, sizeof(stale.sun_path) - 1);
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<sockaddr*>(&stale), sizeof(stale)), 0);
  }
  Taken taken;
  const auto listener = Open("unix:" + path);
  listener->Start(taken.Take());
  const files::Descriptor client = ConnectToUnix(path);
  EXPECT_TRUE(taken.Have(1));
  EXPECT_EQ(Rejection(listener->bound()).code(), absl::StatusCode::kAlreadyExists);
  listener->Stop();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Listener, LeavesTheFilesOfOthersAlone) {
  const std::string path = UnixPath("mine");
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  const absl::Status status = Rejection({.host = "", .port = 0, .unix_path = path});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no socket"));
  ASSERT_EQ(unlink(path.c_str()), 0);
  // Someone takes the place of a listener that still runs.
  auto first = Open("unix:" + path);
  ASSERT_EQ(unlink(path.c_str()), 0);
  const auto second = Open("unix:" + path);
  first.reset();
  EXPECT_GE(ConnectToUnix(path).get(), 0);
}

TEST(Listener, GoesOnAfterALackOfFileDescriptors) {
  Taken taken;
  const auto listener = Open("127.0.0.1:0", {.user_timeout_ms = 0, .pause_ms = 5});
  listener->Start(taken.Take());
  const files::Descriptor first = ConnectTo(AF_INET, listener->bound().port);
  ASSERT_TRUE(taken.Have(1));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  // The client has the last free number.
  const files::Descriptor probe(dup(0));
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(probe.get()) + 2;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  const files::Descriptor second = ConnectTo(AF_INET, listener->bound().port);
  EXPECT_GE(second.get(), 0);
  EXPECT_LT(dup(0), 0);
  // Whatever it does meanwhile, it cannot take the second one.
  EXPECT_EQ(taken.count(), 1u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(taken.Have(2));
}

TEST(Listener, TakesAThousandAtOnce) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2500) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur < 2500) GTEST_SKIP() << "too few files may be open";
  Taken taken;
  const auto listener = Open("127.0.0.1:0");
  std::vector<files::Descriptor> clients;
  for (int i = 0; i < 500; ++i) clients.push_back(ConnectTo(AF_INET, listener->bound().port));
  listener->Start(taken.Take());
  for (int i = 0; i < 500; ++i) clients.push_back(ConnectTo(AF_INET, listener->bound().port));
  EXPECT_TRUE(taken.Have(1000));
}

TEST(Listener, RejectsWhoComesAfterTheStop) {
  Taken taken;
  const auto listener = Open("127.0.0.1:0");
  listener->Start(taken.Take());
  listener->Stop();
  EXPECT_LT(ConnectTo(AF_INET, listener->bound().port).get(), 0);
  listener->Stop();
  EXPECT_EQ(taken.count(), 0u);
}

}  // namespace
}  // namespace posewire::service
