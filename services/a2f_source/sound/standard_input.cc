#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "services/a2f_source/sound/pcm_stream.h"

namespace posewire::a2f_source {
namespace {

constexpr int kLook_ms = 100;  // between looks whether to stop

class Input : public clipio::ByteSource {
 public:
  explicit Input(std::function<bool()> stopped) : stopped_(std::move(stopped)) {}

  const std::string& name() const override { return name_; }
  int64_t Size() const override { return 0; }
  absl::Status Seek(int64_t) override {
    return absl::UnimplementedError(absl::StrCat(name_, ": cannot seek in a pipe"));
  }

  absl::StatusOr<size_t> Read(absl::Span<char> to) override {
    for (;;) {
      if (stopped_()) return absl::CancelledError("told to stop");
      pollfd waiting{STDIN_FILENO, POLLIN, 0};
      if (poll(&waiting, 1, kLook_ms) == 0) continue;
      const ssize_t got = read(STDIN_FILENO, to.data(), to.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR && errno != EAGAIN) {
        return absl::UnavailableError(absl::StrCat(name_, ": ", std::strerror(errno)));
      }
    }
  }

 private:
  const std::string name_ = "standard input";
  std::function<bool()> stopped_;
};

}  // namespace

std::unique_ptr<clipio::ByteSource> StandardInput(std::function<bool()> stopped) {
  return std::make_unique<Input>(std::move(stopped));
}

}  // namespace posewire::a2f_source
