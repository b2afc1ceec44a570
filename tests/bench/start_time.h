// How long a server takes from its start to its first answer.
#ifndef POSEWIRE_TESTS_BENCH_START_TIME_H_
#define POSEWIRE_TESTS_BENCH_START_TIME_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/bench/support/measures.h"

namespace posewire::bench {

// Starts `command` `runs` times. Each time a pull is opened as soon as the server has named its
// port, and the time is taken when the pull's header has come. Adds, in seconds and as medians and
// extremes: start_to_ready (the port is named), start_to_first_rpc (the header has come).
absl::Status MeasureStart(const std::vector<std::string>& command, const std::string& log_path,
                          int runs, Measures& measures);

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_START_TIME_H_
