#include "services/renderer_sink/view/avatar_feed.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/service/catch_exceptions.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/view/json_text.h"

namespace posewire::renderer_sink {
namespace {

constexpr double kStatsPeriod_s = 1;
// Limits how often viewers load characters, for streams that change their looks all the time.
constexpr double kWearPeriod_s = 0.5;
constexpr char kForPushes[] = "for what is pushed";
// Before a pull that ended is opened again.
constexpr std::chrono::milliseconds kPause{500};

std::string LayoutJson(const ViewLayout& layout, uint32_t number) {
  const auto number_text = [](std::string* out, float v) { absl::StrAppendFormat(out, "%.7g", v); };
  return absl::StrCat(
      "\"layout\":", number, ",\"rig\":", service::QuoteText(layout.rig),
      ",\"audio_hz\":", layout.audio_hz, absl::StrFormat(",\"epoch_s\":%.6f", layout.epoch_s),
      ",\"joints\":", JsonTexts(layout.joints), ",\"parents\":[",
      absl::StrJoin(layout.parents, ","), "],\"rest\":[",
      absl::StrJoin(layout.rest, ",", number_text), "],\"shapes\":", JsonTexts(layout.shapes));
}

}  // namespace

AvatarFeed::AvatarFeed(AvatarFeedOptions options, const skel::RigCatalog* rigs, Viewers* viewers,
                       service::Logger log)
    : options_(std::move(options)),
      rigs_(rigs),
      viewers_(viewers),
      log_(std::move(log)),
      history_(std::make_shared<History>(options_.history)),
      stats_(options_.pushes != nullptr, options_.pull.connection.traffic.get()),
      character_(options_.character),
      target_(options_.pull.ids.target_object_id) {
  if (options_.pushes != nullptr) {
    ended_s_ = client::SteadySeconds();
    PostState("waiting", kForPushes);
  } else {
    PostState("connecting", "");
  }
  Post("look", "\"look\":{}");  // clears that of the place's previous avatar
  thread_ = std::thread(
      [this] { service::CatchExceptionsInLoop(log_, "avatar feed", [this] { Run(); }); });
}

AvatarFeed::~AvatarFeed() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    if (pull_ != nullptr) pull_->Cancel();
  }
  if (options_.pushes != nullptr) {
    options_.pushes->Close({absl::UnavailableError("the avatar is shown no more"), {}});
  }
  wake_.notify_all();
  thread_.join();
}

void AvatarFeed::Resume() {
  {
    std::lock_guard lock(mutex_);
    resume_ = true;
    ended_s_.reset();
  }
  wake_.notify_all();
}

std::string AvatarFeed::target() const {
  std::lock_guard lock(mutex_);
  return target_;
}

void AvatarFeed::SetTarget(const std::string& target) {
  std::lock_guard lock(mutex_);
  target_ = target;
}

std::optional<double> AvatarFeed::ended_s() const {
  std::lock_guard lock(mutex_);
  return ended_s_;
}

void AvatarFeed::Post(const std::string& kind, const std::string& fields) {
  viewers_->Post(
      absl::StrFormat("avatar %03d %s", options_.avatar, kind),
      {absl::StrCat("{\"type\":\"", kind, "\",\"avatar\":", options_.avatar, ",", fields, "}"),
       stream_id()});
}

void AvatarFeed::PostState(const std::string& state, const std::string& detail) {
  told_state_ = state;
  told_detail_ = detail;
  const std::string fields = absl::StrCat("\"stream_id\":", service::QuoteText(stream_id()),
                                          ",\"target_object_id\":", service::QuoteText(target()),
                                          ",\"state\":", service::QuoteText(state),
                                          ",\"detail\":", service::QuoteText(detail));
  if (fields == state_) return;
  state_ = fields;
  Post("state", fields);
}

absl::Status AvatarFeed::RunEvents(const SessionOptions& options,
                                   const std::function<NextEvent()>& open) {
  return RunSession(options,
                    {.open = open,
                     .now_s = client::SteadySeconds,
                     .stopped = [this] { return stop_.load(); },
                     .log = log_},
                    *this, stats_);
}

void AvatarFeed::Run() {
  if (options_.pushes == nullptr) return RunPulls();
  const absl::Status status = RunEvents({.pushed = true}, [this]() -> NextEvent {
    return
        [this](double timeout_s, auto* event) { return options_.pushes->Next(timeout_s, event); };
  });
  if (!status.ok()) log_.Error("the avatar is shown no more", {{"why", status.message()}});
}

