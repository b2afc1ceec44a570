#include "hwy/targets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>

namespace {

// As the kernel has found them.
std::set<std::string> FlagsOfTheCpu() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line);
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

TEST(Targets, AreThoseThatTheSystemNames) {
  const std::set<std::string> flags = FlagsOfTheCpu();
  if (flags.empty()) GTEST_SKIP() << "the system does not tell the CPU's flags";
  bool all = true;
  const auto expect = [&](int64_t target, std::initializer_list<const char*> needed) {
    for (const char* flag : needed) all = all && flags.count(flag) != 0;
    EXPECT_EQ((hwy::SupportedTargets() & target) != 0, all) << hwy::TargetName(target);
  };
  expect(HWY_SSSE3, {"ssse3"});
  expect(HWY_SSE4, {"sse4_1", "sse4_2", "pclmulqdq", "aes"});
  expect(HWY_AVX2, {"avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "abm"});
  expect(HWY_AVX3, {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"});
  expect(HWY_AVX3_DL, {"avx512_vnni", "vpclmulqdq", "avx512vbmi", "avx512_vbmi2", "vaes",
                       "avx512_vpopcntdq", "avx512_bitalg"});
}

TEST(Targets, CanBeLessForATest) {
  const int64_t all = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(HWY_SSE4);
  EXPECT_EQ(hwy::SupportedTargets(), HWY_SSE4);
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(hwy::SupportedTargets(), all);
}

TEST(Targets, ThatAreDisabledAreNotUsed) {
  const int64_t all = hwy::SupportedTargets();
  hwy::DisableTargets(HWY_AVX2 | HWY_AVX3);
  EXPECT_EQ(hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3), 0);
  hwy::DisableTargets(~int64_t{0});
  EXPECT_NE(hwy::SupportedTargets(), 0);
  hwy::DisableTargets(0);
  EXPECT_EQ(hwy::SupportedTargets(), all);
}

}  // namespace
