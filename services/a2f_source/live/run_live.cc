#include "services/a2f_source/live/run_live.h"

#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/clipio/clip_format.h"
#include "libs/service/address.h"
#include "libs/service/grpc_host.h"
#include "libs/service/udp_socket.h"
#include "services/a2f_source/live/capture.h"
#include "services/a2f_source/live/live_output.h"
#include "services/a2f_source/live/warn_pace.h"
#include "services/a2f_source/request/run_request.h"

namespace posewire::a2f_source {
namespace {

constexpr double kLook_s = 0.1;      // between two checks whether to stop
constexpr int kMostAtOnce = 1000;    // datagrams between two clock readings
constexpr double kKeepLive_s = 0.2;  // late data is useless in a live stream

struct Ports {
  std::optional<service::UdpReceiver> main, performer;
};

absl::StatusOr<Ports> Listen(const LiveRunSettings& settings, ChosenSender* sender) {
  Ports ports;
  const std::string host = settings.live.host.find(':') == std::string::npos
                               ? settings.live.host
                               : absl::StrCat("[", settings.live.host, "]");
  const std::string port =
      settings.live.port.empty() ? absl::StrCat(settings.protocol.port) : settings.live.port;
  auto main = service::UdpReceiver::Bind(absl::StrCat(host, ":", port), settings.allow_plaintext);
  if (!main.ok()) return main.status();
  ports.main = *std::move(main);
  if (sender != nullptr) {
    if (absl::Status s = sender->Find(*ports.main, settings.live.host); !s.ok()) return s;
  }
  if (settings.protocol.performer_port.empty()) return ports;
  auto performer = service::UdpReceiver::Bind(
      absl::StrCat(host, ":", settings.protocol.performer_port), settings.allow_plaintext);
  if (!performer.ok()) return performer.status();
  ports.performer = *std::move(performer);
  return ports;
}

void Announce(const Ports& ports, const LiveRunSettings& settings, const service::Logger& log) {
  const LiveProtocol& protocol = settings.protocol;
  std::string ready = absl::StrCat("{\"", protocol.port_key, "\": ", ports.main->port());
  const auto tell = [&](const std::string& what, const service::UdpReceiver& socket) {
    const service::ListenAddress address{settings.live.host, socket.port(), ""};
    log.Info(what, {{"address", address.ToString()}});
  };
  tell(protocol.listening, *ports.main);
  if (ports.performer) {
    absl::StrAppend(&ready, ", \"performer_port\": ", ports.performer->port());
    tell(protocol.performing, *ports.performer);
  }
  std::printf("%s}\n", ready.c_str());
  std::fflush(stdout);
}

void ReceiveLive(const LiveRunSettings& settings, Ports& ports, ChosenSender* sender,
                 service::Process& process, LiveInput& input, LiveOutput& output,
                 CaptureWriter* capture, const service::Logger& log) {
  auto waiter = std::make_shared<service::UdpWaiter>();
  process.OnStop([waiter] { waiter->Wake(); });
  std::vector<const service::UdpReceiver*> sockets = {&*ports.main};
  if (ports.performer) sockets.push_back(&*ports.performer);
  std::vector<char> buffer(service::kMaxUdpBytes);
  const auto drain = [&](service::UdpReceiver& socket, VmcPort port) {
    service::SocketAddress from;
    for (int i = 0; i < kMostAtOnce; ++i) {
      const auto size = socket.Receive(absl::MakeSpan(buffer), &from);
      if (!size) return;
      const double now_s = client::SteadySeconds();
      if (sender != nullptr && !sender->Takes(from, now_s)) continue;
      const absl::string_view datagram(buffer.data(), *size);
      if (capture != nullptr) capture->Write(datagram, port, now_s);
      input.Offer(datagram, port, now_s);
    }
  };
  const double period_s = settings.fps.period_s();
  const double start_s = client::SteadySeconds();
  double next_s = start_s;
  bool waited = false;
  while (!process.StopRequested() && output.status().ok()) {
    waiter->Wait(sockets, next_s - client::SteadySeconds());
    drain(*ports.main, VmcPort::kMarionette);
    if (ports.performer) drain(*ports.performer, VmcPort::kPerformer);
    const double now_s = client::SteadySeconds();
    if (now_s < next_s) continue;
    input.Tick(now_s);
    // Skips missed ticks.
    next_s += period_s * std::ceil((now_s - next_s) / period_s + 1e-9);
    input.Report(now_s, log);
    if (sender != nullptr) sender->Tick(*ports.main, now_s, log);
    if (!waited && now_s - start_s > kWarnPeriod_s && input.datagrams() == 0) {
      waited = true;
      log.Warning(settings.protocol.none_yet, {{"port", ports.main->port()}});
    }
  }
}

void ReplayLive(const LiveRunSettings& settings, const std::vector<CapturedDatagram>& capture,
                service::Process& process, LiveInput& input, LiveOutput& output,
                const service::Logger& log) {
  process.OnStop(output.Canceller());
  const double start_s = client::SteadySeconds();
  const auto wait_until = [&](double at_s) {
    if (std::isinf(settings.rate)) return !process.StopRequested();
    const double left_s = start_s + at_s / settings.rate - client::SteadySeconds();
    return left_s > 0 ? !process.WaitForStopFor(left_s) : !process.StopRequested();
  };
  int64_t tick = 0;
  const auto tick_until = [&](double end_s) {
    for (; settings.fps.SecondsAt(tick) <= end_s && output.status().ok(); ++tick) {
      if (!wait_until(settings.fps.SecondsAt(tick))) return false;
      input.Tick(settings.fps.SecondsAt(tick));
      input.Report(settings.fps.SecondsAt(tick), log);
    }
    return output.status().ok();
  };
  for (const CapturedDatagram& d : capture) {
    if (!tick_until(d.time_s) || !wait_until(d.time_s)) return;
    input.Offer(d.bytes, d.port, d.time_s);
  }
  if (!capture.empty()) tick_until(capture.back().time_s + settings.fps.period_s());
}

// Returns false if the process was told to stop.
bool WaitForPull(const LiveRunSettings& settings, PullHost* host, service::Process& process) {
  const wire::StreamIds ids{settings.ids.request_id, settings.ids.stream_id,
                            settings.ids.target_id};
  const PullRegistry::Stop none;
  while (!process.StopRequested()) {
    if (host->room().WaitForPull(ids, kLook_s, none).ok()) return true;
  }
  return false;
}

void LogCounts(const LiveInput& input, const ChosenSender* sender, const LiveOutput& output,
               const service::Logger& log) {
  std::vector<service::LogField> fields = input.Counts();
  if (sender != nullptr) fields.emplace_back("other_senders", sender->others());
  fields.emplace_back("dropped", output.dropped());
  log.Write(service::LogLevel::kInfo, "ended", fields.data(), fields.size());
}

// Returns the settings of a run, with what suits live data where the user has chosen nothing.
LiveRunSettings SettingsOf(const LiveProtocol& protocol, const LiveConfig& live,
                           const SourceSettings& source, const service::Logger& log) {
  LiveRunSettings run;
  run.live = live;
  run.protocol = protocol;
  run.fps = source.Fps(/*otherwise=*/60);
  run.ids = source.Ids();
  run.rate = source.Rate();
  run.out = source.out;
  run.push = source.Push(log);
  run.pulled_only = source.pulled_only();
  run.push.keep_s = kKeepLive_s;
  if (source.mode.empty()) run.push.mode = "live";
  if (source.prebuffer_s.empty()) run.push.prebuffer_s = "0";
  run.allow_plaintext = source.grpc.allow_plaintext;
  return run;
}

// With a `host`, the requests can be pulled, too.
int RunProtocol(const LiveRunSettings& settings, const MakeLiveInput& make, PullHost* host,
                service::Process& process, const service::Logger& log) {
  if (!settings.out.empty() && settings.out != "-") {
    const auto format = clipio::FormatOf(settings.out, clipio::FormatUse::kWrite);
    if (!format.ok()) {
      return service::FailToStart(log, format.status());
    }
  }
  const bool replay = !settings.live.replay.empty();
  absl::StatusOr<std::vector<CapturedDatagram>> replayed;
  absl::StatusOr<Ports> ports;
  std::optional<ChosenSender> chosen;
  if (settings.protocol.sender && !replay) {
    chosen.emplace(*settings.protocol.sender, settings.live.gone_s);
  }
  ChosenSender* const sender = chosen ? &*chosen : nullptr;
  if (replay) {
    replayed = ReadCapture(settings.live.replay);
    if (!replayed.ok()) return service::FailToStart(log, replayed.status());
  } else {
    ports = Listen(settings, sender);
    if (!ports.ok()) return service::FailToStart(log, ports.status());
  }
  LiveOutput output(settings, host != nullptr ? &host->room() : nullptr,
                    !settings.out.empty() || (replay && std::isinf(settings.rate)), process, log);
  auto input = make(&output);
  if (!input.ok()) return service::FailToStart(log, input.status());
  std::unique_ptr<CaptureWriter> capture;
  if (!settings.live.dump.empty()) {
    auto made = CaptureWriter::Create(settings.live.dump);
    if (!made.ok()) return service::FailToStart(log, made.status());
    capture = *std::move(made);
  }
  log.Info(replay ? "begins" : "waits for a performer",
           {{"stream_id", settings.ids.stream_id}, {"request_id", settings.ids.request_id}});
  if (host != nullptr) {
    host->room().AddStream(settings.ids.stream_id);
    host->grpc().AnnounceReady();
  }
  if (replay && settings.pulled_only && host != nullptr && !WaitForPull(settings, host, process)) {
    return 0;
  }
  if (replay) {
    ReplayLive(settings, *replayed, process, **input, output, log);
  } else {
    Announce(*ports, settings, log);
    ReceiveLive(settings, *ports, sender, process, **input, output, capture.get(), log);
  }
  (*input)->Finish();
  output.Close();
  if (host != nullptr) {
    if (process.StopRequested()) {
      host->grpc().Drain([host](double budget_s) { host->room().Drain(budget_s); });
    }
    host->Close();
  }
  absl::Status status;
  if (!(replay && process.StopRequested())) status = output.status();
  if (capture) {
    const absl::Status closed = capture->Close();
    if (status.ok()) status = closed;
  }
  LogCounts(**input, sender, output, log);
  return status.ok() ? 0 : service::Fail(log, status);
}

}  // namespace

int RunLive(const LiveProtocol& protocol, const MakeLiveInput& make, const LiveConfig& live,
            const SourceSettings& source, service::Process& process, const service::Logger& log) {
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  return RunProtocol(SettingsOf(protocol, live, source, log), make, host->get(), process, log);
}

}  // namespace posewire::a2f_source
