// Runs work on every instruction set of this CPU that the kernels are made for, and on plain code.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_TARGETS_H_
#define POSEWIRE_TESTS_UNIT_SKEL_TARGETS_H_

#include <cstdint>
#include <vector>

#include "hwy/targets.h"

namespace posewire::skel {

// Best first; the last is the code that every CPU runs.
inline std::vector<int64_t> Targets() {
  hwy::SetSupportedTargetsForTest(0);
  std::vector<int64_t> targets;
  for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    targets.push_back(left & -left);
  }
  return targets;
}

// Kernels run on `target` from here on.
inline void UseTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Back to the best.
inline void UseBestTarget() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace posewire::skel

#endif  // POSEWIRE_TESTS_UNIT_SKEL_TARGETS_H_
