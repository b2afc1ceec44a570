// ./bench film: see film_measures.h.
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "tests/bench/film/film_measures.h"

int main(int argc, char** argv) {
  int characters = 30, threads = 2;
  double seconds = 3;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const bool read = flag == "--characters" ? absl::SimpleAtoi(argv[i + 1], &characters)
                      : flag == "--threads"  ? absl::SimpleAtoi(argv[i + 1], &threads)
                      : flag == "--seconds"  ? absl::SimpleAtod(argv[i + 1], &seconds)
                                             : false;
    if (read && characters > 0 && threads > 0 && seconds > 0) continue;
    std::fprintf(stderr, "usage: posewire_film [--characters N] [--threads N] [--seconds S]\n");
    return 2;
  }
  return posewire::RunFilm(characters, threads, seconds);
}
