// `a2f_source talk`: avatars of one stream speak to each other in turn.
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/asset/block_reader.h"
#include "libs/client/pull_client.h"
#include "libs/client/uuid.h"
#include "libs/files/file.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/core/dialogue.h"
#include "services/a2f_source/request/run_request.h"
#include "services/a2f_source/say/run_say.h"

namespace posewire::a2f_source {
namespace {

// Pause between two turns: people leave 0.2 s on average (Stivers et al., "Universals and cultural
// variation in turn-taking in conversation", PNAS 106, 2009).
constexpr double kGap_s = 0.2;
constexpr size_t kMost_bytes = 1 << 20;

// A voice server may have voices that it does not list.
absl::StatusOr<std::vector<Turn>> ReadTurns(const std::string& path, VoiceCatalog& voices,
                                            bool has_server, bool has_fallback,
                                            const service::Process& process) {
  auto file = files::File::OpenMaybePipe(path, [&process] { return process.StopRequested(); });
  if (!file.ok()) return file.status();
  asset::BlockReader bytes(*std::move(file));
  const absl::StatusOr<std::string> text = asset::ReadWhole(bytes, kMost_bytes);
  if (!text.ok()) return text.status();
  std::vector<std::string> names;
  const VoiceCatalog::Listing listing = voices.List();
  // A server that cannot be asked would not speak either, but the fallback voice may.
  if (!listing.server.ok() && !absl::IsNotFound(listing.server) && !has_fallback) {
    return listing.server;
  }
  for (const speech::VoiceInfo& voice : listing.voices) names.push_back(voice.name);
  auto turns = ReadDialogue(*text, names, has_server);
  if (turns.ok()) return turns;
  return absl::Status(turns.status().code(), absl::StrCat(path, ": ", turns.status().message()));
}

// Pulls a request from its first tick to its last, which a push does not report: it is answered
// when all data was received. Because it is pulled, an avatar created for it begins at once.
class Listener {
 public:
  Listener(const SourceSettings& source, const service::Logger& log) : pull_(Options(source, log)) {
    thread_ = std::thread([this] {
      client::PullEvent event;
      while (pull_.Next(-1, &event)) {
        if (event.kind == client::PullEvent::kEnd) break;
      }
      ended_.set_value();
    });
  }
  ~Listener() {
    pull_.Cancel();
    thread_.join();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Returns false if the process should stop.
  bool Wait(service::Process& process) {
    std::future<void> ended = ended_.get_future();
    while (ended.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
      if (process.StopRequested()) return false;
    }
    return true;
  }

 private:
  static client::PullOptions Options(const SourceSettings& source, const service::Logger& log) {
    client::PullOptions options;
    options.connection = source.Push(log).connection;
    options.connection.on_event = nullptr;  // the push reports them
    options.ids = {source.request_id, source.stream_id, source.target_id};
    return options;
  }

  client::PullClient pull_;
  std::promise<void> ended_;
  std::thread thread_;
};

struct TalkCommand : service::Command {
  TalkCommand(const SourceSettings& source, const VoiceConfig& speaks)
      : Command("talk", "Has several avatars of a stream speak in turn, as a file says.",
                {"a2f_source talk talk.txt --stream-id s1"}),
        source(source),
        speaks(speaks) {}

  std::string file;  // FILE
  const SourceSettings& source;
  const VoiceConfig& speaks;

  void Declare(service::Flags& flags) override;
  // Speaks the lines of the file (core/dialogue.h), each as a request to the avatar of that name,
  // after the previous one has ended. Returns 2 for a file that cannot be read.
  int Run(service::Process& process, const service::Logger& log) override;
};

void TalkCommand::Declare(service::Flags& flags) {
  flags.AddPositional(name, "FILE", &file,
                      "Lines such as anna [slt]: Hello, Ben. A speaker needs the voice only once.",
                      {.required = true});
}

int TalkCommand::Run(service::Process& process, const service::Logger& log) {
  const auto voices = speaks.Open(/*patient=*/std::isinf(source.Rate()));
  if (!voices.ok()) return service::FailToStart(log, voices.status());
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  const auto turns =
      ReadTurns(file, **voices, !speaks.server.empty(), !speaks.fallback.empty(), process);
  if (absl::IsCancelled(turns.status())) return 128 + process.signal();
  if (!turns.ok()) return service::FailToStart(log, turns.status());
  SourceSettings one = source;
  one.stream_id = source.Ids().stream_id;
  VoiceConfig voice = speaks;
  do {
    for (const Turn& turn : *turns) {
      one.request_id = client::MakeUuid();
      one.target_id = turn.who;
      voice.voice = turn.voice;
      log.Info("says", {{"target_object_id", turn.who}, {"text", turn.text}});
      Listener listener(one, log);
      const int code = RunSay(one, voice, turn.text, **voices, nullptr, process, log);
      if (code != 0) return code;
      if (!listener.Wait(process) || process.WaitForStopFor(kGap_s)) {
        return 128 + process.signal();
      }
    }
  } while (source.loop);
  return 0;
}

}  // namespace

std::unique_ptr<service::Command> MakeTalk(const SourceSettings& source,
                                           const VoiceConfig& speaks) {
  return std::make_unique<TalkCommand>(source, speaks);
}

}  // namespace posewire::a2f_source
