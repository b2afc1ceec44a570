// next_to_ozz: the jobs on poses beside those of ozz-animation.
//
//   next_to_ozz [ROUNDS]
//
// Built by next_to_ozz.sh, which says how to get ozz-animation.
#include <cstdint>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "tests/bench/next_to_ozz/comparison.h"
#include "tests/unit/skel/targets.h"

int main(int argc, char** argv) {
  int rounds = 500;
  if (argc > 2 || (argc == 2 && (!absl::SimpleAtoi(argv[1], &rounds) || rounds < 1))) {
    std::fprintf(stderr, "usage: next_to_ozz [ROUNDS]\n");
    return 1;
  }
  for (const int64_t target : posewire::skel::Targets()) {
    if (target > HWY_SSE4 || target == HWY_AVX3_DL) continue;
    posewire::skel::UseTarget((hwy::SupportedTargets() | HWY_STATIC_TARGET) & ~(target - 1));
    std::printf("%s\n", hwy::TargetName(target));
    posewire::bench::CompareWithOzz(rounds);
  }
  return 0;
}