void AvatarFeed::RunPulls() {
  while (!stop_) {
    client::PullOptions options = options_.pull;
    options.ids.target_object_id = target();
    if (!character_.rig.empty()) options.rig = character_.rig;
    auto pull = std::make_shared<client::PullClient>(std::move(options));
    {
      std::lock_guard lock(mutex_);
      pull_ = pull;
      if (stop_) pull->Cancel();
    }
    in_order_ = false;
    // OnEnd has reported why it ended.
    RunEvents({.until_end = true}, [&pull]() -> NextEvent {
      return [&pull](double timeout_s, auto* event) { return pull->Next(timeout_s, event); };
    }).IgnoreError();
    if (std::exchange(repull_, false)) continue;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kPause, [this] { return stop_.load(); });
    // Earlier requests to resume were for the removed stream.
    resume_ = false;
    if (!in_order_ || options_.repull) continue;
    ended_s_ = client::SteadySeconds();
    wake_.wait(lock, [this] { return stop_ || resume_; });
    ended_s_.reset();
  }
}

void AvatarFeed::SetEnded(std::optional<double> ended_s) {
  std::lock_guard lock(mutex_);
  ended_s_ = ended_s;
}

void AvatarFeed::OnLost(const absl::Status& why) {
  lost_ = true;
  PostState("lost", std::string(why.message()));
}

void AvatarFeed::OnEnd(const absl::Status& why) {
  if (options_.pushes != nullptr) {
    SetEnded(client::SteadySeconds());
    return PostState("waiting", kForPushes);
  }
  if (repull_) return;
  in_order_ = why.ok();
  if (why.ok()) return PostState("ended", "the stream was removed");
  log_.Warning("pull refused", {{"stream_id", stream_id()}, {"why", why.ToString()}});
  PostState("refused", std::string(why.message()));
}

absl::Status AvatarFeed::OnHeader(const wire::StreamHeader& header,
                                  const wire::MessageBytes& bytes) {
  ViewLayout layout = LayoutOf(header, *rigs_);
  layout_anew_ = layout_anew_ || !SameLayout(layout, layout_);
  layout_ = std::move(layout);
  names_ = header;
  header_ = bytes;
  props_.clear();  // a pull that begins is told anew
  lost_ = false;
  if (options_.pushes == nullptr) {
    ShowLayout();
  } else {
    SetEnded(std::nullopt);
  }
  PostState("connected", "");
  return absl::OkStatus();
}

void AvatarFeed::ShowLayout() {
  ++layout_number_;
  history_->OnHeader(std::exchange(header_, nullptr), std::exchange(layout_anew_, false));
  PostLayout();
}

std::shared_ptr<const CharacterOffsets> AvatarFeed::OffsetsToShow() const {
  // What moves points after the skin needs no memory for clips.
  const auto& own = character_.offsets;
  return options_.offsets_bytes > 0 || (own != nullptr && own->files.clips.empty()) ? own : nullptr;
}

void AvatarFeed::PostLayout() {
  MakeOffsets();
  Post("layout", absl::StrCat(LayoutJson(layout_, layout_number_),
                              ",\"avatar_url\":", service::QuoteText(character_.url),
                              ",\"avatar_name\":", service::QuoteText(character_.name),
                              ",\"surface_url\":", service::QuoteText(character_.surface_url),
                              ",\"offsets\":", offsets_ == nullptr ? "[]" : offsets_of_->meshes));
}

void AvatarFeed::Wear(const wire::Appearance& asked) {
  if (asked == worn_) return;
  worn_ = asked;
  ViewCharacter who = options_.character;
  if (!asked.character.empty()) {
    const auto found = options_.find(asked.character);
    if (found) who = *found;
    if (!found) {
      log_.Warning("the stream asks for a character that is not known here",
                   {{"stream_id", stream_id()},
                    {"character", asked.character},
                    {"help", "add it with --avatar NAME=FILE"}});
    }
  }
  if (who.url != character_.url) {
    const bool same_rig = std::exchange(character_, who).rig == who.rig;
    if (same_rig || options_.pushes != nullptr) {
      PostLayout();
    } else {
      repull_ = true;
      std::lock_guard lock(mutex_);
      pull_->Cancel();
    }
  }
  const auto choice = [](std::string* out, const auto& one) {
    absl::StrAppend(out, service::QuoteText(one.first), ":", service::QuoteText(one.second));
  };
  Post("look", absl::StrCat("\"look\":{", absl::StrJoin(asked.look, ",", choice), "}"));
}

