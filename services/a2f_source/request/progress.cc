#include "services/a2f_source/request/progress.h"

#include <cstdio>

namespace posewire::a2f_source {
namespace {

constexpr double kPeriod_s = 0.1;
constexpr char kClearLine[] = "\r\033[K";

}  // namespace

void ProgressLine::Show(const Progress& progress, double now_s) {
  if (!enabled_ || now_s < next_s_) return;
  next_s_ = now_s + kPeriod_s;
  shown_ = true;
  std::fprintf(stderr, "%s%s", kClearLine, ProgressText(progress, duration_s_).c_str());
  std::fflush(stderr);
}

void ProgressLine::Clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs(kClearLine, stderr);
  std::fflush(stderr);
}

}  // namespace posewire::a2f_source
