// Maps calls to sockets, because gRPC reports only the peer's name, and counts sockets by peer
// address.
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
  int of_address = 512;  // per IP address; unix sockets are not limited
};

// The accepted connections. There is no notification when one ends: an entry stays until another
// connection gets its descriptor number, so there are at most as many entries as the process ever
// had open files. The result of Find may therefore be closed, or be another file. At a limit, the
// table checks which connections are still open, at most 20 times a second. Thread-safe.
class ConnectionTable {
 public:
  explicit ConnectionTable(const ConnectionLimits& limits = {});

  // Call before calls can arrive on `fd`. Does not add it on error: UNAVAILABLE if the peer has
  // already disconnected, RESOURCE_EXHAUSTED over a limit.
  absl::Status Add(int fd);
  // `peer` is grpc::ServerContext's: "ipv4:127.0.0.1:4711", "ipv6:%5B::1%5D:4711". Returns -1 if no
  // TCP connection has had this name, as for unix sockets.
  int Find(absl::string_view peer) const;
  // Returns the peer of a connection that is still open; empty for a unix socket.
  std::string NameOf(int fd) const;

  // Open connections as of the last check.
  const stream::Budget& all() const { return all_; }
  const stream::Limit& of_address() const { return of_address_; }

 private:
  struct Connection {
    std::string name;
    std::string address;  // without the port
    uint64_t cookie = 0;  // 0: the connection is known to be closed, and is not counted
  };
  absl::Status Admit(const std::string& address);  // requires mutex_, as do the next two
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
