// The output streams and exit codes of subcommands.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CONSOLE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CONSOLE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "libs/program/terminal_text.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

enum ExitCode : int {
  kDone = 0,
  kNo = 1,     // failed; or the answer is no: invalid, different, nothing recovered
  kUsage = 2,  // wrong command line
  kLoss = 3,   // recovered, and something was lost
};

// A stream for users. Only literals are trusted: every other text may come from a clip, a file or a
// file name, and goes through program::TerminalText.
class Output {
 public:
  Output(std::ostream& stream) : stream_(stream) {}  // NOLINT(google-explicit-constructor)

  template <size_t kSize>
  const Output& operator<<(const char (&ours)[kSize]) const {
    stream_ << ours;
    return *this;
  }
  template <typename Text>
  requires(std::is_convertible_v<const Text&, absl::string_view> &&
           !std::is_array_v<Text>) const Output&
  operator<<(const Text& text) const {
    stream_ << program::TerminalText(text);
    return *this;
  }
  const Output& operator<<(std::integral auto number) const {
    stream_ << number;
    return *this;
  }

  // absl::StrFormat with a trusted format and untrusted texts.
  template <typename T>
  using Shown =
      std::conditional_t<std::is_convertible_v<const T&, absl::string_view>, std::string, T>;
  template <typename... Args>
  void Print(const absl::FormatSpec<Shown<Args>...>& format, const Args&... args) const {
    stream_ << absl::StrFormat(format, Show(args)...);
  }

  // For trusted text only: tables and lines made here, and control sequences.
  std::ostream& stream() const { return stream_; }

 private:
  template <typename T>
  static Shown<T> Show(const T& value) {
    if constexpr (std::is_convertible_v<const T&, absl::string_view>) {
      return program::TerminalText(value);
    } else {
      return value;
    }
  }

  std::ostream& stream_;
};

struct Console {
  Output out;
  Output err;
  bool progress = false;  // err is a terminal
  std::shared_ptr<PartFiles> parts = std::make_shared<PartFiles>();
};

// Prints "animclip COMMAND: what" and the next step, and returns kNo. Lines after the first of an
// error are indented, so that none can pass for another message.
int Fail(const Console& console, absl::string_view command, const absl::Status& status,
         absl::string_view next_step);

// Prints "animclip: warning: what", a line each.
void Warn(const Console& console, const std::vector<std::string>& what);

// The stream for reporting that `path` was written: not standard output if the clip itself goes
// there.
const Output& Report(const Console& console, absl::string_view path);

// A progress bar on the error stream while a file is read. Draws only if the console shows
// progress, and only when the whole percent changes; erases itself at the end.
class ProgressBar {
 public:
  ProgressBar(const Console& console, absl::string_view label, int64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void At(int64_t position);

 private:
  const Console& console_;
  std::string label_;
  int64_t total_;
  int percent_ = -1;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CONSOLE_H_
