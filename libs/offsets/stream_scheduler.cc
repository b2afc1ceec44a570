#include "libs/offsets/stream_scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace posewire::offsets {
namespace {

constexpr size_t kIndex = std::numeric_limits<size_t>::max();
constexpr double kNever = std::numeric_limits<double>::infinity();
// How soon the first chunk of a clip that no view shows may be needed, and the urgency of an index.
constexpr double kFirstChunk_s = 60, kIndex_s = -1;

}  // namespace

StreamScheduler::StreamScheduler(const StreamLimits& limits, size_t loads) : limits_(limits) {
  slots_.resize(std::max<size_t>(limits_.chunks, 1));
  for (size_t s = slots_.size(); s-- > 0;) free_slots_.push_back(static_cast<int>(s));
  for (size_t k = 0; k < std::max<size_t>(loads, 1); ++k) {
    all_loads_.push_back(std::make_unique<ChunkLoad>());
    all_loads_.back()->discards.reserve(slots_.size());
    free_loads_.push_back(all_loads_.back().get());
  }
}

int StreamScheduler::AddClip(std::shared_ptr<files::ByteSource> source,
                             const ExpectedFile& expected) {
  const auto free = std::find_if(clips_.begin(), clips_.end(), [](const Clip& c) {
    return !c.used && c.loading == 0 && c.held == 0;
  });
  const auto clip = static_cast<size_t>(free - clips_.begin());
  if (free == clips_.end()) clips_.emplace_back();
  clips_[clip] = {};
  clips_[clip].used = true;
  clips_[clip].source = std::move(source);
  clips_[clip].expected = expected;
  for (std::vector<View>& views : views_) {
    views.resize(clips_.size());
    views[clip] = {};
  }
  Reserve();
  return static_cast<int>(clip);
}

void StreamScheduler::RemoveClip(int clip) {
  if (!IsClip(clip)) return;
  Clip& c = clips_[static_cast<size_t>(clip)];
  c.used = false;
  c.source.reset();
  if (c.file != nullptr) counts_.used_bytes -= c.file->held_bytes();
  c.file.reset();
  for (Slot& slot : slots_) {
    if (slot.clip == clip) slot.needed_s = kNever;
  }
}

int StreamScheduler::AddCharacter() {
  const auto character = static_cast<size_t>(
      std::find(characters_.begin(), characters_.end(), false) - characters_.begin());
  if (character == characters_.size()) {
    characters_.push_back(true);
    views_.emplace_back();
  }
  characters_[character] = true;
  views_[character].assign(clips_.size(), {});
  Reserve();
  return static_cast<int>(character);
}

void StreamScheduler::RemoveCharacter(int character) {
  if (character >= 0 && static_cast<size_t>(character) < characters_.size()) {
    characters_[static_cast<size_t>(character)] = false;
  }
}

void StreamScheduler::Reserve() {
  queried_.reserve(views_.size() * clips_.size());
  wanted_.reserve(2 * views_.size() * clips_.size() + 2 * clips_.size());
}

bool StreamScheduler::IsClip(int clip) const {
  return clip >= 0 && static_cast<size_t>(clip) < clips_.size() &&
         clips_[static_cast<size_t>(clip)].used;
}

void StreamScheduler::Need(int clip, size_t chunk, double seconds) {
  const int slot = clips_[static_cast<size_t>(clip)].file->chunks[chunk].slot;
  if (slot < 0) {
    wanted_.push_back({seconds, clip, chunk});
  } else {
    Slot& held = slots_[static_cast<size_t>(slot)];
    held.needed_s = std::min(held.needed_s, seconds);
  }
}

void StreamScheduler::NeedOf(const ViewKey& key) {
  const Clip& clip = clips_[static_cast<size_t>(key.clip)];
  if (!clip.used || clip.file == nullptr) return;
  const View& view = views_[static_cast<size_t>(key.character)][static_cast<size_t>(key.clip)];
  const FileIndex& index = clip.file->index;
  const size_t chunk = view.frame / kChunkFrames, in = view.frame % kChunkFrames;
  if (chunk >= index.chunks()) return;
  Need(key.clip, chunk, 0);
  // Assumes that clips may loop.
  const size_t last = index.chunks() - 1;
  const size_t next = view.forward ? (chunk == last ? 0 : chunk + 1)
                      : chunk == 0 ? last
                                   : chunk - 1;
  const size_t left = view.forward ? index.chunk_frames(chunk) - in : in + 1;
  if (next != chunk) {
    Need(key.clip, next, static_cast<double>(left) / index.header().rate_hz());
  }
}

