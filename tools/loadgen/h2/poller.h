// Waits for many connections at once.
#ifndef POSEWIRE_TOOLS_LOADGEN_H2_POLLER_H_
#define POSEWIRE_TOOLS_LOADGEN_H2_POLLER_H_

#include <chrono>
#include <unordered_set>

#include "tools/loadgen/h2/connection.h"

namespace posewire::loadgen {

// One thread.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // `connection` outlives what is called here.
  void Add(Connection* connection);
  // Receives, and writes data that the sockets did not accept before, until the time `until`. Polls
  // at least once.
  void RunUntil(std::chrono::steady_clock::time_point until);
  // Flushes. RunUntil writes what the socket does not accept now.
  void Flush(Connection* connection);

 private:
  void React(Connection* connection, uint32_t events);
  void Arm(Connection* connection, int what, bool write) const;

  int fd_ = -1;
  std::unordered_set<Connection*> writing_;  // those that wait for their socket to take more
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_H2_POLLER_H_