absl::Status AvatarFeed::OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                                double receive_s) {
  if (std::exchange(lost_, false)) PostState("connected", "");
  if (header_ != nullptr) {
    if (!std::isfinite(data.earliest_time_code_s)) return absl::OkStatus();
    layout_.epoch_s = client::UnixSeconds() - data.earliest_time_code_s;
    ShowLayout();
  }
  if (auto props = wire::PropsIn(data.metadata)) {
    options_.props->SetSizes(*props);
    props_ = *std::move(props);
  }
  if (!viewers_->empty()) {
    ShowOffsets(data);
    const ViewFrameTag tag{options_.avatar, layout_number_, frame_number_};
    for (const ViewFrame& frame : EncodeView(data, layout_, tag, props_)) {
      viewers_->SendFrame(frame, stream_id());
      ++frame_number_;
    }
  }
  if (auto asked = wire::AppearanceIn(data.metadata)) asked_ = *std::move(asked);
  const wire::ChunkTimes times = wire::TimesOf(data, static_cast<int>(layout_.audio_hz));
  if (times.empty()) return absl::OkStatus();
  at_s_ = layout_.epoch_s + std::min(times.first_pose_s, times.latest_s);
  receive_s_ = receive_s;
  history_->OnMessage(bytes, at_s_, receive_s_);
  return absl::OkStatus();
}

void AvatarFeed::MakeOffsets() {
  const auto offsets = OffsetsToShow();
  absl::Status status;
  if (offsets_of_ != offsets) {
    offsets_of_ = offsets;
    offsets_ = nullptr;  // frees its memory before more is allocated
    if (offsets == nullptr) return;
    auto made = PageOffsets::Make(*offsets, options_.offsets_bytes, log_);
    status = made.status();
    if (made.ok()) offsets_ = *std::move(made);
  }
  if (offsets_ != nullptr) status = offsets_->OnHeader(names_, *rigs_);
  if (status.ok()) return;
  // The next header tries again.
  offsets_ = nullptr;
  offsets_of_ = nullptr;
  log_.Warning("the avatar is shown without offsets", {{"why", status.message()}});
}

// Sends the offsets of the message's first frame before it.
void AvatarFeed::ShowOffsets(const wire::DataChunk& data) {
  if (offsets_ == nullptr || !viewers_->WantsOffsets(options_.avatar)) return;
  const auto bytes = offsets_->Write(data, {options_.avatar, layout_number_, frame_number_},
                                     client::SteadySeconds());
  if (bytes != nullptr) viewers_->SendOffsets(options_.avatar, bytes, stream_id());
}

absl::Status AvatarFeed::OnFaulty(const wire::MessageBytes& bytes, const absl::Status&) {
  history_->OnMessage(bytes, at_s_, receive_s_);
  return absl::OkStatus();
}

absl::Status AvatarFeed::Tick(double now_s) {
  PostState(std::string(told_state_), std::string(told_detail_));  // its name may be known by now
  if (asked_ && now_s >= next_wear_s_) {
    next_wear_s_ = now_s + kWearPeriod_s;
    Wear(*std::exchange(asked_, std::nullopt));
  }
  PostStats(now_s);
  return absl::OkStatus();
}

void AvatarFeed::PostStats(double now_s) {
  if (now_s < next_stats_s_) return;
  const double period_s = std::max(now_s - last_stats_s_, 1e-3);
  const double fps = static_cast<double>(stats_.frames() - last_frames_) / period_s;
  const bool first = last_stats_s_ == 0;
  next_stats_s_ = now_s + kStatsPeriod_s;
  last_stats_s_ = now_s;
  last_frames_ = stats_.frames();
  if (first || viewers_->empty()) return;
  const Lateness& late = stats_.lateness();
  Post("stats",
       absl::StrFormat(
           "\"fps\":%.2f,\"frames\":%d,\"without_pose\":%d,\"gaps\":%d,\"gap_s\":%.3f,"
           "\"late\":%d,\"late_ms\":[%.2f,%.2f,%.2f,%.2f],\"reconnections\":%d,\"faulty\":%d,"
           "\"audio_s\":%.3f,\"viewers\":%d,\"poses_dropped\":%d,\"offsets_dropped\":%d",
           fps, stats_.frames(), stats_.frames_without_pose(), stats_.gaps(), stats_.gap_s(),
           late.LaterThan(options_.late_s), 1000 * late.Percentile(0.5),
           1000 * late.Percentile(0.9), 1000 * late.Percentile(0.99), 1000 * late.Percentile(1),
           stats_.reconnections(), stats_.faulty(), stats_.audio_s(), viewers_->count(),
           viewers_->poses_dropped(), viewers_->offsets_dropped()));
}

}  // namespace posewire::renderer_sink
