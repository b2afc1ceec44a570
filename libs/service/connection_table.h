// Which socket a call came by: gRPC tells the peer's name alone. And how many sockets there are,
// of whom.
#ifndef POSEWIRE_LIBS_SERVICE_CONNECTION_TABLE_H_
#define POSEWIRE_LIBS_SERVICE_CONNECTION_TABLE_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/stream/budget.h"

namespace posewire::service {

struct ConnectionLimits {
  int all = 1024;
  int of_address = 512;  // of one IP address; unix sockets are not asked
};

// The connections that were taken. Nobody tells it of their end: a name stays until another
// connection gets its number, so that there are never more than the process has had files open at
// once. What Find returns may therefore be closed, or be another file by now. Where there are too
// many it looks which are still open, at most 20 times a second. Thread-safe.
class ConnectionTable {
 public:
  explicit ConnectionTable(const ConnectionLimits& limits = {});

  // Before calls may come by `fd`. UNAVAILABLE when it has lost its peer already,
  // RESOURCE_EXHAUSTED over a limit: it is not taken then.
  absl::Status Add(int fd);
  // `peer` is that of grpc::ServerContext: "ipv4:127.0.0.1:4711", "ipv6:%5B::1%5D:4711". -1 when no
  // TCP connection has had this name, as with unix sockets.
  int Find(absl::string_view peer) const;
  // The peer of a connection that is still open; empty for a unix socket.
  std::string NameOf(int fd) const;

  // What is open, as far as it was looked.
  const stream::Budget& all() const { return all_; }
  const stream::Limit& of_address() const { return of_address_; }

 private:
  struct Connection {
    std::string name;
    std::string address;  // without the port
    uint64_t cookie = 0;  // 0: it is known to be closed, and is not counted
  };
  absl::Status Admit(const std::string& address);  // with mutex_ held, as the next two
  void ForgetClosed();
  void Forget(Connection& connection);

  stream::Budget all_;
  const stream::Limit of_address_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, int> fds_;         // guarded by mutex_
  absl::flat_hash_map<std::string, int> by_address_;  // guarded by mutex_
  std::vector<Connection> connections_;               // by fd; guarded by mutex_
  std::chrono::steady_clock::time_point next_look_;   // guarded by mutex_
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_CONNECTION_TABLE_H_
