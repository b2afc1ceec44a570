// `renderer_sink print`: prints a line for each frame.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/core/frame_line.h"
#include "services/renderer_sink/pull/run_pull.h"

namespace posewire::renderer_sink {
namespace {

// Prints one line per message to `out`, including messages that violate the protocol, or nothing.
class PrintConsumer : public Consumer {
 public:
  PrintConsumer(std::FILE* out, bool lines) : out_(out), lines_(lines) {}

  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk& status, const wire::MessageBytes& bytes) override;
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) override;
  absl::Status Tick(double) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  absl::Status Print(const std::string& line);

  std::FILE* out_;
  bool lines_;
  wire::StreamHeader header_;
};

absl::Status PrintConsumer::Print(const std::string& line) {
  if (std::fprintf(out_, "%s\n", line.c_str()) < 0 || std::fflush(out_) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status PrintConsumer::OnHeader(const wire::StreamHeader& header, const wire::MessageBytes&) {
  header_ = header;
  return lines_ ? Print(FrameLine(header)) : absl::OkStatus();
}

absl::Status PrintConsumer::OnData(const wire::DataChunk& data, const wire::MessageBytes&, double) {
  return lines_ ? Print(FrameLine(data, header_)) : absl::OkStatus();
}

absl::Status PrintConsumer::OnStatus(const wire::StatusChunk& status, const wire::MessageBytes&) {
  return lines_ ? Print(FrameLine(status)) : absl::OkStatus();
}

absl::Status PrintConsumer::OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) {
  return lines_ ? Print(FaultyLine(bytes->size(), why)) : absl::OkStatus();
}

// Each field is a flag, an environment variable and a config key; see --help.
struct PrintCommand : service::Command {
  explicit PrintCommand(const PullSettings& pull)
      : Command("print", "Prints a line for each frame.",
                {"renderer_sink print --stream-id s1 --duration 5"}),
        pull(pull) {}

  bool summary = false;
  const PullSettings& pull;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;
};

void PrintCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.Group("What to say");
  flags.Add("summary", &summary, "Print the summary alone.");
}

int PrintCommand::Run(service::Process& process, const service::Logger& log) {
  PullRun run{.options = pull.Pull(log), .ready = stderr};
  // The summary could be mistaken for a frame's line.
  if (!summary) run.summary = stderr;
  run.make = [this] { return std::make_unique<PrintConsumer>(stdout, !summary); };
  return RunPull(pull, run, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakePrint(const PullSettings& pull) {
  return std::make_unique<PrintCommand>(pull);
}

}  // namespace posewire::renderer_sink
