// `renderer_sink record`: writes a pull to a clip file.
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_format.h"
#include "libs/shapes/shape_set.h"
#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/grpc/request_probe.h"
#include "services/renderer_sink/pull/run_pull.h"
#include "services/renderer_sink/record/record_cast.h"
#include "services/renderer_sink/record/record_consumer.h"
#include "services/renderer_sink/record/shapes_consumer.h"

namespace posewire::renderer_sink {
namespace {

absl::Status CheckOut(absl::string_view path) {
  return clipio::FormatOf(path, clipio::FormatUse::kWrite).status();
}

// Each field is a flag, an environment variable and a config key; see --help.
struct RecordCommand : service::Command {
  explicit RecordCommand(const PullSettings& pull)
      : Command("record", "Writes the pull to a clip file, and its voice to a WAV file next to it.",
                {"renderer_sink record take.animdata --stream-id s1",
                 "renderer_sink record take.animdata --from none --listen 127.0.0.1:51004"}),
        pull(pull) {}

  std::string out;  // OUT
  bool overwrite = false;
  bool requests_only = false;
  bool all_avatars = false;
  bool split_usd = false;
  int take_mib = 256;
  const PullSettings& pull;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;
};

void RecordCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.AddPositional(name, "OUT", &out,
                      "Clip: .animdata, .jsonl, or .bvh and others, which are written at the end. "
                      "An existing file stays: take-2.animdata is written instead.",
                      {.required = true, .check = CheckOut});
  flags.Group("What to record");
  flags.Add("overwrite", &overwrite, "Replace existing files.");
  flags.Add("requests-only", &requests_only,
            "Record only while requests play, each time into a file of its own.");
  flags.Add("all-avatars", &all_avatars,
            "All avatars of the stream, with their places, into one .animdata; the WAV has the "
            "voice of the first one.");
  flags.Add("split-usd", &split_usd,
            "Of a .usda: the skeleton as OUT.rig.usda and the animation as OUT.clip.usda.");
  flags.Add("take-mib", &take_mib,
            "MiB of keys that a clip which is written at its end may hold; then a new take begins.",
            {.min = 1, .max = 1024});
  flags.AddCheck([this] {
    if (!requests_only || !pull.pushed()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--requests-only is for a server, which is asked what plays; with --from none, only "
        "requests arrive anyway");
  });
  flags.AddCheck([this] {
    if (!all_avatars) return absl::OkStatus();
    const char* const other = pull.pushed()              ? "--from none"
                              : !pull.target_id.empty()  ? "--target-id"
                              : !pull.request_id.empty() ? "--request-id"
                              : !pull.shapes.empty()     ? "--shapes"
                              : requests_only            ? "--requests-only"
                                                         : nullptr;
    if (other != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("--all-avatars: not with ", other));
    }
    if (absl::EndsWithIgnoreCase(out, ".animdata")) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--all-avatars: OUT must end in .animdata; animclip convert turns it into .usda and .glb");
  });
  flags.AddCheck([this] {
    if (!split_usd || absl::EndsWithIgnoreCase(out, ".usda")) return absl::OkStatus();
    return absl::InvalidArgumentError("--split-usd is for a .usda");
  });
  flags.AddCheck([this] {
    if (!requests_only || out != "-") return absl::OkStatus();
    return absl::InvalidArgumentError("--requests-only writes several files; OUT cannot be -");
  });
}

int RecordCommand::Run(service::Process& process, const service::Logger& log) {
  // If the clip goes to standard output, nothing else may.
  std::FILE* const told = out == "-" ? stderr : stdout;
  PullRun run{.options = pull.Pull(log), .ready = told, .summary = told};
  const auto options_of_take = [&] {
    RecordOptions options{.recorder = {.path = out,
                                       .overwrite = overwrite,
                                       .split_usd = split_usd,
                                       .most_held_bytes = static_cast<size_t>(take_mib) << 20}};
    options.written = [told](const std::string& file) {
      PrintLine(told, absl::StrCat("wrote ", file));
    };
    return options;
  };
  if (all_avatars) {
    run.make_cast = [&](const std::string&) { return RecordCast::Create(options_of_take(), log); };
  }
  run.make = [&]() -> absl::StatusOr<std::unique_ptr<Consumer>> {
    RecordOptions options = options_of_take();
    if (requests_only) {
      const auto probe = std::make_shared<RequestProbe>(run.options.connection);
      options.playing = [probe](const auto& ids) { return probe->Playing(ids); };
    }
    auto consumer = RecordConsumer::Create(options, log);
    if (!consumer.ok() || pull.shapes.empty()) return consumer;
    return std::make_unique<ShapesConsumer>(*std::move(consumer), *shapes::FindSet(pull.shapes),
                                            log);
  };
  return RunPull(pull, run, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeRecord(const PullSettings& pull) {
  return std::make_unique<RecordCommand>(pull);
}

}  // namespace posewire::renderer_sink
