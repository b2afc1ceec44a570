#include "services/anim_graph/core/avatar.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "libs/stream/busy.h"
#include "libs/timecode/audio_position.h"

namespace posewire::anim_graph {
namespace {

constexpr double kBlendOut_s = 0.3;

}  // namespace

Avatar::Avatar(std::shared_ptr<const graph::GraphAsset> asset, const EngineSettings& settings,
               uint64_t seed, TickScratch* scratch, bool own_rig)
    : rig_(asset->rig()),
      settings_(settings),
      seed_(seed),
      scratch_(*scratch),
      own_said_(own_rig ? std::make_unique<SourcePoses>(rig_->joints(), rig_->shapes()) : nullptr),
      graph_instance_(asset->Instantiate(asset, seed)),
      pose_(rig_->joints(), rig_->shapes()) {
  active_.reserve(64);
  events_.reserve(64);
}

void Avatar::SetGraphAsset(const std::shared_ptr<const graph::GraphAsset>& asset) {
  auto next = asset->Instantiate(asset, seed_);
  next->TakeOver(*graph_instance_, pose_.view());
  graph_instance_ = std::move(next);
  appearance_.TellAgain();
}

absl::StatusOr<Avatar::OutputFormat*> Avatar::OpenOutputFormat(
    const std::shared_ptr<const skel::Rig>& rig, bool contributions, wire::PoseForm form) {
  for (const auto& l : output_formats_) {
    if (&l->output->rig() == rig.get() && l->contributions == contributions && l->form == form) {
      return l.get();
    }
  }
  auto output_format = std::make_unique<OutputFormat>();
  output_format->contributions = contributions;
  output_format->form = form;
  if (form != wire::PoseForm::kComplete) {
    output_format->kept = std::make_unique<wire::SparsePose>(*rig, form);
  }
  wire::FrameWriter* const writer =
      has_own_rig() && rig == rig_
          ? &output_format->own_writer.emplace(rig->joints(), rig->shapes(), &scratch_.frames())
          : scratch_.WriterOf(*rig);
  auto output = Output::Make(rig_, rig, settings_, writer);
  if (!output.ok()) return output.status();
  output_format->output = *std::move(output);
  output_formats_.push_back(std::move(output_format));
  return output_formats_.back().get();
}

void Avatar::NoteUsers() {
  const bool asked = std::any_of(output_formats_.begin(), output_formats_.end(),
                                 [](const auto& l) { return l->contributions && l->users > 0; });
  graph_instance_->TellContributions(asked);
  if (asked == (contributions_ != nullptr)) return;
  contributions_ = asked ? std::make_unique<wire::ContributionsWriter>(rig_) : nullptr;
}

absl::Status Avatar::Add(std::unique_ptr<Playback> playback) {
  int queued = 0;
  for (const auto& p : playbacks_) {
    queued += p->state() == PlayState::kQueued &&
              p->header().source_service_id == playback->header().source_service_id;
  }
  if (queued >= settings_.max_queued_requests) {
    return stream::BusyError(absl::StrFormat(
        "%d requests of source_service_id \"%s\" already wait for this avatar, and no more than %d "
        "may; "
        "push again when one has ended",
        queued, playback->header().source_service_id, settings_.max_queued_requests));
  }
  scratch_.MakeRoom(playbacks_.size() + 1, playback->key_width());
  said().MakeRoom(playbacks_.size() + 1);
  if (playback->has_started()) active_.push_back(playback.get());
  playbacks_.push_back(std::move(playback));
  return absl::OkStatus();
}

void Avatar::Tick(int64_t k, double now_s) {
  scratch_.mixer().BeginFrame();
  const int64_t ticks = started_ ? k - tick_ : 1;
  const bool gap = settings_.fps.SecondsAt(ticks - 1) > settings_.max_gap_s;
  int64_t first = started_ ? tick_ + 1 : k;
  if (gap) {
    ++holes_;
    missed_ticks_ += ticks - 1;
    first = k;
  } else {
    missed_ticks_ += ticks - 1;
  }
  for (int64_t i = first; i <= k; ++i) AdvanceTo(i, now_s - settings_.fps.SecondsAt(k - i));
  tick_ = k;
  started_ = true;
  const double dt_s = settings_.fps.SecondsAt(gap ? 1 : ticks);
  frame_start_ = first;
  Compose(k, dt_s);
  MoveHeldProps(dt_s);
  Encode(k, first);
}

void Avatar::AdvanceTo(int64_t k, double now_s) {
  scratch_.mixer().BeginTick(k);
  // An interrupted request plays only its fade in this tick. A request that ends makes room for the
  // next one in the same tick.
  StartReady(Policy::kInterrupt, k, now_s);
  for (Playback* p : active_) AdvanceOne(*p, k, now_s);
  StartReady(Policy::kQueue, k, now_s);
  // An interrupted or stopped voice fades out within its last tick.
  for (Playback* p : active_) {
    if (p->state() == PlayState::kBlendingOut && p->FadeOut(scratch_.mixer().scratch()))
      scratch_.mixer().Add();
  }
  for (const auto& p : playbacks_) {
    if (p->state() == PlayState::kBlendingOut &&
        settings_.fps.SecondsAt(k - p->last_tick()) >= kBlendOut_s - 1e-9) {
      p->SetOver();
      Report(PlaybackEvent::kOver, *p, k);
    }
  }
  std::erase_if(active_, [](const Playback* p) { return p->state() == PlayState::kOver; });
}

void Avatar::AdvanceOne(Playback& p, int64_t k, double now_s) {
  const PlayState before = p.state();
  if (p.Advance(k, now_s, pulled_, scratch_.mixer().scratch())) scratch_.mixer().Add();
  if (p.state() == before) return;
  if (p.state() == PlayState::kStarved) Report(PlaybackEvent::kUnderrun, p, k);
  if (before == PlayState::kStarved && p.state() == PlayState::kPlaying) {
    Report(PlaybackEvent::kResumed, p, k);
  }
  if (p.state() == PlayState::kBlendingOut) Report(PlaybackEvent::kEnded, p, k);
}

Playback* Avatar::Current(absl::string_view source) const {
  for (Playback* p : active_) {
    const bool plays = p->state() == PlayState::kPlaying || p->state() == PlayState::kStarved;
    if (plays && p->header().source_service_id == source) return p;
  }
  return nullptr;
}

void Avatar::StartReady(Policy policy, int64_t k, double now_s) {
  for (size_t i = 0; i < playbacks_.size(); ++i) {
    Playback& p = *playbacks_[i];
    int64_t late_ticks = 0;
    if (p.state() != PlayState::kQueued || p.settings().policy != policy) continue;
    if (!MayStart(p, k, now_s, late_ticks)) continue;
    if (policy == Policy::kInterrupt) InterruptBefore(i, k);
    p.Start(k, now_s, late_ticks);
    Report(PlaybackEvent::kStarted, p, k);
    active_.push_back(&p);
    if (policy == Policy::kQueue) AdvanceOne(p, k, now_s);
  }
}

// Ends all playing and waiting requests of the same source before playback `index`.
void Avatar::InterruptBefore(size_t index, int64_t k) {
  for (size_t i = 0; i < index; ++i) {
    Playback& p = *playbacks_[i];
    if (p.header().source_service_id != playbacks_[index]->header().source_service_id) continue;
    if (p.state() == PlayState::kBlendingOut || p.state() == PlayState::kOver) continue;
    p.End(Ending::kInterrupted, k);
    Report(PlaybackEvent::kEnded, p, k);
    if (p.state() == PlayState::kOver) Report(PlaybackEvent::kOver, p, k);
  }
}

bool Avatar::IsNext(const Playback& p) const {
  const auto& source = p.header().source_service_id;
  if (Current(source) != nullptr) return false;
  for (const auto& earlier : playbacks_) {
    if (earlier.get() == &p) break;
    if (earlier->state() == PlayState::kQueued && earlier->header().source_service_id == source) {
      return false;
    }
  }
  return true;
}

bool Avatar::MayStart(const Playback& p, int64_t k, double now_s, int64_t& late_ticks) {
  if (!p.ReadyToStart(now_s, pulled_)) return false;
  if (p.settings().policy == Policy::kQueue && !IsNext(p)) return false;
  if (!p.settings().align_to_epoch) return true;
  for (const Playback* other : active_) {
    if (other == &p || !other->settings().align_to_epoch || other->state() != PlayState::kPlaying) {
      continue;
    }
    const double later_s = p.EpochStart() - other->EpochStart();
    // Epochs may be any time apart, but tick numbers are bounded.
    const int64_t due = other->first_tick() + settings_.fps.NearestTick(later_s);
    late_ticks = std::max<int64_t>(0, k - due);
    return k >= due;
  }
  return true;
}

void Avatar::Report(PlaybackEvent::Kind kind, const Playback& p, int64_t k) {
  events_.push_back({kind, p.id(), settings_.fps.SecondsAt(k)});
}

void Avatar::Compose(int64_t k, double dt_s) {
  auto& providers = scratch_.providers();
  providers.clear();
  for (Playback* p : active_) {
    if (p->state() != PlayState::kPlaying && p->state() != PlayState::kStarved) continue;
    p->SamplePose(scratch_, said()[providers.size()]);
    if (p->has_pose()) providers.push_back(p->provider());
  }
  graph::Inputs inputs{providers, users_, neighbours_};
  inputs.props = props_;
  graph_instance_->Tick(k, settings_.fps.SecondsAt(k), dt_s, inputs, pose_.span());
}

skel::Placement Avatar::PlaceOf(const skel::BodySite& site) const {
  return skel::PlaceOf(*rig_, started_ ? pose_.view() : rig_->rest(), site);
}

void Avatar::MoveHeldProps(double dt_s) {
  if (scene_ == nullptr || scene_->empty()) return;
  scene_->Follow(
      this, [this](const skel::BodySite& site) { return from_ * PlaceOf(site); }, dt_s);
}

void Avatar::Encode(int64_t k, int64_t first_audio_tick) {
  const bool wanted = std::any_of(output_formats_.begin(), output_formats_.end(),
                                  [](const auto& l) { return l->users > 0; });
  // Metadata is removed even if nothing pulls it, because it belongs to one moment.
  auto& metadata = scratch_.metadata();
  metadata.clear();
  wire::CameraSample camera;
  bool has_camera = false;
  for (auto it = active_.rbegin(); it != active_.rend(); ++it) {  // newest first: it wins if two
                                                                  // have the same key
    Playback& p = **it;
    if (p.state() != PlayState::kPlaying) continue;
    if (!has_camera) has_camera = p.SampleCamera(camera);
    const size_t before = metadata.size();
    p.TakeMetadata(metadata);
    for (size_t i = before; i < metadata.size();) {
      const auto end = metadata.begin() + static_cast<ptrdiff_t>(i);
      const auto same = std::find_if(metadata.begin(), end,
                                     [&](const auto& e) { return e.key == metadata[i].key; });
      if (same == end) {
        ++i;
        continue;
      }
      // Within one request the later message wins, otherwise the newer request.
      if (same >= metadata.begin() + static_cast<ptrdiff_t>(before)) *same = std::move(metadata[i]);
      metadata.erase(end);
    }
  }
  appearance_.Tick(graph_instance_->variables(), metadata);
  if (!wanted) return;
  if (scene_ != nullptr) scene_->Tell(from_, props_told_, metadata);
  const graph::TickOutputs& told = graph_instance_->outputs();
  if (!has_camera && told.has_camera) {
    has_camera = camera.has_position = camera.has_rotation = camera.has_focal_length = true;
    camera.position = told.camera.position;
    camera.rotation = told.camera.rotation;
    camera.focal_length = told.camera.focal_length_mm;
  }
  wire::OutputFrame frame;
  frame.time_code_s = settings_.fps.SecondsAt(k);
  frame.pose = pose_.view();
  frame.audio = scratch_.mixer().samples();
  frame.audio_time_code_s = static_cast<double>(timecode::FirstSampleOfTick(
                                first_audio_tick, settings_.audio_rate_hz, settings_.fps)) /
                            settings_.audio_rate_hz;
  frame.camera = has_camera ? &camera : nullptr;
  frame.metadata = metadata;
  EncodeFormats(frame, /*contributions=*/false);
  if (contributions_ != nullptr) EncodeWithContributions(frame);
}

void Avatar::EncodeWithContributions(wire::OutputFrame& frame) {
  const graph::ContributionList* const list = graph_instance_->contributions();
  if (list == nullptr) return;
  contributions_->Begin();
  for (size_t i = 0; i < list->size(); ++i) {
    const graph::ClipContribution& is = list->at(i);
    wire::ContributionFields fields;
    if (is.clip != nullptr) {
      fields.clip = is.clip->name();
      fields.clip_hash = is.clip->content_hash();
    } else {
      fields.clip = is.pushed_name.view();
      fields.clip_hash = is.pushed_hash;
    }
    fields.time_s = is.time_s;
    fields.weight = list->weight(i);
    fields.additive = is.additive;
    fields.mirrored = is.mirrored;
    fields.frozen = is.frozen;
    fields.source_service_id = is.source.view();
    contributions_->Add(fields, list->row(i));
  }
  auto& metadata = scratch_.metadata();
  wire::MetadataEntry& entry = contributions_->Finish(list->left_out());
  metadata.emplace_back();
  std::swap(metadata.back(), entry);
  frame.metadata = metadata;
  EncodeFormats(frame, /*contributions=*/true);
  std::swap(metadata.back(), entry);
  metadata.pop_back();
}

void Avatar::EncodeFormats(const wire::OutputFrame& frame, bool contributions) {
  // Once a second, each avatar at its own tick, and where a request begins or ends.
  const auto second = static_cast<uint64_t>(std::max<int64_t>(1, settings_.fps.NearestTick(1)));
  const bool complete =
      !events_.empty() ||
      (static_cast<uint64_t>(settings_.fps.NearestTick(frame.time_code_s)) + seed_) % second == 0;
  for (const auto& format : output_formats_) {
    if (format->users == 0 || format->contributions != contributions) continue;
    if (format->kept == nullptr) {
      format->frame = format->output->Encode(frame);
      continue;
    }
    format->frame = format->output->EncodeSparse(frame, complete, format->kept.get(),
                                                 format->incomplete > 0 ? &format->whole : nullptr);
  }
}

void Avatar::Sweep() {
  for (const auto& output_format : output_formats_)
    output_format->frame = output_format->whole = {};
  events_.clear();
  std::erase_if(playbacks_, [](const auto& p) { return p->state() == PlayState::kOver; });
}

}  // namespace posewire::anim_graph
