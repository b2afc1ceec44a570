// Takes connections, TCP and unix, and hands them on: for a server that does not accept by itself.
#ifndef POSEWIRE_LIBS_SERVICE_LISTENER_H_
#define POSEWIRE_LIBS_SERVICE_LISTENER_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/files/descriptor.h"
#include "libs/service/address.h"
#include "libs/service/logger.h"

namespace posewire::service {

struct ListenerOptions {
  // A TCP connection whose peer has acknowledged nothing for so long is lost. 0: the system's time.
  int user_timeout_ms = 0;
  // After connections could not be accepted, for want of file descriptors or memory.
  int pause_ms = 100;
};

// Of one thread, but for its own thread that accepts.
class Listener {
 public:
  // `fd` is the caller's to close, unless this throws. On the listener's thread.
  using Take = std::function<void(int listener_fd, int fd)>;

  // Binds and listens. Connections wait in the system until Start. A host name is bound at all its
  // addresses on one port, and 0.0.0.0 as well as :: takes IPv4 and IPv6. A unix socket that nobody
  // listens on is replaced. A port has one listener: SO_REUSEPORT is off.
  //
  // ALREADY_EXISTS when someone listens there, UNAVAILABLE with the system's reason when it cannot
  // be bound, INVALID_ARGUMENT for a host that has no address.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const ListenAddress& address,
                                                        const ListenerOptions& options, Logger log);
  ~Listener() { Stop(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // With the port that was found for port 0.
  const ListenAddress& bound() const { return bound_; }

  // Once. Sockets that are taken do not block, close on exec, and TCP sends without delay.
  void Start(Take take);
  // No connection is taken when this has returned; those that wait are refused, and the file of the
  // unix socket is gone, unless it is another's by now. May be called again.
  void Stop();

 private:
  Listener(ListenAddress address, const ListenerOptions& options, Logger log);

  absl::Status OpenTcp();
  absl::Status OpenUnix();
  void Run();
  bool TakeAll(int listener);

  ListenAddress bound_;
  const ListenerOptions options_;
  const Logger log_;
  std::vector<files::Descriptor> sockets_;
  // Of the unix socket that was made.
  dev_t device_ = 0;
  ino_t inode_ = 0;
  files::Descriptor stop_;
  Take take_;
  bool failing_ = false;  // connections still wait since that was logged; of the thread
  std::thread thread_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LISTENER_H_
