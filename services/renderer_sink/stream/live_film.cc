#include "services/renderer_sink/stream/live_film.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "libs/client/connection.h"
#include "libs/service/catch_exceptions.h"
#include "services/renderer_sink/draw/draw_settings.h"
#include "services/renderer_sink/draw/show_props.h"

namespace posewire::renderer_sink {
namespace {

using client::SteadySeconds;

// Periods from the start of drawing a picture to showing it.
constexpr int kLead = 2;
// Maximum number of different pictures queued for ffmpeg.
constexpr size_t kMostPictures = 8;
constexpr double kMostWaiting_s = 5;
constexpr double kLogPeriod_s = 60;
// Maximum number of appearances that are not due yet; streams rarely change them.
constexpr size_t kMostAsked = 64;
// Maximum number of scene states that are not due yet: one per frame while something moves. Beyond
// it, the newest replaces the one before it.
constexpr size_t kMostProps = 256;
// Maximum duration of received data that is still shown after a stop.
constexpr double kMostRest_s = 0.5;

std::string PartOf(const FilmTarget& target) { return absl::StrCat(target.address, ".part"); }

absl::Status CheckPlaces(const LiveFilmOptions& options) {
  if (options.target.kind == FilmTarget::kFile) {
    if (absl::Status s = CheckPlace(options.target.address); !s.ok()) return s;
  }
  return options.format.sdp.empty() ? absl::OkStatus() : CheckPlace(options.format.sdp);
}

// Returns null if no offsets are configured.
absl::StatusOr<std::unique_ptr<LiveOffsets>> OpenOffsets(const LiveFilmOptions& options,
                                                         const CharacterSet& characters,
                                                         const service::Logger& log) {
  if (options.offsets.empty()) return nullptr;
  const auto found = FindOffsets(options.offsets, options.offsets_cache);
  if (!found.ok()) return found.status();
  const auto files = FilesOf(characters.shared_lead(), *found);
  if (!files.ok()) return files.status();
  return LiveOffsets::Make(*files, options.offsets_bytes, log);
}

PictureBytes BytesOf(render::Picture picture) {
  return std::make_shared<const std::vector<uint8_t>>(std::move(picture.rgb));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LiveFilm>> LiveFilm::Create(LiveFilmOptions options,
                                                           service::Logger log) {
  if (absl::Status s = CheckPlaces(options); !s.ok()) return s;
  auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  auto catalog = std::make_unique<skel::RigCatalog>(*std::move(rigs));
  auto characters = CharacterSet::Make(options.characters, catalog.get(), log);
  if (!characters.ok()) return characters.status();
  auto offsets = OpenOffsets(options, **characters, log);
  if (!offsets.ok()) return offsets.status();
  options.format.begin_s = client::UnixSeconds();
  FilmTarget target = options.target;
  if (target.kind == FilmTarget::kFile) target.address = PartOf(target);
  auto pipe = FilmPipe::Start(FilmArguments(target, options.format));
  if (!pipe.ok()) return pipe.status();
  std::unique_ptr<LiveFilm> film(new LiveFilm(std::move(options), std::move(catalog),
                                              *std::move(characters), *std::move(offsets),
                                              *std::move(pipe), std::move(log)));
  film->drawer_ = std::thread([film = film.get()] { film->RunDrawer(); });
  {
    std::unique_lock lock(film->mutex_);
    film->wake_.wait(lock, [&] { return film->pacer_ || !film->failure_.ok(); });
    if (!film->failure_.ok()) return film->failure_;
    if (film->options_.target.kind != FilmTarget::kFile) film->Start(SteadySeconds());
  }
  film->log_.Info("ready to draw", {{"to", film->options_.target.Shown()}});
  film->output_ = std::thread([film = film.get()] { film->RunOutput(); });
  return film;
}

LiveFilm::LiveFilm(LiveFilmOptions options, std::unique_ptr<skel::RigCatalog> catalog,
                   std::unique_ptr<CharacterSet> characters, std::unique_ptr<LiveOffsets> offsets,
                   FilmPipe pipe, service::Logger log)
    : options_(std::move(options)),
      catalog_(std::move(catalog)),
      characters_(std::move(characters)),
      offsets_(std::move(offsets)),
      detail_control_({options_.characters.subdivide, offsets_ != nullptr},
                      options_.format.rate.period_s()),
      detail_(detail_control_.detail()),
      log_(std::move(log)),
      jitter_buffer_(characters_->lead().rig, options_.delay_s, characters_->lead().at_ease),
      props_(kMostProps),
      pipe_(std::move(pipe)),
      queue_(kMostPictures, static_cast<size_t>(kMostWaiting_s * options_.format.rate.hz())) {}

LiveFilm::~LiveFilm() { Stop(); }

void LiveFilm::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread* thread : {&drawer_, &output_}) {
    if (thread->joinable()) thread->join();
  }
}

void LiveFilm::Fail(const absl::Status& status) {
  {
    std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = status;
  }
  wake_.notify_all();
}

void LiveFilm::Start(double now_s) {
  start_s_ = now_s;
  wake_.notify_all();
}

double LiveFilm::FilmSeconds() const { return SteadySeconds() - *start_s_; }

absl::Status LiveFilm::OnHeader(const wire::StreamHeader& header, const wire::MessageBytes&) {
  std::lock_guard lock(mutex_);
  begins_ = true;
  return jitter_buffer_.OnHeader(header, *catalog_);
}

absl::Status LiveFilm::OnData(const wire::DataChunk& data, const wire::MessageBytes&, double) {
  std::lock_guard lock(mutex_);
  if (!start_s_) Start(SteadySeconds());
  const bool taken = jitter_buffer_.OnData(data, FilmSeconds());
  if (offsets_ != nullptr && taken) {
    seen_.Add(data.earliest_time_code_s + jitter_buffer_.shift_s(), data);
    if (!std::exchange(seen_told_, true) && !SeenClips::IsSaid(data)) {
      log_.Warning(
          "the server does not say which clips its frames are made of; the avatar keeps "
          "its own shapes",
          {{"help", "pull from an anim_graph, which does"}});
    }
  }
  const double time_code_s = data.earliest_time_code_s + jitter_buffer_.shift_s();
  const double shown_s = std::isfinite(time_code_s) ? time_code_s : FilmSeconds();
  if (auto asked = wire::AppearanceIn(data.metadata); asked && asked_.size() < kMostAsked) {
    asked_.emplace_back(shown_s, *std::move(asked));
  }
  if (TakeStaging(data.metadata, staging_)) {
    // Of more than that many, the last counts.
    if (stagings_.size() >= kMostAsked) stagings_.pop_back();
    stagings_.emplace_back(shown_s, staging_);
  }
  auto props = wire::PropsIn(data.metadata);
  if (std::exchange(begins_, false) && !props) props.emplace();
  if (props) props_.Add(shown_s, *std::move(props));
  return absl::OkStatus();
}

absl::Status LiveFilm::Tick(double) {
  std::lock_guard lock(mutex_);
  return failure_;
}

void LiveFilm::RunDrawer() {
  absl::Status status;
  const absl::Status thrown =
      service::CatchExceptions(log_, "drawing of the film", [&] { status = Draw(); });
  Fail(thrown.ok() ? status : thrown);
}

absl::Status LiveFilm::Draw() {
  auto actor = characters_->Show({});
  if (!actor.ok()) return actor.status();
  LookForOffsets(**actor);
  SetDetail(detail_, **actor);
  const skel::Rig& rig = *characters_->lead().rig;
  render::Picture picture;
  absl::Status first = DrawActor(**actor, rig.rest(), 0, {}, picture);
  if (!first.ok()) return first;
  skel::Pose pose(rig.joints(), rig.shapes());
  std::unique_lock lock(mutex_);
  pacer_.emplace(options_.format.rate, kLead, BytesOf(std::move(picture)));
  wake_.notify_all();
  while (!stop_) {
    if (!start_s_) {
      wake_.wait(lock);
      continue;
    }
    const double from_s = FilmSeconds();
    const auto slot = pacer_->NextToDraw(from_s);
    if (!slot) {
      wake_.wait_for(lock, std::chrono::duration<double>(pacer_->next_draw_s() - from_s));
      continue;
    }
    const double at_s = options_.format.rate.SecondsAt(*slot);
    jitter_buffer_.PoseAt(at_s, pose.span());
    const std::optional<wire::Appearance> asked = AskedBy(at_s);
    std::optional<Staging> staged;
    for (; !stagings_.empty() && stagings_.front().first <= at_s; stagings_.pop_front()) {
      staged = stagings_.front().second;
    }
    wire::Contributions seen;
    if (offsets_ != nullptr) seen = seen_.By(at_s);
    // As the pose goes to rest.
    for (wire::Contribution& one : seen.contributions) {
      one.weight *= static_cast<float>(jitter_buffer_.share());
    }
    const std::vector<wire::Prop> props = props_.At(at_s);
    props_.DiscardBefore(at_s);
    lock.unlock();
    if (staged) characters_->Stage(*staged);
    if (asked) actor = characters_->Show(*asked);
    if (!actor.ok()) return actor.status();
    if (asked) LookForOffsets(**actor);
    if (absl::Status s = ShowProps(props, characters_->props(), **actor); !s.ok()) return s;
    bool judged = !staged && !asked;
    if (options_.adapts) {
      detail_control_.SetEdge((*actor)->EdgeInPicture(options_.format.height));
      if (const Detail detail = detail_control_.detail(); !(detail == detail_)) {
        SetDetail(detail, **actor);
        judged = false;
      }
    }
    picture = {};
    const absl::Status status = DrawActor(**actor, pose.view(), at_s, seen, picture);
    PictureBytes bytes = BytesOf(std::move(picture));
    lock.lock();
    if (!status.ok()) return status;
    pacer_->Drawn(*slot, std::move(bytes));
    const double took_s = FilmSeconds() - from_s;
    detail_control_.Add(from_s, from_s + took_s, judged);
    draw_s_ += took_s;
    longest_draw_s_ = std::max(longest_draw_s_, took_s);
    ++drawn_;
  }
  return absl::OkStatus();
}

void LiveFilm::LookForOffsets(const CharacterSet::Actor& actor) {
  if (offsets_ == nullptr) return;
  const bool fit = actor.painter->mesh_hash() == offsets_->mixer().mesh_hash();
  if (!fit && offsets_fit_) {
    log_.Warning("the offsets were not made of the character that is drawn; it has its own shapes",
                 {{"character", actor.character->name}});
  }
  offsets_fit_ = fit;
}

void LiveFilm::SetDetail(const Detail& detail, CharacterSet::Actor& actor) {
  FilmCounts& counts = *options_.counts;
  const bool for_time =
      counts.lowered.exchange(detail_control_.lowered()) != detail_control_.lowered() ||
      counts.raised.exchange(detail_control_.raised()) != detail_control_.raised();
  if (!(detail == detail_)) {
    characters_->SetSubdivide(detail.subdivide, actor);
    log_.Info("film is drawn with other detail", {{"subdivide", detail.subdivide},
                                                  {"offsets", detail.offsets},
                                                  {"because_of", for_time ? "time" : "size"}});
  }
  detail_ = detail;
  counts.subdivide = detail.subdivide;
  counts.offsets = detail.offsets;
}

absl::Status LiveFilm::DrawActor(const CharacterSet::Actor& actor, const skel::PoseView& pose,
                                 double at_s, const wire::Contributions& seen,
                                 render::Picture& out) {
  const render::Camera camera = actor.CameraFor(pose);
  actor.painter->SetTime(at_s);
  if (!detail_.offsets || !offsets_fit_) return actor.painter->Draw(pose, camera, out);
  return actor.painter->DrawOffsets(pose, offsets_->Of(pose, seen, at_s), camera, out);
}

// Returns the last one that is due, if any.
std::optional<wire::Appearance> LiveFilm::AskedBy(double at_s) {
  std::optional<wire::Appearance> due;
  while (!asked_.empty() && asked_.front().first <= at_s) {
    due = std::move(asked_.front().second);
    asked_.pop_front();
  }
  return due;
}

void LiveFilm::RunOutput() {
  absl::Status status;
  const absl::Status thrown =
      service::CatchExceptions(log_, "output of the film", [&] { status = HandOver(); });
  Fail(thrown.ok() ? status : thrown);
}

absl::Status LiveFilm::HandOver() {
  constexpr double kIdle_s = 0.1;
  for (;;) {
    double wait_s = kIdle_s;
    {
      std::lock_guard lock(mutex_);
      if (stop_) return absl::OkStatus();
      if (start_s_) {
        const double now_s = FilmSeconds();
        while (const auto shown = pacer_->NextToShow(now_s)) Show(*shown, now_s);
        wait_s = std::min(kIdle_s, pacer_->next_show_s() - now_s);
        if (now_s >= next_log_s_ + kLogPeriod_s) {
          next_log_s_ = now_s;
          LogCounts();
        }
      }
    }
    if (absl::Status s = pipe_.Pump(queue_, wait_s); !s.ok()) return Named(s);
  }
}

void LiveFilm::Show(const PicturePacer::Shown& shown, double now_s) {
  const timecode::FrameRate& rate = options_.format.rate;
  const int64_t first = timecode::FirstSampleOfTick(shown.slot, VoiceLine::kRate_hz, rate);
  const int64_t end = timecode::FirstSampleOfTick(shown.slot + 1, VoiceLine::kRate_hz, rate);
  voice_.resize(static_cast<size_t>(end - first));
  jitter_buffer_.TakeVoice(first, absl::MakeSpan(voice_));
  queue_.Push(shown.picture, voice_);
  late_.Add(now_s - rate.SecondsAt(shown.slot + kLead));
}

void LiveFilm::LogCounts() const {
  log_.Info("film", {{"pictures", pacer_->shown()},
                     {"drawn", drawn_},
                     {"dropped", pacer_->dropped()},
                     {"repeated_for_ffmpeg", queue_.repeated()},
                     {"left_out", queue_.left_out()},
                     {"late_ms_p99", 1000 * late_.Percentile(0.99)},
                     {"draw_ms", drawn_ > 0 ? 1000 * draw_s_ / static_cast<double>(drawn_) : 0.0},
                     {"draw_ms_max", 1000 * longest_draw_s_},
                     {"late_messages", jitter_buffer_.counts().late},
                     {"messages_left_out", jitter_buffer_.counts().left_out},
                     {"contributions_left_out", seen_.left_out()},
                     {"subdivide", options_.counts->subdivide.load()},
                     {"offsets", options_.counts->offsets.load()},
                     {"detail_lowered", options_.counts->lowered.load()},
                     {"detail_raised", options_.counts->raised.load()}});
}

absl::Status LiveFilm::Named(const absl::Status& status) const {
  if (status.ok()) return status;
  const std::string shown = options_.target.Shown();
  return absl::Status(
      status.code(),
      absl::StrCat(shown, ": ",
                   absl::StrReplaceAll(status.message(), {{options_.target.address, shown}})));
}

absl::Status LiveFilm::FinishFile() const {
  const std::string part = PartOf(options_.target);
  if (std::rename(part.c_str(), options_.target.address.c_str()) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot be written: ", std::strerror(errno)));
}

// Shows received data that is delayed.
void LiveFilm::ShowTheRest() {
  constexpr std::chrono::milliseconds kLook{50};
  const double closed_s = SteadySeconds();
  std::unique_lock lock(mutex_);
  while (start_s_ && failure_.ok() && FilmSeconds() < pacer_->next_show_s() + 1 &&
         pacer_->next_show_s() < jitter_buffer_.end_s() + kLead * options_.format.rate.period_s()) {
    const bool stopped = options_.stopped && options_.stopped();
    if (stopped && SteadySeconds() - closed_s > kMostRest_s) return;
    wake_.wait_for(lock, kLook);
  }
}

absl::Status LiveFilm::Close() {
  if (std::exchange(closed_, true)) return absl::OkStatus();
  ShowTheRest();
  Stop();
  const bool file = options_.target.kind == FilmTarget::kFile;
  if (file && pacer_->shown() == 0) {
    pipe_ = FilmPipe();
    std::remove(PartOf(options_.target).c_str());
    return failure_;
  }
  // The file of a failed film can be played up to its end, and stays as .part.
  absl::Status status = failure_;
  if (status.ok()) status = Named(pipe_.Finish(queue_));
  if (status.ok() && file) status = Named(FinishFile());
  LogCounts();
  if (options_.say) {
    const int64_t dropped = pacer_->dropped() + queue_.repeated();
    options_.say(absl::StrFormat(
        "film %s: %.2f s, %d pictures, drawn %d, dropped %d (%.1f %%), left out %d, late ms: p50 "
        "%.1f, "
        "p99 %.1f, max %.1f, drawing ms: %.1f, max %.1f",
        options_.target.Shown(), options_.format.rate.SecondsAt(pacer_->shown()), pacer_->shown(),
        drawn_, dropped,
        100 * static_cast<double>(dropped) /
            static_cast<double>(std::max<int64_t>(1, pacer_->shown())),
        queue_.left_out(), 1000 * late_.Percentile(0.5), 1000 * late_.Percentile(0.99),
        1000 * late_.Percentile(1), drawn_ > 0 ? 1000 * draw_s_ / static_cast<double>(drawn_) : 0.0,
        1000 * longest_draw_s_));
  }
  return status;
}

}  // namespace posewire::renderer_sink
