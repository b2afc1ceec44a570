// ./bench motion: see motion_measures.h.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "tests/bench/motion/motion_measures.h"

int main(int argc, char** argv) {
  int scripts = 10000;
  uint64_t first = 1;
  std::vector<std::string> beside, spoken;
  std::string take;
  bool read = argc % 2 == 1;
  for (int i = 1; read && i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--beside") {
      beside.emplace_back(argv[i + 1]);
    } else if (flag == "--spoken") {
      spoken.emplace_back(argv[i + 1]);
    } else if (flag == "--take") {
      take = argv[i + 1];
    } else if (flag == "--first") {
      read = absl::SimpleAtoi(argv[i + 1], &first) && first > 0;
    } else {
      read = flag == "--scripts" && absl::SimpleAtoi(argv[i + 1], &scripts) && scripts > 0;
    }
  }
  if (!read) {
    std::fprintf(stderr,
                 "usage: posewire_motion [--scripts N] [--first SCRIPT] [--beside CLIP]... "
                 "[--spoken CLIP]... [--take CLIP]\n");
    return 2;
  }
  return posewire::RunMotion(scripts, first, beside, spoken, take);
}
