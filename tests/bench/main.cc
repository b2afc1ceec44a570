// posewire_bench: measures an anim_graph process from outside.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/service/flags/flags.h"
#include "tests/bench/live_latency.h"
#include "tests/bench/start_time.h"
#include "tests/bench/support/measures.h"
#include "tests/bench/support/server_process.h"

namespace {

namespace bench = posewire::bench;

struct Config {
  std::string server = "anim_graph";
  std::string log = "/dev/null";
  std::string json;
  double seconds = 60;
  int runs = 20;
};

absl::Status Run(const std::string& command, const Config& config, bench::Measures& measures) {
  const std::vector<std::string> server = {config.server, "--listen", "127.0.0.1:0"};
  if (command == "start") return bench::MeasureStart(server, config.log, config.runs, measures);
  auto process = bench::ServerProcess::Start(server, config.log);
  if (!process.ok()) return process.status();
  const bench::LatencyOptions options{(*process)->address(), config.seconds};
  if (absl::Status s = bench::MeasureLiveLatency(options, measures); !s.ok()) return s;
  return (*process)->Stop();
}

}  // namespace

int main(int argc, char** argv) {
  Config config;
  posewire::service::Flags flags(
      {.name = "posewire_bench",
       .summary = "Measures an anim_graph process from outside.",
       .examples = {"posewire_bench latency --server build/release/bin/anim_graph --seconds 5"}});
  flags.Add("server", &config.server, "The anim_graph program.", {.value_name = "FILE"});
  flags.Add("log", &config.log, "Where the server's log goes.", {.value_name = "FILE"});
  flags.Add("json", &config.json, "Writes the measures there.", {.value_name = "FILE"});
  flags.AddCommand("latency", "Push to pull in live mode.");
  flags.AddCommand("start", "Start of the process to its first answer.");
  flags.Add("seconds", &config.seconds, "How long keys are counted.",
            {.min = 1, .max = 3600, .commands = {"latency"}});
  flags.Add("runs", &config.runs, "How many starts.",
            {.min = 1, .max = 1000, .commands = {"start"}});
  if (std::optional<int> code = flags.Parse(argc, argv)) return *code;

  bench::Measures measures;
  absl::Status status = Run(flags.command(), config, measures);
  if (status.ok() && !config.json.empty()) status = measures.WriteJson(config.json);
  if (!status.ok()) {
    std::cerr << "posewire_bench: " << status.ToString() << "\n";
    return 1;
  }
  std::cout << measures.ToText();
  return 0;
}
