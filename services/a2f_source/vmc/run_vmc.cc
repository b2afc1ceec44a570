#include "services/a2f_source/vmc/run_vmc.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/client/connection.h"
#include "libs/client/control_client.h"
#include "libs/clipio/clip_format.h"
#include "libs/files/open.h"
#include "libs/names/nearest_names.h"
#include "libs/service/address.h"
#include "libs/service/grpc_host.h"
#include "libs/service/udp_socket.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/expressions.h"
#include "services/a2f_source/pulls/served_sink.h"
#include "services/a2f_source/request/sinks.h"
#include "services/a2f_source/vmc/capture.h"
#include "services/a2f_source/vmc/request_writer.h"

namespace posewire::a2f_source {
namespace {

namespace cv1 = posewire::control::v1;

constexpr double kStop_s = 2;         // for the last request to end in order
constexpr double kLook_s = 0.1;       // between two checks whether to stop
constexpr double kWarnPeriod_s = 10;  // for each kind of warning
constexpr int kMostAtOnce = 1000;     // datagrams between two clock readings

// "take.animdata" -> "take-2.animdata", as a recorder of streams names its takes.
std::string TakePath(const std::string& path, int take) {
  if (take == 1) return path;
  const size_t slash = path.rfind('/');
  size_t dot = path.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = path.size();
  return absl::StrCat(path.substr(0, dot), "-", take, path.substr(dot));
}

// Creates the first take from the n-th on that does not exist yet, so that no other process gets
// it.
std::string MakeTake(const std::string& path, int n) {
  if (path == "-") return path;
  for (;; ++n) {
    std::string take = TakePath(path, n);
    const auto made = files::OpenToWrite(take, files::Writing::kNew);
    // Other errors are reported when the file is opened.
    if (!absl::IsAlreadyExists(made.status())) return take;
  }
}

void Set(skel::Vec3 from, cv1::Vector& to) {
  to.set_x(from.x);
  to.set_y(from.y);
  to.set_z(from.z);
}

void Set(skel::Quat from, cv1::Rotation& to) {
  to.set_w(from.w);
  to.set_x(from.x);
  to.set_y(from.y);
  to.set_z(from.z);
}

cv1::User ToProto(const VmcUser& user) {
  cv1::User out;
  out.set_name(user.name);
  if (user.head) {
    Set(user.head->at, *out.mutable_head());
    Set(user.head->turn, *out.mutable_head_rotation());
  }
  if (user.left_hand) {
    Set(user.left_hand->at, *out.mutable_left_hand());
    Set(user.left_hand->turn, *out.mutable_left_hand_rotation());
  }
  if (user.right_hand) {
    Set(user.right_hand->at, *out.mutable_right_hand());
    Set(user.right_hand->turn, *out.mutable_right_hand_rotation());
  }
  if (user.gaze) Set(*user.gaze, *out.mutable_gaze());
  out.set_speaks(user.speaks);
  return out;
}

// The current push, shared with the thread that may cancel it.
struct CurrentPush {
  std::mutex mutex;
  std::shared_ptr<PushSink> sink;
  bool cancelled = false;

  std::shared_ptr<PushSink> Open(const client::PushOptions& options) {
    auto next = std::make_shared<PushSink>(options);
    std::lock_guard lock(mutex);
    if (cancelled) next->Cancel();
    sink = next;
    return next;
  }
  void Cancel() {
    std::lock_guard lock(mutex);
    cancelled = true;
    if (sink) sink->Cancel();
  }
};

// A session's output: requests directly (a file, a burst) or through a queue, users and events to
// the control service.
class Output : public VmcOutput {
 public:
  Output(const VmcRunSettings& settings, PullRegistry* room, bool at_once,
         service::Process& process, const service::Logger& log)
      : log_(log), push_(std::make_shared<CurrentPush>()) {
    RequestWriterSettings writer;
    writer.ids = settings.ids;
    writer.epoch_s = client::UnixSeconds();
    writer.stopped = [&process] { return process.StopRequested(); };
    writer.open = [push = push_, out = settings.out, pulled_only = settings.pulled_only, room,
                   options = settings.push](int n) -> std::shared_ptr<MessageSink> {
      std::shared_ptr<MessageSink> sink;
      if (!out.empty()) {
        sink = std::make_shared<FileSink>(MakeTake(out, n));
      } else if (!pulled_only) {
        sink = push->Open(options);
      }
      if (room == nullptr) return sink;
      return std::make_shared<ServedSink>(room, std::move(sink), ServedSinkOptions{});
    };
    writer.on_begin = [log](const std::string& id) {
      log.Info("the performer has arrived", {{"request_id", id}});
    };
    writer.on_end = [log](const std::string& id, const std::string& answer) {
      log.Info("the performer has gone", {{"request_id", id}, {"answer", answer}});
    };
    if (at_once) {
      writer_.emplace(std::move(writer));
    } else {
      queue_.emplace(RequestWriter(std::move(writer)));
    }
    if (settings.out.empty() && !settings.pulled_only) {
      client::ControlOptions control;
      control.connection = settings.push.connection;
      control.connection.on_event = nullptr;
      control.stream_id = settings.ids.stream_id;
      control.on_error = [this](const std::string& call, const absl::Status& why) {
        OnControlError(call, why);
      };
      control_.emplace(std::move(control));
    }
  }

