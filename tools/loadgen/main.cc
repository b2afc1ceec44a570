// loadgen: drives a server with many pushes and pulls, and says how it bears them.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "libs/program/terminal_text.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/flags/flags.h"
#include "tools/loadgen/h2/load.h"

namespace {

using posewire::loadgen::LoadOptions;
using posewire::loadgen::LoadResult;
using posewire::program::TerminalText;

// One JSON object, units in the names.
std::string ToJson(const LoadOptions& o, const LoadResult& r) {
  const double frames = static_cast<double>(std::max<int64_t>(1, r.frames));
  return absl::StrFormat(
      "{\"pushes\": %d, \"pulls\": %d, \"pulls_of_each\": %d, \"seconds\": %.3f, \"frames\": %d, "
      "\"expected_frames\": %d, "
      "\"lateness_p50_ms\": %.3f, \"lateness_p90_ms\": %.3f, \"lateness_p99_ms\": %.3f, "
      "\"lateness_max_ms\": %.3f, \"missed_ticks\": %d, \"frames_without_pose\": %d, "
      "\"mb_per_s\": %.2f, \"voice_breaks\": %d, \"silent_samples\": %d, \"spoken_samples\": %d, "
      "\"late_pushes\": %d, \"failed_calls\": %d, \"server_cpu_share\": %.4f, "
      "\"server_cpu_us_per_frame\": %.2f, \"server_mib\": %.3f, \"own_cpu_share\": %.4f, "
      "\"own_cpu_us_per_frame\": %.2f}",
      o.pushes, o.pulls, o.pulls_of_each, r.counted_s, r.frames, r.expected_frames,
      r.lateness.PercentileMs(50), r.lateness.PercentileMs(90), r.lateness.PercentileMs(99),
      r.lateness.PercentileMs(100), r.missed_ticks, r.frames_without_pose,
      static_cast<double>(r.bytes) / 1e6 / r.counted_s, r.voice_breaks, r.silent_samples,
      r.spoken_samples, r.late_pushes, r.failed_calls, r.server_cpu_s / r.counted_s,
      r.server_cpu_s * 1e6 / frames, static_cast<double>(r.server_resident_bytes) / (1 << 20),
      r.own_cpu_s / r.counted_s, r.own_cpu_s * 1e6 / frames);
}

}  // namespace

static int Run(int argc, char** argv) {
  LoadOptions options;
  posewire::service::Flags flags(
      {.name = "loadgen",
       .summary = "Drives an anim_graph with pushes and pulls at 30 frames a second, and prints "
                  "throughput, lateness and the server's CPU as JSON.",
       .examples = {"loadgen --to 127.0.0.1:51000 --pushes 100 --pulls 100 --pid $(pidof "
                    "anim_graph)"}});
  flags.Add("to", &options.to, "Address of the server, HOST:PORT or unix:PATH.",
            {.value_name = "ADDRESS"});
  flags.Add("pushes", &options.pushes, "Streams that are pushed.", {.min = 0, .max = 10000});
  flags.Add("pulls", &options.pulls, "Streams that are pulled; those beyond the pushed ones idle.",
            {.min = 1, .max = 10000});
  flags.Add("pulls-of-each", &options.pulls_of_each, "Pulls of each stream that is pulled.",
            {.min = 1, .max = 1000});
  flags.Add("seconds", &options.seconds, "How long is counted.", {.min = 0.1, .max = 86400});
  flags.Add("warm-up-s", &options.warm_up_s, "Seconds before the counting.",
            {.min = 0, .max = 600});
  flags.Add("mode", &options.mode, "Playback of what is pushed.", {.choices = {"stall", "live"}});
  flags.Add("sparse", &options.sparse, "Whether pulls get only what changes of poses.",
            {.choices = {"0", "1", "quantised"}});
  flags.Add("pid", &options.pid, "The server's process, for its CPU and memory.", {.min = 0});
  flags.Add("streams-per-channel", &options.streams_per_channel, "Calls on one connection.",
            {.min = 1, .max = 99});
  if (std::optional<int> code = flags.Parse(argc, argv)) return *code;

  const auto result = posewire::loadgen::RunLoad(options);
  if (!result.ok()) {
    std::cerr << "loadgen: " << TerminalText(result.status().ToString()) << "\n";
    return 1;
  }
  std::cout << ToJson(options, *result) << "\n";
  if (result->failed_calls > 0) {
    std::cerr << "loadgen: " << result->failed_calls << " calls failed, the first with "
              << TerminalText(result->first_failure) << "\n";
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  return posewire::service::CatchExceptionsInMain("loadgen", [&] { return Run(argc, argv); });
}