void StreamScheduler::Update(double now_s) {
  now_s_ = std::max(now_s_, now_s);
  ++cycle_;
  wanted_.clear();
  for (Slot& slot : slots_) slot.needed_s = kNever;
  for (size_t c = 0; c < clips_.size(); ++c) {
    if (!clips_[c].used) continue;
    if (clips_[c].file == nullptr) {
      wanted_.push_back({kIndex_s, static_cast<int>(c), kIndex});
    } else {
      Need(static_cast<int>(c), 0, kFirstChunk_s);
    }
  }
  for (const ViewKey& key : queried_) NeedOf(key);
  queried_.clear();
  std::sort(wanted_.begin(), wanted_.end(), [](const Wanted& a, const Wanted& b) {
    return a.needed_s != b.needed_s ? a.needed_s < b.needed_s : a.clip < b.clip;
  });
}

ChunkState& StreamScheduler::StateOf(const Wanted& wanted) {
  Clip& clip = clips_[static_cast<size_t>(wanted.clip)];
  return wanted.chunk == kIndex ? clip.index : clip.file->chunks[wanted.chunk];
}

bool StreamScheduler::Evictable(const Slot& slot, double needed_s) const {
  // A chunk that the last frame showed may still be shown while it fades out.
  return slot.chunk != nullptr && slot.needed_s > needed_s && slot.shown + 1 < cycle_;
}

bool StreamScheduler::MakeRoom(size_t bytes, double needed_s, bool slot, ChunkLoad& load) {
  size_t free = limits_.budget_bytes - counts_.used_bytes, evictable = 0, slots = 0;
  if (free < bytes || (slot && free_slots_.empty())) {
    for (const Slot& held : slots_) {
      if (!Evictable(held, needed_s)) continue;
      evictable += held.bytes;
      ++slots;
    }
    if (free + evictable < bytes || (slot && free_slots_.empty() && slots == 0)) return false;
  }
  size_t discarded = 0;
  while (free < bytes || (slot && free_slots_.empty())) {
    size_t out = slots_.size();
    for (size_t s = 0; s < slots_.size(); ++s) {
      if (!Evictable(slots_[s], needed_s)) continue;
      if (out == slots_.size() || slots_[s].needed_s > slots_[out].needed_s ||
          (slots_[s].needed_s == slots_[out].needed_s && slots_[s].shown < slots_[out].shown)) {
        out = s;
      }
    }
    Slot& evicted = slots_[out];
    Clip& clip = clips_[static_cast<size_t>(evicted.clip)];
    if (clip.file != nullptr) clip.file->chunks[evicted.place].slot = -1;
    --clip.held;
    free += evicted.bytes;
    discarded += evicted.bytes;
    counts_.used_bytes -= evicted.bytes;
    load.discards.push_back(std::move(evicted.chunk));
    evicted = {};
    free_slots_.push_back(static_cast<int>(out));
    ++counts_.evictions;
    --counts_.held_chunks;
  }
  // Discarded chunks take memory until a worker has freed them.
  load.reserved_bytes = std::max(bytes, discarded);
  counts_.used_bytes += load.reserved_bytes;
  return true;
}

ChunkLoad* StreamScheduler::Next() {
  if (free_loads_.empty()) return nullptr;
  ChunkLoad& load = *free_loads_.back();
  size_t too_much = kIndex;  // this many bytes or more found no room for a chunk needed sooner
  for (const Wanted& wanted : wanted_) {
    Clip& clip = clips_[static_cast<size_t>(wanted.clip)];
    const bool index = wanted.chunk == kIndex;
    if (!clip.used || (index ? clip.file != nullptr : clip.file == nullptr)) continue;
    ChunkState& state = StateOf(wanted);
    if (state.loading || state.slot >= 0 || state.retry_s > now_s_) continue;
    const size_t bytes =
        index ? MostIndexBytes(limits_.file) : MostChunkBytes(clip.file->index, wanted.chunk);
    if (bytes >= too_much || !MakeRoom(bytes, wanted.needed_s, !index, load)) {
      too_much = std::min(too_much, bytes);
      continue;
    }
    free_loads_.pop_back();
    state.loading = true;
    ++clip.loading;
    load.clip = wanted.clip;
    load.chunk = wanted.chunk;
    load.source = clip.source;
    load.file = clip.file;
    load.expected = clip.expected;
    load.limits = limits_.file;
    load.slot = -1;
    if (!index) {
      load.slot = free_slots_.back();
      free_slots_.pop_back();
    }
    return &load;
  }
  return nullptr;
}

