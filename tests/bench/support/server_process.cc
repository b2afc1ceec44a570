#include "tests/bench/support/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"

namespace posewire::bench {
namespace {

constexpr double kPatience_s = 10;

absl::Status Errno(const char* what, int error) {
  return absl::InternalError(absl::StrCat(what, ": ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerProcess>> ServerProcess::Start(
    std::vector<std::string> command, const std::string& log_path) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return Errno("pipe", errno);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_path.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::unique_ptr<ServerProcess> server(new ServerProcess);
  server->stdout_fd_ = fds[0];
  server->started_s_ = client::SteadySeconds();
  const int error = posix_spawn(&server->pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(fds[1]);
  if (error != 0) {
    server->pid_ = -1;
    return Errno(argv[0], error);
  }
  if (absl::Status s = server->AwaitPort(fds[0]); !s.ok()) {
    return absl::Status(s.code(), absl::StrCat(command[0], ": ", s.message(), "; see ", log_path));
  }
  return server;
}

absl::Status ServerProcess::AwaitPort(int fd) {
  static constexpr char kKey[] = "\"grpc_port\":";
  std::string text;
  while (true) {
    const double left_s = started_s_ + kPatience_s - client::SteadySeconds();
    pollfd p{fd, POLLIN, 0};
    const int n = left_s > 0 ? poll(&p, 1, static_cast<int>(left_s * 1000) + 1) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::DeadlineExceededError("it named no port within 10 s");
    char buffer[256];
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) return absl::UnavailableError("it ended before it named a port");
    text.append(buffer, static_cast<size_t>(got));
    const size_t at = text.find(kKey);
    if (at == std::string::npos || text.find('}', at) == std::string::npos) continue;
    ready_s_ = client::SteadySeconds();
    port_ = std::atoi(text.c_str() + at + sizeof kKey - 1);
    return absl::OkStatus();
  }
}

std::string ServerProcess::address() const { return absl::StrCat("127.0.0.1:", port_); }

absl::Status ServerProcess::Stop() {
  if (pid_ <= 0) return absl::OkStatus();
  kill(pid_, SIGTERM);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the server ended with wait status ", status));
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (stdout_fd_ >= 0) close(stdout_fd_);
}

}  // namespace posewire::bench
