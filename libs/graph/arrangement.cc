#include "libs/graph/arrangement.h"

#include <algorithm>
#include <limits>

namespace posewire::graph {
namespace {

constexpr double kNever_s = std::numeric_limits<double>::infinity();
// Maximum number of items passed in one tick; more follow at the next one.
constexpr int kMostAtOnce = 16;

}  // namespace

bool IsLive(const Inputs& inputs, absl::string_view source_service_id) {
  return std::any_of(inputs.providers.begin(), inputs.providers.end(), [&](const ProviderInput& p) {
    return !p.suspended && (source_service_id.empty() || p.source_service_id == source_service_id);
  });
}

double Arrangement::Item::length_s() const {
  switch (kind) {
    case kClip:
      return clip == nullptr ? 0 : clip->duration_s() / speed;
    case kLive:
      return kNever_s;
    case kPause:
      return pause_s;
  }
  return 0;
}

void ArrangementPlayer::Start(const Arrangement* arrangement) {
  arrangement_ = arrangement;
  fresh_ = true;
  done_ = 0;
  item_ = repeat_ = 0;
  item_s_ = 0;
}

bool ArrangementPlayer::Endless() const {
  return arrangement_->loop || (arrangement_->random && arrangement_->count == 0);
}

void ArrangementPlayer::Enter(int item) {
  item_ = item;
  repeat_ = 0;
  item_s_ = 0;
  live_seen_ = false;
  jumped_ = true;
  speed_ = now().kind == Arrangement::Item::kClip ? now().speed : 1;
}

int ArrangementPlayer::Draw(const TickContext& ctx) const {
  const auto& items = arrangement_->items;
  const int size = static_cast<int>(items.size());
  // Excludes the last item, unless it is the only one.
  const int last = fresh_ || size == 1 ? -1 : item_;
  float sum = 0;
  for (int i = 0; i < size; ++i) {
    if (i != last) sum += items[static_cast<size_t>(i)].weight;
  }
  float dice = ctx.rng->Uniform() * sum;
  int drawn = -1;
  for (int i = 0; i < size && dice >= 0; ++i) {
    if (i == last) continue;
    drawn = i;
    dice -= items[static_cast<size_t>(i)].weight;
  }
  return drawn;
}

// Goes to the next item; returns false if there is none.
bool ArrangementPlayer::Next(const TickContext& ctx) {
  if (++repeat_ < now().times) {
    item_s_ = 0;
    live_seen_ = false;
    jumped_ = true;
    return true;
  }
  const int size = static_cast<int>(arrangement_->items.size());
  if (arrangement_->random) {
    ++done_;
    if (!Endless() && done_ >= arrangement_->count) return false;
    Enter(Draw(ctx));
    return true;
  }
  if (item_ + 1 < size) {
    Enter(item_ + 1);
    return true;
  }
  ++done_;
  if (!Endless() && done_ >= std::max(arrangement_->count, 1)) return false;
  Enter(0);
  return true;
}

bool ArrangementPlayer::LiveIsOver(const TickContext& ctx) {
  if (IsLive(*ctx.inputs, now().source_service_id)) {
    live_seen_ = true;
    return false;
  }
  return live_seen_ || (now().wait_s > 0 && item_s_ >= now().wait_s - kOnTime_s);
}

bool ArrangementPlayer::Step(const TickContext& ctx) {
  jumped_ = false;
  if (arrangement_ == nullptr) return false;
  double go = ctx.dt_s;
  if (fresh_) {
    Enter(arrangement_->random ? Draw(ctx) : 0);
    fresh_ = false;
    go = 0;
  }
  for (int passed = 0; passed < kMostAtOnce; ++passed) {
    item_s_ += go;
    if (now().kind == Arrangement::Item::kLive) {
      if (!LiveIsOver(ctx)) return false;
      go = 0;
    } else {
      go = item_s_ - now().length_s();
      if (go < -kOnTime_s) return false;
      go = std::max(go, 0.0);
    }
    if (Next(ctx)) continue;
    arrangement_ = nullptr;
    return true;
  }
  return false;
}

const clip::Clip* ArrangementPlayer::clip() const {
  if (arrangement_ == nullptr || now().kind != Arrangement::Item::kClip) return nullptr;
  return now().clip;
}

double ArrangementPlayer::remaining_s() const {
  if (arrangement_ == nullptr || fresh_ || Endless()) return kNever_s;
  const bool last = arrangement_->random
                        ? done_ + 1 >= arrangement_->count
                        : done_ + 1 >= std::max(arrangement_->count, 1) &&
                              item_ + 1 == static_cast<int>(arrangement_->items.size());
  if (!last || repeat_ + 1 < now().times) return kNever_s;
  return std::max(now().length_s() - item_s_, 0.0);
}

void ArrangementPlayer::Adopt(const ArrangementPlayer& other, const Arrangement* same) {
  Start(same);
  if (same == nullptr || other.arrangement_ == nullptr || other.fresh_) return;
  if (other.item_ >= static_cast<int>(same->items.size())) return;
  fresh_ = false;
  done_ = other.done_;
  Enter(other.item_);
  const Arrangement::Item &was = other.now(), &is = now();
  if (was.kind != is.kind || was.source_service_id != is.source_service_id) return;
  if ((was.clip == nullptr) != (is.clip == nullptr)) return;
  if (is.clip != nullptr && was.clip->name() != is.clip->name()) return;
  repeat_ = std::min(other.repeat_, is.times - 1);
  item_s_ = other.item_s_;
  live_seen_ = other.live_seen_;
}

}  // namespace posewire::graph
