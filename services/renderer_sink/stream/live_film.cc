#include "services/renderer_sink/stream/live_film.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "libs/character_file/read_character.h"
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
// Between avatars that nobody has placed, as in the page of view.
constexpr float kSpacing_m = 1.1f;
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

// Where they are, if nobody has placed them: side by side, in the order of the list.
std::vector<asset::GroundPlace> PlacesOf(const std::vector<std::shared_ptr<FilmAvatar>>& shown) {
  std::vector<asset::GroundPlace> out;
  bool placed = false;
  for (const auto& avatar : shown) {
    const asset::GroundPlace& at = out.emplace_back(avatar->drawn.place);
    placed = placed || at.x_m != 0 || at.z_m != 0 || at.turn_deg != 0;
  }
  if (placed) return out;
  const float middle = static_cast<float>(shown.size() - 1) / 2;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = {(static_cast<float>(i) - middle) * kSpacing_m, 0, 0};
  }
  return out;
}

int16_t AddSamples(int16_t a, int16_t b) {
  return static_cast<int16_t>(std::clamp(a + b, -32768, 32767));
}

PictureBytes BytesOf(render::Picture picture) {
  return std::make_shared<const std::vector<uint8_t>>(std::move(picture.rgb));
}

}  // namespace

// Passes what arrives to the film, under its lock.
class LiveFilm::Member final : public CastMember {
 public:
  Member(LiveFilm& film, std::shared_ptr<FilmAvatar> avatar)
      : film_(film), avatar_(std::move(avatar)) {}

  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes&) override {
    std::lock_guard lock(film_.mutex_);
    return avatar_->OnHeader(header, *film_.catalog_);
  }
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes&, double) override {
    std::lock_guard lock(film_.mutex_);
    film_.OnData(*avatar_, data);
    return absl::OkStatus();
  }
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  absl::Status Tick(double) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
  void PlaceAt(const asset::GroundPlace& place) override {
    std::lock_guard lock(film_.mutex_);
    avatar_->PlaceAt(place);
  }
  void Leave() override {
    std::lock_guard lock(film_.mutex_);
    avatar_->Leave();
  }

 private:
  LiveFilm& film_;
  const std::shared_ptr<FilmAvatar> avatar_;
};

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
      idle_(std::make_shared<FilmAvatar>(0, options_.characters.who, characters_->shared_lead(),
                                         options_.delay_s, false)),
      log_(std::move(log)),
      opened_({{options_.characters.who, characters_->shared_lead()}}),
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

absl::StatusOr<std::unique_ptr<CastMember>> LiveFilm::Join(const std::string& target,
                                                           const asset::GroundPlace& place) {
  const std::string& who = options_.characters.avatars.Of(options_.stream_id, target);
  std::shared_ptr<const character::Character> character;
  {
    std::lock_guard lock(mutex_);
    if (const auto known = opened_.find(who); known != opened_.end()) character = known->second;
  }
  if (character == nullptr) {
    auto read = character_file::OpenCharacter(
        who, *catalog_, {.outside_skel_root = options_.characters.outside_skel_root});
    if (!read.ok()) return read.status();
    character = *std::move(read);
  }
  std::lock_guard lock(mutex_);
  opened_[who] = character;
  avatars_.push_back(std::make_shared<FilmAvatar>(next_id_++, who, std::move(character),
                                                  options_.delay_s, offsets_ != nullptr));
  avatars_.back()->PlaceAt(place);
  return std::make_unique<Member>(*this, avatars_.back());
}

