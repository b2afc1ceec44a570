// Which socket a call came by: gRPC tells the peer's name alone.
#ifndef POSEWIRE_LIBS_SERVICE_CONNECTION_TABLE_H_
#define POSEWIRE_LIBS_SERVICE_CONNECTION_TABLE_H_

#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace posewire::service {

// The TCP connections that were taken. Nobody tells it of their end: a name stays until another
// connection gets its number, so that there are never more than the process has had files open at
// once. What Find returns may therefore be closed, or be another file by now. Thread-safe.
class ConnectionTable {
 public:
  // Before calls may come by `fd`. False when it has lost its peer already.
  bool Add(int fd);
  // `peer` is that of grpc::ServerContext: "ipv4:127.0.0.1:4711", "ipv6:%5B::1%5D:4711". -1 when no
  // TCP connection has had this name, as with unix sockets.
  int Find(absl::string_view peer) const;
  // The peer of a connection that is still open; empty for a unix socket.
  std::string NameOf(int fd) const;

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, int> fds_;  // guarded by mutex_
  std::vector<std::string> names_;             // by fd; guarded by mutex_
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_CONNECTION_TABLE_H_
