// Runs the ffmpeg program as a child process.
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
class ChildProcess {
 public:
  // UNAVAILABLE, with advice on how to get it, if there is no ffmpeg on the PATH.
  static absl::StatusOr<ChildProcess> Start(std::vector<std::string> arguments,
                                            absl::Span<const program::ChildDescriptor> descriptors);
  ChildProcess() = default;
  // Asks it to end, and waits for that; kills it after 2 s.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  // Waits for its end. Returns true if it exited with 0. Call once.
  bool Wait();
  // The same without waiting: nothing while it runs.
  std::optional<bool> Ended();
  void Kill(int signal) const;
  // Limits its address space in bytes. Returns false if that fails.
  bool LimitMemory(size_t bytes) const;

 private:
  explicit ChildProcess(pid_t child) : child_(child) {}

  pid_t child_ = -1;  // -1: none, or it has been waited for
};

// Returns arguments for a first input of raw RGB pictures, 8 bits per channel, on standard input,
// at `rate` per second. Only errors are printed, on standard error.
std::vector<std::string> PictureInput(int width, int height, const std::string& rate);

// Returns a file's name so that ffmpeg takes it literally: it would read 12:30.mp4 as a protocol.
std::string FileName(const std::string& path);

}  // namespace posewire::ffmpeg

#endif  // POSEWIRE_LIBS_FFMPEG_PROCESS_H_
