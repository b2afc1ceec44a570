#include "services/renderer_sink/render/render_clip.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/files/byte_sink.h"
#include "libs/files/read.h"
#include "libs/recording/wav_file.h"
#include "libs/render/contact_sheet.h"
#include "libs/render/painter.h"
#include "libs/service/grpc_host.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/draw/show_props.h"
#include "services/renderer_sink/render/clip_offsets.h"
#include "services/renderer_sink/render/clip_source.h"
#include "services/renderer_sink/render/scene_cast.h"
#include "services/renderer_sink/render/video_writer.h"

namespace posewire::renderer_sink {
namespace {

// After this time springs move as they do in a film.
constexpr double kLead_s = 1.5;

enum class Kind { kPng, kMp4, kGif };

absl::StatusOr<Kind> KindOf(absl::string_view path) {
  if (absl::EndsWithIgnoreCase(path, ".png")) return Kind::kPng;
  if (absl::EndsWithIgnoreCase(path, ".mp4")) return Kind::kMp4;
  if (absl::EndsWithIgnoreCase(path, ".gif")) return Kind::kGif;
  return absl::InvalidArgumentError(absl::StrCat("\"", path, "\" must end in .mp4, .gif or .png"));
}

// Frames are tall for a body and about square for a head; small on a sheet and in a GIF.
PictureSize SizeOf(const RenderJob& job, const DrawSettings& draw, Kind kind, bool of_scene) {
  if (!draw.size.empty()) {
    PictureSize size = *ParsePictureSize(draw.size);
    if (kind == Kind::kMp4) size.width &= ~1, size.height &= ~1;
    return size;
  }
  const int height = job.sheet ? (job.in.empty() ? 220 : 300) : kind == Kind::kGif ? 360 : 640;
  if (of_scene) return {(height * 16 / 9) & ~1, height};
  const int width =
      draw.camera == "body" || draw.camera == "all" ? height * 3 / 4 : height * 15 / 16;
  return {width & ~1, height};
}

// "drawing [#####-----] 42 %  12 s left", on a terminal only.
class Bar {
 public:
  explicit Bar(int total) : total_(total), shown_(isatty(STDERR_FILENO) == 1) {}
  ~Bar() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void At(int done) const {
    if (!shown_ || total_ < 1) return;
    constexpr int kWidth = 30;
    const double spent_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const int filled = kWidth * done / total_;
    std::string bar(static_cast<size_t>(filled), '#');
    bar.resize(kWidth, '-');
    std::fprintf(stderr, "\rdrawing [%s] %3d %%", bar.c_str(), 100 * done / total_);
    if (done > 0) std::fprintf(stderr, "  %.0f s left ", spent_s * (total_ - done) / done);
    std::fflush(stderr);
  }

 private:
  int total_;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Returns the voice as a WAV; "" if there is none.
absl::StatusOr<std::string> VoiceWav(const ClipSource& source) {
  std::string out;
  if (source.voice.empty()) return out;
  auto wav = recording::WavFile::Create(std::make_unique<files::MemorySink>("the voice", &out),
                                        static_cast<uint32_t>(source.voice_rate_hz));
  if (!wav.ok()) return wav.status();
  const absl::string_view bytes(reinterpret_cast<const char*>(source.voice.data()),
                                source.voice.size() * sizeof(int16_t));
  if (absl::Status s = (*wav)->Append(bytes); !s.ok()) return s;
  if (absl::Status s = (*wav)->Close(); !s.ok()) return s;
  return out;
}

// The state of one run.
class Render {
 public:
  Render(const RenderJob& job, const DrawSettings& draw, const service::Process& process,
         const service::Logger& log)
      : job_(job), draw_(draw), process_(process), log_(log) {}