  void Begin(const wire::StreamHeader& header) override { Put(BeginRequest{header}); }
  void Frame(wire::Message message) override { Put(std::move(message)); }
  void End() override { Put(EndRequest{}); }
  void User(const VmcUser& user) override {
    if (control_) control_->SetUser(ToProto(user));
  }
  void Event(const std::string& name) override {
    log_.Info("event", {{"name", name}});
    if (control_) control_->FireEvent(name);
  }

  absl::Status status() const { return queue_ ? queue_->status() : status_; }
  uint64_t dropped() const { return queue_ ? queue_->dropped() : 0; }
  // Waits until queued steps are done, with a time limit.
  void Close() {
    if (queue_ && !queue_->Drain(kStop_s)) push_->Cancel();
    if (queue_) queue_->Drain(kStop_s);
  }
  // Returns a function that cancels the current push. It may be called on any thread, and outlive
  // this.
  std::function<void()> Canceller() const {
    return [push = push_] { push->Cancel(); };
  }

 private:
  void Put(RequestStep step) {
    if (queue_) return queue_->Put(std::move(step));
    if (status_.ok()) status_ = writer_->Do(std::move(step));
  }
  void OnControlError(const std::string& call, const absl::Status& why) {
    const double now_s = client::SteadySeconds();
    if (now_s < next_error_s_) return;
    next_error_s_ = now_s + kWarnPeriod_s;
    log_.Warning("control call failed", {{"call", call}, {"why", why.ToString()}});
  }

  service::Logger log_;
  std::shared_ptr<CurrentPush> push_;
  std::optional<RequestWriter> writer_;
  absl::Status status_;
  double next_error_s_ = 0;  // used by the control client's thread
  std::optional<RequestQueue> queue_;
  std::optional<client::ControlClient> control_;
};

// Warns of datagrams that were not understood, at a limited rate.
class RejectionLog {
 public:
  void Look(const VmcSession& session, double now_s, const service::Logger& log) {
    const uint64_t rejected = session.reader().counts().rejected_in_all();
    if (rejected == told_ || now_s < next_s_) return;
    log.Warning("not understood",
                {{"count", rejected - told_}, {"last", session.reader().LastRejection()}});
    told_ = rejected;
    next_s_ = now_s + kWarnPeriod_s;
  }
  // Warns of names that a sender misspelt. Expressions of its model's own do not count.
  void LookForNames(const vmc::Performer& performer, const service::Logger& log) {
    const auto tell = [&](const char* what, const std::string& name,
                          absl::Span<const absl::string_view> known, bool only_near, bool& told) {
      if (told || name.empty()) return;
      told = true;
      const std::vector<std::string> names(known.begin(), known.end());
      const std::vector<std::string> near = NearestNames(name, names);
      if (near.empty() && only_near) return;
      log.Warning(what, {{"name", name}, {"did_you_mean", absl::StrJoin(near, " ")}});
    };
    LookForBones(performer, log);
    tell("the sender has an expression that is not known", performer.unknown_shape(),
         vmc::ArkitNames(), true, told_shape_);
  }

