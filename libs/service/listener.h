// Accepts TCP and unix connections and passes them to a server that does not accept them itself.
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
  // A TCP connection is lost if its peer has acknowledged nothing for this long. 0: the system's
  // default.
  int user_timeout_ms = 0;
  // Pause after accept failed because file descriptors or memory ran out.
  int pause_ms = 100;
};

// Used on one thread; has its own thread for accepting.
class Listener {
 public:
  // The callee must close `fd`, unless it throws. Called on the listener's thread.
  using Take = std::function<void(int listener_fd, int fd)>;

  // Binds and listens. Connections wait in the system until Start. A host name is bound at all its
  // addresses on one port; 0.0.0.0 and :: both accept IPv4 and IPv6. A unix socket without a
  // listener is replaced. A port has one listener: SO_REUSEPORT is off.
  //
  // ALREADY_EXISTS if the address is in use, UNAVAILABLE with the system's reason if it cannot be
  // bound, INVALID_ARGUMENT for a host that has no address.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const ListenAddress& address,
                                                        const ListenerOptions& options, Logger log);
  ~Listener() { Stop(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The bound address, with the selected port instead of port 0.
  const ListenAddress& bound() const { return bound_; }

  // Call once. Accepted sockets are non-blocking, close on exec, and have TCP_NODELAY.
  void Start(Take take);
  // Stops accepting; no connection is passed on after this returns. Waiting connections are
  // refused, and the unix socket's file is removed, unless it belongs to another listener by then.
  // May be called again.
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
  // Identifies the unix socket's file.
  dev_t device_ = 0;
  ino_t inode_ = 0;
  files::Descriptor stop_;
  Take take_;
  bool failing_ = false;  // accept has failed since the last log line and connections still wait;
                          // used on the thread
  std::thread thread_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LISTENER_H_
