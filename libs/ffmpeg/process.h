// The ffmpeg program as a child process: how it is started, and how it ended.
#ifndef POSEWIRE_LIBS_FFMPEG_PROCESS_H_
#define POSEWIRE_LIBS_FFMPEG_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/program/child.h"

namespace posewire::ffmpeg {

// One run of ffmpeg, in a process group of its own, so that a terminal's Ctrl-C does not reach it.
// One thread.
class Process {
 public:
  // UNAVAILABLE, and says how to get it, when there is no ffmpeg on the PATH.
  static absl::StatusOr<Process> Start(std::vector<std::string> arguments,
                                       absl::Span<const program::ChildDescriptor> descriptors);
  Process() = default;
  // Asks it to end, and waits until it has; what is still there after 2 s is killed.
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  // Waits for its end: whether it ended with 0. Once only.
  bool Wait();
  // The same without waiting: nothing while it runs.
  std::optional<bool> Ended();
  void Kill(int signal) const;
  // Bytes of address space that it may have. False if it cannot be told so.
  bool LimitMemory(size_t bytes) const;

 private:
  explicit Process(pid_t child) : child_(child) {}

  pid_t child_ = -1;  // -1: none, or its end was seen
};

// Arguments for a first input of raw pictures on standard input, 8 bits of red, green and blue, as
// many a second as `rate` says. Errors alone are told, on standard error.
std::vector<std::string> PictureInput(int width, int height, const std::string& rate);

// A file's name as ffmpeg takes it whatever is in it: 12:30.mp4 would be one of a protocol.
std::string FileName(const std::string& path);

}  // namespace posewire::ffmpeg

#endif  // POSEWIRE_LIBS_FFMPEG_PROCESS_H_
