// Shows the progress of a run on one line of a terminal.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_PROGRESS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_PROGRESS_H_

#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

// Writes to standard error at most ten times a second, and overwrites the line. One thread.
class ProgressLine {
 public:
  // duration_s 0: unknown.
  ProgressLine(bool enabled, double duration_s) : enabled_(enabled), duration_s_(duration_s) {}

  void Show(const Progress& progress, double now_s);
  // Removes the line.
  void Clear();

 private:
  bool enabled_;
  double duration_s_;
  double next_s_ = 0;
  bool shown_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_PROGRESS_H_
