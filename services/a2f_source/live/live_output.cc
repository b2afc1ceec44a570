#include "services/a2f_source/live/live_output.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/files/open.h"
#include "services/a2f_source/live/warn_pace.h"
#include "services/a2f_source/pulls/served_sink.h"
#include "services/a2f_source/request/sinks.h"

namespace posewire::a2f_source {
namespace {

namespace cv1 = posewire::control::v1;

constexpr double kStop_s = 2;  // for the last request to end in order

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
  if (user.hips) Set(user.hips->at, *out.mutable_hips());
  if (user.left_foot) Set(user.left_foot->at, *out.mutable_left_foot());
  if (user.right_foot) Set(user.right_foot->at, *out.mutable_right_foot());
  if (user.gaze) Set(*user.gaze, *out.mutable_gaze());
  out.set_speaks(user.speaks);
  return out;
}

}  // namespace

// The current push, shared with the thread that may cancel it.
struct LiveOutput::CurrentPush {
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

LiveOutput::LiveOutput(const LiveRunSettings& settings, PullRegistry* room, bool at_once,
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

// Whatever Close did not see end must not hold up the program.
LiveOutput::~LiveOutput() {
  if (push_ != nullptr) push_->Cancel();
}

void LiveOutput::User(const VmcUser& user) {
  if (control_) control_->SetUser(ToProto(user));
}

void LiveOutput::Event(const std::string& name) {
  log_.Info("event", {{"name", name}});
  if (control_) control_->FireEvent(name);
}

void LiveOutput::Variable(const std::string& name, float value) {
  if (control_) control_->SetVariable(name, absl::StrCat(value));
}

void LiveOutput::Prop(const VmcProp& prop) {
  if (!control_) return;
  cv1::MovePropRequest place;
  place.set_prop(prop.name);
  Set(prop.place.at, *place.mutable_position());
  Set(prop.place.turn, *place.mutable_rotation());
  control_->MoveProp(place);
}

void LiveOutput::Told(const std::string& what, const std::string& value) {
  log_.Info("the performer says", {{"what", what}, {"value", value}});
}

void LiveOutput::Close() {
  if (queue_ && !queue_->Drain(kStop_s)) push_->Cancel();
  if (queue_) queue_->Drain(kStop_s);
}

std::function<void()> LiveOutput::Canceller() const {
  return [push = push_] { push->Cancel(); };
}

void LiveOutput::Put(RequestStep step) {
  if (queue_) return queue_->Put(std::move(step));
  if (status_.ok()) status_ = writer_->Do(std::move(step));
}

void LiveOutput::OnControlError(const std::string& call, const absl::Status& why) {
  const double now_s = client::SteadySeconds();
  double& next_s = next_errors_s_[call];
  if (now_s < next_s) return;
  next_s = now_s + kWarnPeriod_s;
  log_.Warning("control call failed", {{"call", call}, {"why", why.ToString()}});
}

}  // namespace posewire::a2f_source