  absl::Status Run() {
    const absl::StatusOr<Kind> kind = KindOf(job_.out);
    if (!kind.ok()) return kind.status();
    if (absl::Status s = CheckPlace(job_.out); !s.ok()) return s;
    if (absl::Status s = Prepare(*kind); !s.ok()) return s;
    if (job_.in.empty()) return Faces();
    const absl::Status done = *kind == Kind::kPng
                                  ? Stills()
                                  : Film(*kind == Kind::kMp4 ? VideoKind::kMp4 : VideoKind::kGif);
    if (done.ok() && mixed_ != nullptr) TellMissing();
    return done;
  }

 private:
  absl::Status Prepare(Kind kind) {
    if (job_.sheet && kind != Kind::kPng) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sheet is a picture; \"", job_.out, "\" must end in .png"));
    }
    auto catalog = skel::RigCatalog::Builtin("arkit68");
    if (!catalog.ok()) return catalog.status();
    catalog_ = *std::move(catalog);
    if (absl::Status s = OpenCast(); !s.ok()) return s;
    size_ = SizeOf(job_, draw_, kind, cast_ != nullptr);
    CharacterSetOptions wanted = draw_.Characters("");
    if (cast_ != nullptr) wanted.who = cast_->lead();
    wanted.width = size_.width;
    wanted.height = size_.height;
    auto characters = CharacterSet::Make(std::move(wanted), &catalog_, log_);
    if (!characters.ok()) return characters.status();
    characters_ = *std::move(characters);
    if (!characters_->has_background() && kind != Kind::kPng) {
      return absl::InvalidArgumentError(absl::StrCat(
          "films have no alpha; \"", job_.out, "\" must end in .png to be without a background"));
    }
    if (!job_.in.empty()) {
      std::vector<OffsetsAt> offsets;
      if (absl::Status s = OpenOffsets(offsets); !s.ok()) return s;
      if (cast_ != nullptr) {
        if (absl::Status s = cast_->Read(catalog_, rate_); !s.ok()) return s;
        if (mixed_ != nullptr) {
          if (absl::Status s = cast_->OpenOffsets(offsets); !s.ok()) return s;
        }
      }
      auto source = ReadClipSource(job_.in, characters_->lead().rig, catalog_, rate_, OfLead());
      if (!source.ok()) return source.status();
      source_ = *std::move(source);
      for (const std::string& why : source_.warnings) log_.Warning("the clip", {{"why", why}});
      if (cast_ != nullptr) cast_->SetLead(source_);
      clips_[characters_->lead().rig.get()] = source_.clip;
      if (draw_.camera == "shot" && source_.camera.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--camera shot: ", job_.in, " has no camera"));
      }
    }
    if (absl::Status s = Show({}); !s.ok()) return s;
    return mixed_ == nullptr ? absl::OkStatus() : CheckOffsets();
  }

  // Finds the other characters of a scene.
  absl::Status OpenCast() {
    if (job_.in.empty()) return absl::OkStatus();
    const auto rate = timecode::ParseFrameRate(draw_.fps.empty() ? "30" : draw_.fps);
    if (!rate.ok()) return rate.status();
    rate_ = *rate;
    auto cast = SceneCast::Open(job_.in, job_.with, draw_, catalog_, log_);
    if (!cast.ok()) return cast.status();
    cast_ = *std::move(cast);
    if (cast_ == nullptr) return absl::OkStatus();
    for (const std::string& why : cast_->scene().warnings) {
      log_.Warning("the scene", {{"why", why}});
    }
    return absl::OkStatus();
  }

  // Reads the lead of a scene, or the clip.
  clipio::OpenOptions OfLead() const {
    clipio::OpenOptions out;
    out.outside_skel_root = draw_.outside_skel_root;
    if (cast_ != nullptr && cast_->of_scene()) out.character = 0;
    return out;
  }

  // Without --camera, a scene is seen by its own camera, or else from where all are seen.
  render::Camera CameraAt(double t_s, const skel::PoseView& pose) const {
    const bool open = draw_.camera == "auto" && cast_ != nullptr;
    const float aspect = static_cast<float>(size_.width) / static_cast<float>(size_.height);
    if (draw_.camera == "shot" || (open && !source_.camera.empty())) {
      return source_.camera.At(t_s, cast_ == nullptr
                                        ? actor_->camera.target
                                        : cast_->SeesAll(*actor_->character, 0, aspect).target);
    }
    if ((draw_.camera == "all" || open) && cast_ != nullptr) {
      return cast_->SeesAll(*actor_->character, draw_.turn_deg, aspect);
    }
    return actor_->CameraFor(pose);
  }

