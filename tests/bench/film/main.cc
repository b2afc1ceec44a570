// ./bench film: see film_measures.h, and take_error.h for the error of a take.
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "tests/bench/film/film_measures.h"
#include "tests/bench/film/take_error.h"

int main(int argc, char** argv) {
  int characters = 30, threads = 2;
  double seconds = 3, from_s = 0, to_s = 1e9;
  std::string take, offsets;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const bool read = flag == "--characters" ? absl::SimpleAtoi(argv[i + 1], &characters)
                      : flag == "--threads"  ? absl::SimpleAtoi(argv[i + 1], &threads)
                      : flag == "--seconds"  ? absl::SimpleAtod(argv[i + 1], &seconds)
                      : flag == "--from"     ? absl::SimpleAtod(argv[i + 1], &from_s)
                      : flag == "--to"       ? absl::SimpleAtod(argv[i + 1], &to_s)
                      : flag == "--take"     ? !(take = argv[i + 1]).empty()
                      : flag == "--offsets"  ? !(offsets = argv[i + 1]).empty()
                                             : false;
    if (read && characters > 0 && threads > 0 && seconds > 0) continue;
    std::fprintf(stderr,
                 "usage: posewire_film [--characters N] [--threads N] [--seconds S]\n"
                 "       posewire_film --take FILE --offsets WHERE [--from S] [--to S]\n");
    return 2;
  }
  if (!take.empty()) return posewire::RunTakeError(take, offsets, from_s, to_s);
  return posewire::RunFilm(characters, threads, seconds);
}
