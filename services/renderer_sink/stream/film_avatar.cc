#include "services/renderer_sink/stream/film_avatar.h"

#include <cmath>

namespace posewire::renderer_sink {
namespace {

// Maximum number of appearances that are not due yet; streams rarely change them.
constexpr size_t kMostAsked = 64;
// Maximum number of scene states that are not due yet: one per frame while something moves. Beyond
// it, the newest replaces the one before it.
constexpr size_t kMostProps = 256;
// The sound of a picture is taken within this time after it was drawn.
constexpr double kHeard_s = 1;

}  // namespace

FilmAvatar::FilmAvatar(int number, std::string name,
                       std::shared_ptr<const character::Character> shown, double delay_s,
                       bool contributions)
    : id(number),
      who(std::move(name)),
      character(std::move(shown)),
      drawn(*character->rig),
      contributions_(contributions),
      jitter_buffer_(character->rig, delay_s, character->at_ease),
      props_(kMostProps) {}

absl::Status FilmAvatar::OnHeader(const wire::StreamHeader& header,
                                  const skel::RigCatalog& catalog) {
  begins_ = true;
  absl::Status status = jitter_buffer_.OnHeader(header, catalog);
  came_ = came_ || status.ok();
  return status;
}

void FilmAvatar::OnData(const wire::DataChunk& data, double now_s) {
  const bool taken = jitter_buffer_.OnData(data, now_s);
  const double shift_s = jitter_buffer_.shift_s();
  if (contributions_ && taken) {
    seen_.Add(data.earliest_time_code_s + shift_s, data);
    says_nothing_ = says_nothing_ || (!judged_ && !SeenClips::IsSaid(data));
    judged_ = true;
  }
  if (taken) camera_.Add(data, shift_s);
  const double time_code_s = data.earliest_time_code_s + shift_s;
  const double shown_s = std::isfinite(time_code_s) ? time_code_s : now_s;
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
}

bool FilmAvatar::gone(double at_s) const { return left_ && (!came_ || at_s > end_s() + kHeard_s); }

void FilmAvatar::MoveTo(double at_s) {
  jitter_buffer_.PoseAt(at_s, drawn.pose.span());
  drawn.worn_changed = false;
  for (; !asked_.empty() && asked_.front().first <= at_s; asked_.pop_front()) {
    drawn.worn = std::move(asked_.front().second);
    drawn.worn_changed = true;
  }
  for (; !stagings_.empty() && stagings_.front().first <= at_s; stagings_.pop_front()) {
    drawn.staging = stagings_.front().second;
  }
  if (contributions_) drawn.seen = seen_.By(at_s);
  // As the pose goes to rest.
  for (wire::Contribution& one : drawn.seen.contributions) {
    one.weight *= static_cast<float>(jitter_buffer_.share());
  }
  drawn.props = props_.At(at_s);
  props_.DiscardBefore(at_s);
  camera_.DiscardBefore(at_s);
  drawn.camera = camera_;
  drawn.place = place_;
}

}  // namespace posewire::renderer_sink