  // Offsets are per frame, so the clip is resampled at their rate, if all have the same.
  // Sets `found` to those that there are.
  absl::Status OpenOffsets(std::vector<OffsetsAt>& found) {
    if (draw_.offsets.empty() || draw_.offsets == "none") return absl::OkStatus();
    auto all = FindOffsets(draw_.offsets, draw_.OffsetsCache(log_));
    if (!all.ok()) return all.status();
    found = *std::move(all);
    const auto files = FilesOf(characters_->shared_lead(), found);
    if (!files.ok()) return files.status();
    auto opened = ClipOffsets::Open(*files);
    if (!opened.ok()) return opened.status();
    mixed_ = *std::move(opened);
    for (const OffsetsAt& clip : files->clips) {
      const timecode::FrameRate rate = {static_cast<int>(clip.header.rate_num),
                                        static_cast<int>(clip.header.rate_den)};
      if (offsets_rate_ && *offsets_rate_ != rate) {
        offsets_rate_.reset();
        break;
      }
      offsets_rate_ = rate;
    }
    if (offsets_rate_ && draw_.fps.empty()) rate_ = *offsets_rate_;
    return absl::OkStatus();
  }

  void TellMissing() const {
    for (const auto& [clip, frames] : mixed_->missing()) {
      log_.Warning(
          "a clip has no offsets, or is mirrored on a mesh that is not symmetric; it is drawn "
          "without",
          {{"clip", clip}, {"frames", frames}});
    }
  }

  // A recorded take says which clips each frame is made of. Any other clip is its own.
  absl::Status CheckOffsets() {
    offset_actor_ = actor_;
    if (!source_.contributions.empty()) return absl::OkStatus();
    if (offsets_rate_ && rate_ != *offsets_rate_) {
      return absl::InvalidArgumentError(
          absl::StrFormat("--fps %s: the offsets of %s are of %.4g frames a second", draw_.fps,
                          ShownPlace(draw_.offsets), offsets_rate_->hz()));
    }
    wire::Contribution& whole = itself_.contributions.emplace_back();
    whole.clip = source_.clip->name();
    whole.clip_hash = source_.clip->content_hash();
    whole.weight = 1;
    return mixed_->CheckHas(job_.in, whole.clip_hash);
  }

  // Which clips the frame at that time is made of.
  const wire::Contributions& SeenAt(double t_s) {
    static const wire::Contributions none;
    if (source_.contributions.empty()) {
      itself_.contributions.front().time_s = t_s;
      return itself_;
    }
    const wire::Contributions* const seen = LastBy(t_s, rate_, source_.contributions);
    return seen == nullptr ? none : *seen;
  }

  absl::Status Show(const wire::Appearance& asked) {
    const auto actor = characters_->Show(asked);
    if (!actor.ok()) return actor.status();
    actor_ = *actor;
    // A light that the clip asks for is in the lead's space, and stays.
    if (cast_ != nullptr && !staged_.light) cast_->Light(*actor_->painter);
    if (job_.in.empty()) return absl::OkStatus();
    const auto& rig = actor_->character->rig;
    if (clips_.count(rig.get()) == 0) {
      auto source = ReadClipSource(job_.in, rig, catalog_, rate_, OfLead());
      if (!source.ok()) return source.status();
      clips_[rig.get()] = source->clip;
    }
    clip_ = clips_.at(rig.get());
    return absl::OkStatus();
  }

  // Applies the appearance, light and background that the clip requests at that time.
  absl::Status DressFor(double t_s) {
    const Staging* const staged = LastBy(t_s, rate_, source_.stagings);
    if (staged != nullptr && !(*staged == staged_)) {
      staged_ = *staged;
      characters_->Stage(staged_);
    }
    const wire::Appearance* const asked = LastBy(t_s, rate_, source_.appearances);
    if (asked == nullptr || *asked == worn_) return absl::OkStatus();
    worn_ = *asked;
    return Show(*asked);
  }

