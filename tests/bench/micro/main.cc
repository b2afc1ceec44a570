// posewire_micro: Google Benchmark with a choice of the instruction set.
//
//   posewire_micro [--targets=NAME | --list_targets] [--benchmark_...]
//
// Names are Highway's in lower case: avx3 is AVX-512, and the last is what every CPU runs. With
// --targets all kernels run as on a CPU that has nothing better than NAME, without it on the best
// that this one has.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/unit/skel/targets.h"

namespace {

std::string NameOf(int64_t target) { return absl::AsciiStrToLower(hwy::TargetName(target)); }

// Best first, the last what every CPU runs. Highway's numbers grow as instruction sets get worse.
std::vector<int64_t> Targets() {
  std::vector<int64_t> targets = posewire::skel::Targets();
  std::erase_if(targets, [](int64_t target) { return target >= HWY_STATIC_TARGET; });
  targets.push_back(HWY_STATIC_TARGET);
  return targets;
}

std::string Names() {
  std::string names;
  for (const int64_t target : Targets()) {
    absl::StrAppend(&names, names.empty() ? "" : " ", NameOf(target));
  }
  return names;
}

// Not every kernel is made for every target: one that is not takes the next worse.
bool Choose(absl::string_view name) {
  for (const int64_t target : Targets()) {
    if (NameOf(target) != name) continue;
    posewire::skel::UseTarget((hwy::SupportedTargets() | HWY_STATIC_TARGET) & ~(target - 1));
    return true;
  }
  std::cerr << "posewire_micro: this CPU has no target " << name << "; it has " << Names() << "\n";
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  // What is not ours is left for Google Benchmark.
  constexpr absl::string_view kTargets = "--targets=";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (argument == "--list_targets") {
      std::cout << Names() << "\n";
      return 0;
    }
    if (!absl::StartsWith(argument, kTargets)) {
      argv[kept++] = argv[i];
    } else if (!Choose(argument.substr(kTargets.size()))) {
      return 1;
    }
  }
  argv[kept] = nullptr;
  benchmark::Initialize(&kept, argv);
  if (benchmark::ReportUnrecognizedArguments(kept, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
