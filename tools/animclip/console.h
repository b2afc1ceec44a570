// Where a subcommand writes, and with what it ends.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CONSOLE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CONSOLE_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::animclip {

enum ExitCode : int {
  kDone = 0,
  kNo = 1,     // failed; or the answer is no: invalid, different, nothing recovered
  kUsage = 2,  // wrong command line
  kLoss = 3,   // recovered, and something was lost
};

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool progress = false;  // err is a terminal
};

// Prints "animclip COMMAND: what" and the next step, and returns kNo.
int Fail(const Console& console, absl::string_view command, const absl::Status& status,
         absl::string_view next_step);

// Prints "animclip: warning: what", unless that is empty.
void Warn(const Console& console, absl::string_view what);

// Where to say that `path` was written: not between the bytes of a clip on standard output.
std::ostream& Report(const Console& console, absl::string_view path);

// A bar on the error stream while a file is read. Draws only when the console shows progress, and
// only when the whole percent changes; wipes itself out at the end.
class Progress {
 public:
  Progress(const Console& console, absl::string_view label, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void At(int64_t position);

 private:
  const Console& console_;
  std::string label_;
  int64_t total_;
  int percent_ = -1;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CONSOLE_H_
