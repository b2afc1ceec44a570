#include "tools/loadgen/h2/poller.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace posewire::loadgen {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

Poller::Poller() : fd_(epoll_create1(EPOLL_CLOEXEC)) {}

Poller::~Poller() { close(fd_); }

void Poller::Arm(Connection* connection, int what, bool write) const {
  epoll_event event = {};
  event.events = write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = connection;
  epoll_ctl(fd_, what, connection->fd(), &event);
}

void Poller::Add(Connection* connection) {
  const bool write = connection->wants_write();
  if (write) writing_.insert(connection);
  Arm(connection, EPOLL_CTL_ADD, write);
}

void Poller::Flush(Connection* connection) {
  connection->Flush();
  React(connection, 0);
}

void Poller::React(Connection* connection, uint32_t events) {
  if ((events & EPOLLOUT) != 0) connection->Flush();
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) connection->Receive();
  if (connection->broken()) {
    epoll_ctl(fd_, EPOLL_CTL_DEL, connection->fd(), nullptr);
    writing_.erase(connection);
    return;
  }
  const bool write = connection->wants_write();
  if (write == writing_.contains(connection)) return;
  if (write) {
    writing_.insert(connection);
  } else {
    writing_.erase(connection);
  }
  Arm(connection, EPOLL_CTL_MOD, write);
}

void Poller::RunUntil(steady_clock::time_point until) {
  std::array<epoll_event, 64> events;
  steady_clock::time_point now;
  do {
    const auto left = std::chrono::duration_cast<nanoseconds>(until - steady_clock::now()).count();
    const int64_t wait_ns = std::max<int64_t>(0, left);
    const timespec wait = {wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
    const int count =
        epoll_pwait2(fd_, events.data(), static_cast<int>(events.size()), &wait, nullptr);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      React(static_cast<Connection*>(event.data.ptr), event.events);
    }
    now = steady_clock::now();
  } while (now < until);
}

}  // namespace posewire::loadgen
