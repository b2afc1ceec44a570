// instructions: does one job a given number of times, for a tool that counts instructions.
//
//   instructions JOB TIMES
//
// JOB is one of read, encode, encode_counted, push, protobuf_parse, protobuf_serialize,
// passthrough, default. Two runs that differ in TIMES give what one time takes, without what comes
// before.
#include <cstdlib>
#include <iostream>

#include "tests/bench/instructions/jobs.h"

int main(int argc, char** argv) {
  if (argc == 3 && posewire::bench::RunJob(argv[1], std::atoll(argv[2]))) return 0;
  std::cerr << "usage: instructions JOB TIMES, and JOB is one that works\n";
  return 1;
}
