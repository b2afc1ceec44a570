// ./bench motion: see motion_measures.h.
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "tests/bench/motion/motion_measures.h"

int main(int argc, char** argv) {
  int scripts = 10000;
  const bool read = argc == 1 || (argc == 3 && std::string(argv[1]) == "--scripts" &&
                                  absl::SimpleAtoi(argv[2], &scripts) && scripts > 0);
  if (!read) {
    std::fprintf(stderr, "usage: posewire_motion [--scripts N]\n");
    return 2;
  }
  return posewire::RunMotion(scripts);
}
