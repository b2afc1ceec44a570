#include "tools/animclip/console.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace posewire::animclip {
namespace {

constexpr int kBarWidth = 30;

// Names the command of a flag that errors and warnings about stages mention, for commands that do
// not have it.
std::string WithCommand(absl::string_view message) {
  return absl::StrReplaceAll(message,
                             {{"(--outside-skel-root ", "(animclip convert --outside-skel-root "}});
}

bool HasOutsideSkelRoot(absl::string_view command) {
  return command == "info" || command == "convert" || command == "retarget" || command == "export";
}

}  // namespace

int Fail(const Console& console, absl::string_view command, const absl::Status& status,
         absl::string_view next_step) {
  console.err << "animclip " << command << ": ";
  const std::string message(status.message());
  console.err.stream() << program::TerminalLines(HasOutsideSkelRoot(command) ? message
                                                                             : WithCommand(message))
                       << "\n";
  if (!next_step.empty()) console.err << "  " << next_step << "\n";
  return kNo;
}

void Warn(const Console& console, const std::vector<std::string>& what) {
  for (const std::string& one : what)
    console.err << "animclip: warning: " << WithCommand(one) << "\n";
}

const Output& Report(const Console& console, absl::string_view path) {
  return path == "-" ? console.err : console.out;
}

ProgressBar::ProgressBar(const Console& console, absl::string_view label, int64_t total)
    : console_(console), label_(label), total_(std::max<int64_t>(total, 1)) {}

ProgressBar::~ProgressBar() {
  if (percent_ >= 0) console_.err.stream() << "\r\x1b[K" << std::flush;
}

void ProgressBar::At(int64_t position) {
  if (!console_.progress) return;
  const int percent = static_cast<int>(std::clamp<int64_t>(100 * position / total_, 0, 100));
  if (percent == percent_) return;
  percent_ = percent;
  const int full = percent * kBarWidth / 100;
  console_.err.stream() << "\r" << label_ << " [" << std::string(static_cast<size_t>(full), '#')
                        << std::string(static_cast<size_t>(kBarWidth - full), ' ') << "] "
                        << percent << "%" << std::flush;
}

}  // namespace posewire::animclip
