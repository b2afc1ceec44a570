// The part of Highway's library that its headers need: detects which instruction sets this CPU has.
//
// The library itself is not linked. When loaded, it measures the CPU's clock thousands of times for
// its benchmarks. On virtual machines that trap this, each program would start 15 to 30 ms later.
#include "hwy/targets.h"

#include <cpuid.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace hwy {
namespace {

// 0: not set.
std::atomic<int64_t>& ForTest() {
  static std::atomic<int64_t> targets{0};
  return targets;
}
std::atomic<int64_t>& Disabled() {
  static std::atomic<int64_t> targets{0};
  return targets;
}

// Instruction sets for which __builtin_cpu_supports has no name.
bool HasHalfFloats() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 29 & 1) != 0;
}
bool HasLeadingZeroCount() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (c >> 5 & 1) != 0;
}

// Each target requires all of the previous one. The compiler's functions also check whether the
// system saves the wide registers.
int64_t Detect() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("ssse3")) return 0;
  int64_t targets = HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.1") || !__builtin_cpu_supports("sse4.2") ||
      !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("aes")) {
    return targets;
  }
  targets |= HWY_SSE4;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") || !HasHalfFloats() ||
      !HasLeadingZeroCount()) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512cd")) {
    return targets;
  }
  targets |= HWY_AVX3;
  if (!__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("vpclmulqdq") ||
      !__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512vbmi2") ||
      !__builtin_cpu_supports("avx512vpopcntdq") || !__builtin_cpu_supports("avx512bitalg")) {
    return targets;
  }
#ifndef __clang__  // clang 14 has no name for it; every CPU with all the others has it too
  if (!__builtin_cpu_supports("vaes")) return targets;
#endif
  return targets | HWY_AVX3_DL;
}

}  // namespace

int64_t SupportedTargets() {
  int64_t targets = ForTest().load();
  if (targets == 0) targets = Detect();
  targets &= ~Disabled().load();
  return targets == 0 ? HWY_STATIC_TARGET : targets;
}

void SetSupportedTargetsForTest(int64_t targets) {
  ForTest() = targets;
  GetChosenTarget().DeInit();
}

void DisableTargets(int64_t disabled) {
  Disabled() = disabled & ~static_cast<int64_t>(HWY_STATIC_TARGET);
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: ", file, line);
  va_list rest;
  va_start(rest, format);
  std::vfprintf(stderr, format, rest);
  va_end(rest);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace hwy
