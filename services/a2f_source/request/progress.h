// One line on a terminal that says how far a run has got.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_PROGRESS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_PROGRESS_H_

#include "services/a2f_source/core/runner.h"

namespace posewire::a2f_source {

// Written to standard error at most ten times a second, over itself. One thread.
class ProgressLine {
 public:
  // duration_s 0: unknown.
  ProgressLine(bool enabled, double duration_s) : enabled_(enabled), duration_s_(duration_s) {}

  void Show(const Progress& progress, double now_s);
  // Takes the line away.
  void Clear();

 private:
  bool enabled_;
  double duration_s_;
  double next_s_ = 0;
  bool shown_ = false;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_REQUEST_PROGRESS_H_
