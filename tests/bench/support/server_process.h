// A server of ours as a child process, for what is measured from outside.
#ifndef POSEWIRE_TESTS_BENCH_SUPPORT_SERVER_PROCESS_H_
#define POSEWIRE_TESTS_BENCH_SUPPORT_SERVER_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace posewire::bench {

// One thread. Times are seconds of the steady clock, as client::SteadySeconds.
class ServerProcess {
 public:
  // Starts `command` (program and arguments) with its log in the file `log_path`, and waits until
  // it says on which port it listens. UNAVAILABLE when it ends before, DEADLINE_EXCEEDED when it
  // says nothing for 10 s.
  static absl::StatusOr<std::unique_ptr<ServerProcess>> Start(std::vector<std::string> command,
                                                              const std::string& log_path);
  // Kills it when Stop was not called.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  pid_t pid() const { return pid_; }
  std::string address() const;
  // Just before the process was made, and when its line about the port had come.
  double started_s() const { return started_s_; }
  double ready_s() const { return ready_s_; }

  // Asks it to drain and waits for its end. INTERNAL when that was no good end.
  absl::Status Stop();

 private:
  ServerProcess() = default;
  absl::Status AwaitPort(int fd);

  pid_t pid_ = -1;
  int stdout_fd_ = -1;
  int port_ = 0;
  double started_s_ = 0;
  double ready_s_ = 0;
};

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_SUPPORT_SERVER_PROCESS_H_