  absl::Status DrawAt(double t_s, render::Picture& out) {
    if (process_.StopRequested()) return absl::CancelledError("stopped");
    if (absl::Status s = DressFor(t_s); !s.ok()) return s;
    const skel::Rig& rig = *actor_->character->rig;
    skel::Pose pose(rig.joints(), rig.shapes());
    clip_->Sample(t_s, pose.span());
    actor_->painter->SetTime(t_s);
    if (absl::Status s = ShowProps(source_.props.At(t_s), characters_->props(), *actor_); !s.ok()) {
      return s;
    }
    if (cast_ != nullptr) {
      const absl::Status s = cast_->PoseAt(t_s, *actor_->painter, /*drawn=*/true);
      if (!s.ok()) return s;
    }
    const render::Camera camera = CameraAt(t_s, pose.view());
    // Other characters that the clip requests have no offsets.
    if (mixed_ == nullptr || actor_ != offset_actor_) {
      return actor_->painter->Draw(pose.view(), camera, out);
    }
    const auto offsets = mixed_->Of(pose.view(), SeenAt(t_s));
    if (!offsets.ok()) return offsets.status();
    return actor_->painter->DrawOffsets(pose.view(), *offsets, camera, out);
  }

  // Moves hair and clothes to their state in a film, for a single picture.
  absl::Status LeadTo(double t_s) {
    if (absl::Status s = DressFor(t_s); !s.ok()) return s;
    if (actor_->character->springs.joints.empty() && cast_ == nullptr) return absl::OkStatus();
    const skel::Rig& rig = *actor_->character->rig;
    skel::Pose pose(rig.joints(), rig.shapes());
    const int frames = static_cast<int>(std::min(t_s, kLead_s) / rate_.period_s());
    for (int k = frames; k > 0; --k) {
      const double before_s = t_s - k * rate_.period_s();
      clip_->Sample(before_s, pose.span());
      actor_->painter->SetTime(before_s);
      if (absl::Status s = actor_->painter->Pass(pose.view()); !s.ok()) return s;
      if (cast_ == nullptr) continue;
      const absl::Status s = cast_->PoseAt(before_s, *actor_->painter, /*drawn=*/false);
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // Draws each shape alone, the face at rest first.
  absl::Status Faces() {
    const skel::Rig& rig = *actor_->character->rig;
    const int shapes = rig.shapes();
    std::vector<render::Picture> frames;
    std::vector<std::string> names = {"rest"};
    // Nearer than for a talking head: hair and shoulders say nothing here.
    render::Camera camera = actor_->camera;
    const skel::Vec3 way = camera.eye - camera.target;
    camera.target.y -= 0.018f;
    camera.eye = camera.target + way * 0.70f;
    camera.height_m *= 0.70f;
    const Bar bar(shapes + 1);
    for (int s = -1; s < shapes; ++s) {
      bar.At(s + 1);
      if (process_.StopRequested()) return absl::CancelledError("stopped");
      skel::Pose pose(rig.joints(), shapes);
      if (s >= 0) {
        names.push_back(rig.shape_names()[static_cast<size_t>(s)]);
        pose.span().SetWeight(s, 1);
        // The tongue is only visible behind open lips.
        const bool tongue = absl::StartsWith(names.back(), "tongue") && names.back() != "tongueOut";
        if (tongue) pose.span().SetWeight(rig.FindShape("jawOpen"), 0.7f);
      }
      frames.emplace_back();
      const absl::Status drawn = actor_->painter->Draw(pose.view(), camera, frames.back());
      if (!drawn.ok()) return drawn;
    }
    return WriteSheet(frames, names, 10);
  }

  absl::Status WriteSheet(const std::vector<render::Picture>& frames,
                          const std::vector<std::string>& captions, int columns) const {
    const auto sheet = render::ContactSheet(frames, captions, columns);
    if (!sheet.ok()) return sheet.status();
    const auto png = render::EncodePng(*sheet);
    if (!png.ok()) return png.status();
    return files::WriteWhole(job_.out, *png);
  }

  absl::Status Stills() {
    const double end_s = source_.clip->duration_s();
    const int count = job_.sheet ? job_.instants : 1;
    // The last frame may count as shown until the next one.
    if (!job_.sheet && job_.at_s > end_s + rate_.period_s()) {
      return absl::OutOfRangeError(absl::StrFormat("--at %g s is beyond the end of %s, at %.3f s",
                                                   job_.at_s, job_.in, end_s));
    }
    std::vector<render::Picture> frames(static_cast<size_t>(count));
    std::vector<std::string> captions;
    {
      const Bar bar(count);
      for (int i = 0; i < count; ++i) {
        bar.At(i);
        double t_s = count > 1 ? end_s * i / (count - 1) : end_s / 2;
        if (!job_.sheet && job_.at_s >= 0) t_s = std::min(job_.at_s, end_s);
        captions.push_back(absl::StrFormat("%.2f s", t_s));
        if (absl::Status s = LeadTo(t_s); !s.ok()) return s;
        if (absl::Status s = DrawAt(t_s, frames[static_cast<size_t>(i)]); !s.ok()) return s;
      }
    }
    if (job_.sheet) {
      const int columns = count <= 4 ? count : std::min((count + 1) / 2, 8);
      return WriteSheet(frames, captions, columns);
    }
    const auto png = render::EncodePng(frames.front());
    if (!png.ok()) return png.status();
    return files::WriteWhole(job_.out, *png);
  }

  absl::Status Film(VideoKind kind) {
    absl::StatusOr<std::string> voice = kind == VideoKind::kMp4 ? VoiceWav(source_) : std::string();
    if (!voice.ok()) return voice.status();
    auto writer = VideoWriter::Start(
        job_.out, {kind, size_.width, size_.height, rate_.hz(), *std::move(voice)});
    if (!writer.ok()) return writer.status();
    const int frames = source_.clip->frames();
    const Bar bar(frames);
    render::Picture frame;
    for (int k = 0; k < frames; ++k) {
      bar.At(k);
      if (absl::Status s = DrawAt(rate_.SecondsAt(k), frame); !s.ok()) return s;
      if (absl::Status s = (*writer)->Write(frame); !s.ok()) return s;
    }
    return (*writer)->Finish();
  }

  const RenderJob& job_;
  const DrawSettings& draw_;
  const service::Process& process_;
  const service::Logger& log_;
  timecode::FrameRate rate_;
  skel::RigCatalog catalog_;
  std::unique_ptr<CharacterSet> characters_;
  ClipSource source_;
  std::unique_ptr<SceneCast> cast_;                                      // null: one character
  std::map<const skel::Rig*, std::shared_ptr<const clip::Clip>> clips_;  // on the rig of each
  PictureSize size_;
  // The current drawing.
  wire::Appearance worn_;
  Staging staged_;
  CharacterSet::Actor* actor_ = nullptr;
  std::optional<timecode::FrameRate> offsets_rate_;  // if all of them have one
  std::unique_ptr<ClipOffsets> mixed_;
  wire::Contributions itself_;                         // of a clip that is no take
  const CharacterSet::Actor* offset_actor_ = nullptr;  // the character of the offsets
  std::shared_ptr<const clip::Clip> clip_;
};

}  // namespace

absl::Status CheckPicture(absl::string_view path) { return KindOf(path).status(); }

int RunRender(const RenderJob& job, const DrawSettings& draw, const service::Process& process,
              const service::Logger& log) {
  signal(SIGPIPE, SIG_IGN);
  if (const absl::Status s = Render(job, draw, process, log).Run(); !s.ok()) {
    return service::FailToStart(log, s);
  }
  std::printf("%s\n", job.out.c_str());
  return 0;
}

}  // namespace posewire::renderer_sink
