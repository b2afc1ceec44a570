// `a2f_source say`: speaks a text, with face and body.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/request/run_request.h"
#include "services/a2f_source/say/run_say.h"

namespace posewire::a2f_source {
namespace {

struct SayCommand : service::Command {
  SayCommand(const SourceSettings& source, const VoiceConfig& speaks)
      : Command("say", "Speaks a text, with face and body.",
                {"a2f_source say \"Hello there\" --stream-id s1",
                 "a2f_source say \"Hello\" --out hello.jsonl",
                 "a2f_source say \"Hello\" --to none --listen 127.0.0.1:51003"}),
        source(source),
        speaks(speaks) {}

  std::vector<std::string> text;  // TEXT
  const SourceSettings& source;
  const VoiceConfig& speaks;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;
};

void SayCommand::Declare(service::Flags& flags) {
  flags.AddPositional(name, "TEXT", &text, "What to say.", {.required = true});
}

int SayCommand::Run(service::Process& process, const service::Logger& log) {
  const auto voices = speaks.Open(/*patient=*/std::isinf(source.Rate()));
  if (!voices.ok()) return service::FailToStart(log, voices.status());
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  return RunSay(source, speaks, absl::StrJoin(text, " "), **voices, host->get(), process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeSay(const SourceSettings& source, const VoiceConfig& speaks) {
  return std::make_unique<SayCommand>(source, speaks);
}

}  // namespace posewire::a2f_source