 private:
  // Warns of all new ones together.
  void LookForBones(const vmc::Performer& performer, const service::Logger& log) {
    if (performer.names().vrm1() && !std::exchange(told_vrm1_, true)) {
      log.Warning("the sender names thumbs as VRM 1.0 does; VMC has Unity's names",
                  {{"taken_as", "leftThumbMetacarpal is Unity's LeftThumbProximal, and so on"}});
    }
    const absl::Span<const std::string> names =
        performer.unknown_bones().subspan(std::min(told_bones_, performer.unknown_bones().size()));
    if (names.empty()) return;
    told_bones_ += names.size();
    const std::vector<std::string> known(vmc::BoneNames().begin(), vmc::BoneNames().end());
    std::vector<std::string> near;
    for (const std::string& name : names) {
      for (const std::string& n : NearestNames(name, known)) near.push_back(n);
    }
    log.Warning(
        "the sender has bones that VMC does not have, which are left out",
        {{"names", absl::StrJoin(names, " ")},
         {"did_you_mean", near.empty() ? "Unity's HumanBodyBones" : absl::StrJoin(near, " ")}});
  }

  size_t told_bones_ = 0;
  bool told_vrm1_ = false, told_shape_ = false;
  uint64_t told_ = 0;
  double next_s_ = 0;
};

struct Ports {
  std::optional<service::UdpReceiver> marionette, performer;
};

absl::StatusOr<Ports> Listen(const VmcRunSettings& settings) {
  Ports ports;
  const std::string host = settings.vmc.host.find(':') == std::string::npos
                               ? settings.vmc.host
                               : absl::StrCat("[", settings.vmc.host, "]");
  auto marionette = service::UdpReceiver::Bind(absl::StrCat(host, ":", settings.vmc.port),
                                               settings.allow_plaintext);
  if (!marionette.ok()) return marionette.status();
  ports.marionette = *std::move(marionette);
  if (!settings.vmc.performer.empty()) {
    auto performer = service::UdpReceiver::Bind(absl::StrCat(host, ":", settings.vmc.performer),
                                                settings.allow_plaintext);
    if (!performer.ok()) return performer.status();
    ports.performer = *std::move(performer);
  }
  return ports;
}

void Announce(const Ports& ports, const std::string& host, const service::Logger& log) {
  std::string ready = absl::StrCat("{\"vmc_port\": ", ports.marionette->port());
  const auto tell = [&](const char* what, const service::UdpReceiver& socket) {
    const service::ListenAddress address{host, socket.port(), ""};
    log.Info(what, {{"address", address.ToString()}});
  };
  tell("listening for VMC", *ports.marionette);
  if (ports.performer) {
    absl::StrAppend(&ready, ", \"performer_port\": ", ports.performer->port());
    tell("listening as a VMC performer", *ports.performer);
  }
  std::printf("%s}\n", ready.c_str());
  std::fflush(stdout);
}

void RunLive(const VmcRunSettings& settings, Ports& ports, service::Process& process,
             VmcSession& session, Output& output, CaptureWriter* capture,
             const service::Logger& log) {
  auto waiter = std::make_shared<service::UdpWaiter>();
  process.OnStop([waiter] { waiter->Wake(); });
  std::vector<const service::UdpReceiver*> sockets = {&*ports.marionette};
  if (ports.performer) sockets.push_back(&*ports.performer);
  std::vector<char> buffer(service::kMaxUdpBytes);
  RejectionLog rejections;
  const auto drain = [&](service::UdpReceiver& socket, VmcPort port) {
    for (int i = 0; i < kMostAtOnce; ++i) {
      const auto size = socket.Receive(absl::MakeSpan(buffer));
      if (!size) return;
      const double now_s = client::SteadySeconds();
      const absl::string_view datagram(buffer.data(), *size);
      if (capture != nullptr) capture->Write(datagram, port, now_s);
      session.Offer(datagram, port, now_s);
    }
  };
  const double period_s = settings.fps.period_s();
  const double start_s = client::SteadySeconds();
  double next_s = start_s;
  bool waited = false;
  while (!process.StopRequested() && output.status().ok()) {
    waiter->Wait(sockets, next_s - client::SteadySeconds());
    drain(*ports.marionette, VmcPort::kMarionette);
    if (ports.performer) drain(*ports.performer, VmcPort::kPerformer);
    const double now_s = client::SteadySeconds();
    if (now_s < next_s) continue;
    session.Tick(now_s);
    // Skips missed ticks.
    next_s += period_s * std::ceil((now_s - next_s) / period_s + 1e-9);
    rejections.Look(session, now_s, log);
    rejections.LookForNames(session.performer(), log);
    if (!waited && now_s - start_s > kWarnPeriod_s && session.reader().counts().datagrams == 0) {
      waited = true;
      log.Warning("no VMC datagram has arrived yet", {{"port", ports.marionette->port()}});
    }
  }
}

void RunReplay(const VmcRunSettings& settings, const std::vector<CapturedDatagram>& capture,
               service::Process& process, VmcSession& session, Output& output,
               const service::Logger& log) {
  RejectionLog rejections;
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
      session.Tick(settings.fps.SecondsAt(tick));
      rejections.Look(session, settings.fps.SecondsAt(tick), log);
      rejections.LookForNames(session.performer(), log);
    }
    return output.status().ok();
  };
  for (const CapturedDatagram& d : capture) {
    if (!tick_until(d.time_s) || !wait_until(d.time_s)) return;
    session.Offer(d.bytes, d.port, d.time_s);
  }
  if (!capture.empty()) tick_until(capture.back().time_s + settings.fps.period_s());
}