void StreamScheduler::Failed(ChunkState& state) {
  const double wait =
      std::ldexp(limits_.retry_s, static_cast<int>(std::min<uint16_t>(state.failures, 30)));
  state.retry_s = now_s_ + std::min(wait, limits_.longest_retry_s);
  state.failures = static_cast<uint16_t>(std::min(state.failures + 1, 1000));
  ++counts_.failures;
}

void StreamScheduler::Done(ChunkLoad* load) {
  counts_.used_bytes -= load->reserved_bytes;
  ++counts_.loads;
  load->discards.clear();
  Clip& clip = clips_[static_cast<size_t>(load->clip)];
  --clip.loading;
  const bool index = load->chunk == kIndex;
  // The previous message is freed by the next load.
  if (clip.used) std::swap(clip.status, load->status);
  ChunkState* const state = !clip.used ? nullptr
                            : index    ? &clip.index
                                       : &clip.file->chunks[load->chunk];
  if (state != nullptr) state->loading = false;
  if (index && load->opened != nullptr && state != nullptr) {
    clip.file.swap(load->opened);
    counts_.used_bytes += clip.file->held_bytes();
  } else if (!index && load->decoded != nullptr) {
    Slot& slot = slots_[static_cast<size_t>(load->slot)];
    slot.chunk = std::move(load->decoded);
    slot.clip = load->clip;
    slot.place = load->chunk;
    slot.bytes = slot.chunk->held_bytes();
    // A chunk of a clip that was removed is evicted first.
    slot.needed_s = state == nullptr ? kNever : 0;
    slot.shown = 0;
    counts_.used_bytes += slot.bytes;
    ++counts_.held_chunks;
    ++clip.held;
    if (state != nullptr) state->slot = load->slot;
    if (state != nullptr) state->failures = 0;
    load->slot = -1;
  } else if (state != nullptr) {
    Failed(*state);
  }
  if (load->slot >= 0) free_slots_.push_back(load->slot);
  load->slot = -1;
  free_loads_.push_back(load);
}

float StreamScheduler::At(int character, int clip, size_t frame, absl::Span<skel::Vec3> out) {
  if (!IsClip(clip) || character < 0 || static_cast<size_t>(character) >= characters_.size() ||
      !characters_[static_cast<size_t>(character)]) {
    return 0;
  }
  const Clip& of = clips_[static_cast<size_t>(clip)];
  View& view = views_[static_cast<size_t>(character)][static_cast<size_t>(clip)];
  const bool goes_on = view.cycle + 1 >= cycle_;
  if (!goes_on) {
    view = {};
  } else if (frame != view.frame) {
    view.forward =
        frame > view.frame ? frame - view.frame < kChunkFrames : view.frame - frame >= kChunkFrames;
  }
  if (view.cycle != cycle_) queried_.push_back({character, clip});
  // A view that appears starts at its full factor: there is nothing to fade from.
  const double passed = std::min(now_s_ - view.now_s, kLongestStep_s);
  const auto step = static_cast<float>(goes_on ? passed / kFade_s : 1);
  view.cycle = cycle_;
  view.now_s = now_s_;
  int there = -1;
  if (of.file != nullptr) {
    const OffsetsHeader& header = of.file->index.header();
    if (out.size() != header.points) return 0;
    view.frame = std::min<size_t>(frame, header.frames - 1);
    there = of.file->chunks[view.frame / kChunkFrames].slot;
  }
  if (there < 0) ++counts_.starved;
  if (there >= 0 && (view.live || view.factor == 0)) {
    view.live = true;
    view.slot = there;
    view.shown = view.frame % kChunkFrames;
    view.factor = std::min(view.factor + step, 1.0f);
  } else {
    view.live = false;
    view.factor = std::max(view.factor - step, 0.0f);
  }
  if (view.factor == 0) return 0;
  Slot& slot = slots_[static_cast<size_t>(view.slot)];
  slot.shown = cycle_;
  slot.chunk->Frame(view.shown, out);
  return view.factor;
}

const absl::Status& StreamScheduler::clip_status(int clip) const {
  return clips_[static_cast<size_t>(clip)].status;
}

bool StreamScheduler::clip_ready(int clip) const {
  return IsClip(clip) && clips_[static_cast<size_t>(clip)].file != nullptr &&
         clips_[static_cast<size_t>(clip)].file->chunks[0].slot >= 0;
}

}  // namespace posewire::offsets