void LiveFilm::OnData(FilmAvatar& avatar, const wire::DataChunk& data) {
  if (!start_s_) Start(SteadySeconds());
  avatar.OnData(data, FilmSeconds());
  if (avatar.TakeHasNoContributions() && !std::exchange(seen_told_, true)) {
    log_.Warning(
        "the server does not say which clips its frames are made of; the avatar keeps "
        "its own shapes",
        {{"help", "pull from an anim_graph, which does"}});
  }
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
  render::Picture picture;
  idle_->drawn.pose.span().CopyFrom(idle_->character->rig->rest());
  absl::Status first = ShowLead(*idle_).status();
  if (first.ok()) first = DrawAvatars({idle_}, 0, picture);
  if (!first.ok()) return first;
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
    Avatars shown;
    for (size_t i = 0; i < avatars_.size();) {
      const std::shared_ptr<FilmAvatar> avatar = avatars_[i];
      if (avatar->gone(at_s)) {
        gone_.late += avatar->counts().late;
        gone_.left_out += avatar->counts().left_out;
        gone_.contributions += avatar->contributions_left_out();
        avatars_.erase(avatars_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      avatar->MoveTo(at_s);
      if (avatar->shown(at_s)) shown.push_back(avatar);
      ++i;
    }
    if (shown.empty()) {
      idle_->MoveTo(at_s);
      shown.push_back(idle_);
    }
    lock.unlock();
    std::vector<int> ids;
    for (const auto& avatar : shown) ids.push_back(avatar->id);
    bool judged = std::exchange(ids_, ids) == ids;
    const auto changed = ShowLead(*shown.front());
    if (!changed.ok()) return changed.status();
    judged = judged && !*changed;
    if (options_.adapts) {
      const double sees_m = CameraFor(shown, at_s).height_m;
      detail_control_.SetEdge(actor_->EdgeInPicture(options_.format.height, sees_m));
      if (const Detail detail = detail_control_.detail(); !(detail == detail_)) {
        SetDetail(detail, *actor_);
        judged = false;
      }
    }
    picture = {};
    const absl::Status status = DrawAvatars(shown, at_s, picture);
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

absl::StatusOr<bool> LiveFilm::ShowLead(FilmAvatar& lead) {
  const bool other = std::exchange(lead_, lead.id) != lead.id;
  const bool staged = !(lead.drawn.staging == staging_);
  if (staged) characters_->Stage(staging_ = lead.drawn.staging);
  if (!other && !lead.drawn.worn_changed) return staged;
  if (absl::Status s = characters_->Add(lead.who, lead.character); !s.ok()) return s;
  const auto actor = characters_->Show(lead.drawn.worn, lead.who);
  if (!actor.ok()) return actor.status();
  if (std::exchange(actor_, *actor) == nullptr) SetDetail(detail_, *actor_);
  LookForOffsets(*actor_);
  return true;
}

absl::Status LiveFilm::PoseOthers(const Avatars& shown, double at_s) {
  const std::vector<asset::GroundPlace> places = PlacesOf(shown);
  std::vector<Companions::Member> members;
  for (size_t i = 1; i < shown.size(); ++i) {
    const FilmAvatar& avatar = *shown[i];
    auto known = others_.find(avatar.id);
    if (known == others_.end() || avatar.drawn.worn_changed) {
      if (absl::Status s = characters_->Add(avatar.who, avatar.character); !s.ok()) return s;
      auto companion = characters_->ShowNextTo(avatar.drawn.worn, avatar.who);
      if (!companion.ok()) return companion.status();
      known = others_.insert_or_assign(avatar.id, *std::move(companion)).first;
    }
    members.push_back({.id = avatar.id,
                       .character = known->second.character,
                       .look = &known->second.look,
                       .at_s = at_s,
                       .pose = avatar.drawn.pose.view(),
                       .place = FromTo(places[i], places[0])});
  }
  // What comes from the left of the viewer does so however the lead is turned.
  if (options_.view != LiveFilmOptions::View::kOne && !staging_.light) {
    render::KeyLight light;
    if (shown.size() > 1) light.way = skel::TransformVector(asset::Into(places[0]), light.way);
    actor_->painter->SetLight(light);
  }
  std::erase_if(others_, [&](const auto& one) {
    return std::none_of(members.begin(), members.end(),
                        [&](const auto& member) { return member.id == one.first; });
  });
  return companions_.Show(members, *actor_->painter);
}

render::Camera LiveFilm::CameraFor(const Avatars& shown, double at_s) const {
  using View = LiveFilmOptions::View;
  const FilmAvatar::Moment& lead = shown.front()->drawn;
  const bool shot = options_.view == View::kShot && !lead.camera.empty();
  if (options_.view == View::kOne || (shown.size() < 2 && !shot)) {
    return actor_->CameraFor(lead.pose.view());
  }
  const std::vector<asset::GroundPlace> places = PlacesOf(shown);
  std::vector<InPicture> all = {{{}, HeightOf(*actor_->character)}};
  for (size_t i = 1; i < shown.size(); ++i) {
    all.push_back({FromTo(places[i], places[0]), HeightOf(*shown[i]->character)});
  }
  const float aspect =
      static_cast<float>(options_.format.width) / static_cast<float>(options_.format.height);
  const render::Camera sees_all =
      SeesAll(all, options_.characters.turn_deg - places[0].turn_deg, aspect);
  if (!shot) return sees_all;
  return lead.camera.At(at_s, shown.size() < 2 ? actor_->camera.target : sees_all.target);
}

absl::Status LiveFilm::DrawAvatars(const Avatars& shown, double at_s, render::Picture& out) {
  const FilmAvatar::Moment& lead = shown.front()->drawn;
  if (absl::Status s = ShowProps(lead.props, characters_->props(), *actor_); !s.ok()) return s;
  if (absl::Status s = PoseOthers(shown, at_s); !s.ok()) return s;
  const skel::PoseView pose = lead.pose.view();
  const render::Camera camera = CameraFor(shown, at_s);
  actor_->painter->SetTime(at_s);
  if (!detail_.offsets || !offsets_fit_) return actor_->painter->Draw(pose, camera, out);
  return actor_->painter->DrawOffsets(pose, offsets_->Of(pose, lead.seen, at_s), camera, out);
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
  std::fill(voice_.begin(), voice_.end(), int16_t{0});
  one_voice_.resize(voice_.size());
  for (const auto& avatar : avatars_) {
    avatar->TakeVoice(first, absl::MakeSpan(one_voice_));
    std::transform(voice_.begin(), voice_.end(), one_voice_.begin(), voice_.begin(), AddSamples);
  }
  queue_.Push(shown.picture, voice_);
  late_.Add(now_s - rate.SecondsAt(shown.slot + kLead));
}

void LiveFilm::LogCounts() const {
  auto counts = gone_;
  for (const auto& avatar : avatars_) {
    counts.late += avatar->counts().late;
    counts.left_out += avatar->counts().left_out;
    counts.contributions += avatar->contributions_left_out();
  }
  log_.Info("film", {{"pictures", pacer_->shown()},
                     {"drawn", drawn_},
                     {"dropped", pacer_->dropped()},
                     {"repeated_for_ffmpeg", queue_.repeated()},
                     {"left_out", queue_.left_out()},
                     {"late_ms_p99", 1000 * late_.Percentile(0.99)},
                     {"draw_ms", drawn_ > 0 ? 1000 * draw_s_ / static_cast<double>(drawn_) : 0.0},
                     {"draw_ms_max", 1000 * longest_draw_s_},
                     {"late_messages", counts.late},
                     {"messages_left_out", counts.left_out},
                     {"contributions_left_out", counts.contributions},
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
  const auto end_s = [this] {
    double last_s = -std::numeric_limits<double>::infinity();
    for (const auto& avatar : avatars_) last_s = std::max(last_s, avatar->end_s());
    return last_s;
  };
  while (start_s_ && failure_.ok() && FilmSeconds() < pacer_->next_show_s() + 1 &&
         pacer_->next_show_s() < end_s() + kLead * options_.format.rate.period_s()) {
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
