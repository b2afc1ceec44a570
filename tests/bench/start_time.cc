#include "tests/bench/start_time.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "libs/client/pull_client.h"
#include "tests/bench/support/server_process.h"

namespace posewire::bench {
namespace {

constexpr double kPatience_s = 10;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// When the header of a pull has come.
absl::StatusOr<double> FirstAnswer(const std::string& address) {
  client::PullOptions options;
  options.connection.address = address;
  options.ids.stream_id = "start";
  client::PullClient pull(options);
  client::PullEvent event;
  if (!pull.Next(kPatience_s, &event)) return absl::DeadlineExceededError("a pull got no header");
  if (event.kind != client::PullEvent::kHeader) {
    return absl::UnavailableError(absl::StrCat("a pull got no header: ", event.why.ToString()));
  }
  return event.receive_time_s;
}

}  // namespace

absl::Status MeasureStart(const std::vector<std::string>& command, const std::string& log_path,
                          int runs, Measures& measures) {
  std::vector<double> ready_s, answer_s;
  for (int i = 0; i < runs; ++i) {
    auto server = ServerProcess::Start(command, log_path);
    if (!server.ok()) return server.status();
    const absl::StatusOr<double> answered_s = FirstAnswer((*server)->address());
    if (!answered_s.ok()) return answered_s.status();
    ready_s.push_back((*server)->ready_s() - (*server)->started_s());
    answer_s.push_back(*answered_s - (*server)->started_s());
    if (absl::Status s = (*server)->Stop(); !s.ok()) return s;
  }
  measures.Add("start_to_ready_median", Median(ready_s), "s");
  measures.Add("start_to_first_rpc_median", Median(answer_s), "s");
  measures.Add("start_to_first_rpc_min", *std::min_element(answer_s.begin(), answer_s.end()), "s");
  measures.Add("start_to_first_rpc_max", *std::max_element(answer_s.begin(), answer_s.end()), "s");
  return absl::OkStatus();
}

}  // namespace posewire::bench