// Returns false if the process was told to stop.
bool WaitForPull(const VmcRunSettings& settings, PullHost* host, service::Process& process) {
  const wire::StreamIds ids{settings.ids.request_id, settings.ids.stream_id,
                            settings.ids.target_id};
  const PullRegistry::Stop none;
  while (!process.StopRequested()) {
    if (host->room().WaitForPull(ids, kLook_s, none).ok()) return true;
  }
  return false;
}

void LogCounts(const VmcSession& session, const Output& output, const service::Logger& log) {
  const vmc::ReadCounts& read = session.reader().counts();
  const VmcCounts& counts = session.counts();
  log.Info("ended", {{"datagrams", read.datagrams},
                     {"messages", read.messages},
                     {"unknown", read.unknown},
                     {"refused", read.rejected_in_all()},
                     {"unknown_bones", session.performer().counts().unknown_bones},
                     {"requests", counts.requests},
                     {"frames", counts.frames},
                     {"held", counts.held},
                     {"gaps", counts.gaps},
                     {"events", counts.events},
                     {"dropped", output.dropped()}});
}

}  // namespace

int RunVmc(const VmcRunSettings& settings, PullHost* host, service::Process& process,
           const service::Logger& log) {
  auto session_settings = settings.vmc.Session(settings.fps);
  if (!session_settings.ok()) return service::FailToStart(log, session_settings.status());
  if (!settings.out.empty() && settings.out != "-") {
    const auto format = clipio::FormatOf(settings.out, clipio::FormatUse::kWrite);
    if (!format.ok()) {
      return service::FailToStart(log, format.status());
    }
  }
  const bool replay = !settings.vmc.replay.empty();
  absl::StatusOr<std::vector<CapturedDatagram>> replayed;
  absl::StatusOr<Ports> ports;
  if (replay) {
    replayed = ReadCapture(settings.vmc.replay);
    if (!replayed.ok()) return service::FailToStart(log, replayed.status());
  } else {
    ports = Listen(settings);
    if (!ports.ok()) return service::FailToStart(log, ports.status());
  }
  Output output(settings, host != nullptr ? &host->room() : nullptr,
                !settings.out.empty() || (replay && std::isinf(settings.rate)), process, log);
  auto session = VmcSession::Make(*session_settings, &output);
  if (!session.ok()) return service::FailToStart(log, session.status());
  std::unique_ptr<CaptureWriter> capture;
  if (!settings.vmc.dump.empty()) {
    auto made = CaptureWriter::Create(settings.vmc.dump);
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
    RunReplay(settings, *replayed, process, **session, output, log);
  } else {
    Announce(*ports, settings.vmc.host, log);
    RunLive(settings, *ports, process, **session, output, capture.get(), log);
  }
  (*session)->Finish();
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
  LogCounts(**session, output, log);
  return status.ok() ? 0 : service::Fail(log, status);
}

}  // namespace posewire::a2f_source
