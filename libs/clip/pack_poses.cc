#include "libs/clip/pack_poses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace posewire::clip {
namespace {

// Limit on whole numbers of steps.
constexpr double kMostSteps = 1 << (kMostBits - 1);

// The source of one or three lanes: a single value, or the three stored components of a rotation.
struct Item {
  const Track* track = nullptr;
  int component = 0;  // of a single value
  size_t frames = 0;
  std::vector<int32_t> steps;  // component by component (one, or w x y z), each by frame
  struct Range {
    int32_t low, high;
  };
  std::vector<Range> ranges;                  // segment by segment, each by component
  std::vector<std::array<uint8_t, 4>> order;  // kTurn: for each segment, the widest stored
                                              // component first
  std::vector<int> key;                       // bits for each segment (kTurn: for each of three
                                              // components)
  int total = 0;                              // sum of the key

  size_t components() const { return order.empty() ? 1 : 4; }
  const Range& range(size_t segment, size_t c) const { return ranges[segment * components() + c]; }
};

// One component of an item.
struct Lane {
  const int32_t* steps;
  Item::Range range;  // in one segment
};
Lane LaneOf(const Item& item, size_t segment, size_t c) {
  return {item.steps.data() + c * item.frames, item.range(segment, c)};
}

int BitsOf(const Item::Range& range) {
  return static_cast<int>(
      std::bit_width(static_cast<uint32_t>(range.high) - static_cast<uint32_t>(range.low)));
}

// Converts to whole numbers of steps. Returns false if they exceed the limit.
bool MakeSteps(absl::Span<const float> values, float step, int32_t* out) {
  const double inv = 1 / static_cast<double>(step);
  // Compared as bits, which are ordered like the magnitudes, so that the loop is vectorised.
  int32_t most = 0;
  for (const float v : values) most = std::max(most, std::bit_cast<int32_t>(v) & 0x7fffffff);
  if (!(std::bit_cast<float>(most) * inv < kMostSteps)) return false;
  for (size_t f = 0; f < values.size(); ++f) {
    const double n = values[f] * inv;
    out[f] = static_cast<int32_t>(n + std::copysign(0.5, n));
  }
  return true;
}

Item::Range RangeOf(const int32_t* begin, const int32_t* end) {
  Item::Range range{*begin, *begin};
  for (; begin != end; ++begin) {
    range.low = std::min(range.low, *begin);
    range.high = std::max(range.high, *begin);
  }
  return range;
}

bool StaysAtFirst(absl::Span<const float> values, float step) {
  const float most = step / 2;
  return std::all_of(values.begin(), values.end(),
                     [&](float v) { return std::fabs(v - values[0]) <= most; });
}

// Returns whether the rotation stays within half a step: by sign and all four components.
bool TurnStays(const Track& track) {
  for (size_t c = 0; c < 4; ++c) {
    if (!StaysAtFirst(track.row(c), track.step)) return false;
  }
  return true;
}

// Returns the components that a segment stores, the widest first, and last the one that it does not
// store.
std::array<uint8_t, 4> OrderIn(const Item& item, size_t segment) {
  std::array<uint8_t, 4> order{};
  size_t n = 0;
  for (uint8_t c = 0; c < 4; ++c) {
    if (c != item.track->fourth[segment]) order[n++] = c;
  }
  order[3] = item.track->fourth[segment];
  const auto width = [&](uint8_t c) {
    const Item::Range& range = item.ranges[segment * 4 + c];
    return int64_t{range.high} - range.low;
  };
  std::sort(order.begin(), order.begin() + 3,
            [&](uint8_t a, uint8_t b) { return width(a) > width(b); });
  return order;
}

// Makes an item from components `first` to `first` + `count` of a track.
bool MakeItem(const Tracks& tracks, const Track& track, size_t first, size_t count, Item& item) {
  item.track = &track;
  item.component = static_cast<int>(first);
  item.frames = static_cast<size_t>(track.frames);
  item.steps.resize(count * item.frames);
  for (size_t c = 0; c < count; ++c) {
    int32_t* steps = item.steps.data() + c * item.frames;
    if (!MakeSteps(track.row(first + c), track.step, steps)) return false;
  }
  const auto length = static_cast<size_t>(tracks.segment_frames);
  for (size_t begin = 0; begin < item.frames; begin += length) {
    const size_t end = std::min(item.frames, begin + length);
    for (size_t c = 0; c < count; ++c) {
      const int32_t* steps = item.steps.data() + c * item.frames;
      item.ranges.push_back(RangeOf(steps + begin, steps + end));
    }
    const size_t s = begin / length;
    if (count == 4) item.order.push_back(OrderIn(item, s));
    for (size_t c = 0; c < std::min<size_t>(count, 3); ++c) {
      item.key.push_back(BitsOf(item.range(s, count == 4 ? item.order[s][c] : c)));
    }
  }
  item.total = std::accumulate(item.key.begin(), item.key.end(), 0);
  return true;
}

// The bits wasted by widening both items to the wider one.
int Waste(const Item& a, const Item& b) {
  int sum = 0;
  for (size_t i = 0; i < a.key.size(); ++i) sum += std::abs(a.key[i] - b.key[i]);
  return sum;
}

using Items = std::vector<Item>;
using Order = std::vector<const Item*>;

// Returns an order in which each group of eight is similar: the widest remaining item begins a
// group, followed by those most similar to it.
Order Arrange(const Items& items) {
  Order order;
  for (const Item& item : items) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [](const Item* a, const Item* b) { return a->total > b->total; });
  std::vector<std::pair<int, const Item*>> near;
  for (size_t first = 0; first + kLanes < order.size(); first += kLanes) {
    // Items far apart in the order need very different numbers of bits.
    const size_t end = std::min(order.size(), first + 4 * kLanes);
    near.clear();
    for (size_t i = first + 1; i < end; ++i) {
      near.emplace_back(Waste(*order[first], *order[i]), order[i]);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::sort(near.begin() + (kLanes - 1), near.end(), [](const auto& a, const auto& b) {
      return a.second->total != b.second->total ? a.second->total > b.second->total
                                                : a.second < b.second;
    });
    for (size_t i = first + 1; i < end; ++i) order[i] = near[i - first - 1].second;
  }
  return order;
}

size_t GroupsOf(const Order& items) { return (items.size() + kLanes - 1) / kLanes; }

const Item& ItemAt(const Order& items, size_t group, size_t lane) {
  return *items[std::min(group * kLanes + lane, items.size() - 1)];
}

using Lanes = std::array<Lane, kLanes>;

// Base, shift and bits of eight lanes in a segment.
struct RangeOut {
  std::array<int16_t, kLanes>* base;
  uint8_t *bits, *shift;
};
bool FitRange(const Lanes& lanes, const RangeOut& out) {
  int shift = 0;
  for (const Lane& lane : lanes) {
    while ((lane.range.low >> shift) < std::numeric_limits<int16_t>::min() ||
           (lane.range.low >> shift) > std::numeric_limits<int16_t>::max()) {
      ++shift;
    }
  }
  int bits = 0;
  for (size_t l = 0; l < kLanes; ++l) {
    const int32_t base = lanes[l].range.low >> shift;
    (*out.base)[l] = static_cast<int16_t>(base);
    bits = std::max(bits, BitsOf({base << shift, lanes[l].range.high}));
  }
  *out.bits = static_cast<uint8_t>(bits);
  *out.shift = static_cast<uint8_t>(shift);
  return bits <= kMostBits;
}

// Writes eight values of `bits` bits each, which end at a byte boundary, to `p`.
void PutBits(const Lanes& lanes, size_t frame, const std::array<int16_t, kLanes>& base, int shift,
             size_t bits, uint8_t* p) {
  uint64_t word = 0;
  size_t filled = 0;
  for (size_t l = 0; l < kLanes; ++l) {
    const auto q = static_cast<uint32_t>(lanes[l].steps[frame] - (int32_t{base[l]} << shift));
    word |= uint64_t{q} << filled;
    filled += bits;
    if (filled < 32) continue;
    std::memcpy(p, &word, 4);
    p += 4;
    word >>= 32;
    filled -= 32;
  }
  std::memcpy(p, &word, filled / 8);
}

class Packer {
 public:
  Packer(const Tracks& tracks, PackedPoses& out, StopCheck stopped)
      : tracks_(tracks), out_(out), stopped_(stopped) {}

  bool Run() {
    out_ = {};
    out_.frames = tracks_.frames;
    out_.segment_frames = tracks_.segment_frames;
    if (!MakeItems()) return false;
    turns_ = Arrange(turn_items_);
    values_ = Arrange(value_items_);
    MakeGroups();
    const auto segments = static_cast<size_t>(tracks_.segments());
    out_.turn_ranges.resize(segments * GroupsOf(turns_));
    out_.value_ranges.resize(segments * GroupsOf(values_));
    size_t total = 0;
    for (size_t s = 0; s < segments; ++s) {
      if (stopped_() || !MakeRanges(s)) return false;
      const size_t bytes = FrameBytes(s);
      out_.segments.push_back({total, bytes});
      total += bytes * FramesIn(s);
    }
    out_.bits.assign(total + kReadAhead, 0);
    for (size_t s = 0; s < segments; ++s) {
      if (stopped_()) return false;
      WriteSegment(s);
    }
    return true;
  }

 private:
  size_t FramesIn(size_t s) const {
    const auto length = static_cast<size_t>(tracks_.segment_frames);
    return std::min(length, static_cast<size_t>(tracks_.frames) - s * length);
  }

  bool MakeItems() {
    for (const Track& track : tracks_.tracks) {
      if (stopped_()) return false;
      if (track.kind == TrackKind::kTurn) {
        if (TurnStays(track)) continue;
        turn_items_.emplace_back();
        if (!MakeItem(tracks_, track, 0, 4, turn_items_.back())) return false;
        continue;
      }
      for (size_t c = 0; c < static_cast<size_t>(track.width()); ++c) {
        if (StaysAtFirst(track.row(c), track.step)) continue;
        value_items_.emplace_back();
        if (!MakeItem(tracks_, track, c, 1, value_items_.back())) return false;
      }
    }
    return true;
  }

  void MakeGroups() {
    out_.turns.resize(GroupsOf(turns_));
    for (size_t g = 0; g < out_.turns.size(); ++g) {
      for (size_t l = 0; l < kLanes; ++l) {
        const Track& track = *ItemAt(turns_, g, l).track;
        out_.turns[g].step[l] = track.step;
        out_.turns[g].joint[l] = static_cast<uint16_t>(track.index);
      }
    }
    out_.values.resize(GroupsOf(values_));
    for (size_t g = 0; g < out_.values.size(); ++g) {
      for (size_t l = 0; l < kLanes; ++l) {
        const Item& item = ItemAt(values_, g, l);
        const int row = item.track->kind == TrackKind::kWeight  ? 6
                        : item.track->kind == TrackKind::kScale ? 3 + item.component
                                                                : item.component;
        out_.values[g].step[l] = item.track->step;
        out_.values[g].place[l] = PlaceOf(static_cast<ValueRow>(row), item.track->index);
      }
    }
  }

  TurnRange& turn_range(size_t s, size_t g) { return out_.turn_ranges[s * out_.turns.size() + g]; }
  ValueRange& value_range(size_t s, size_t g) {
    return out_.value_ranges[s * out_.values.size() + g];
  }

  Lanes TurnLanes(size_t s, size_t g, size_t c) const {
    Lanes lanes;
    for (size_t l = 0; l < kLanes; ++l) {
      const Item& item = ItemAt(turns_, g, l);
      lanes[l] = LaneOf(item, s, item.order[s][c]);
    }
    return lanes;
  }
  Lanes ValueLanes(size_t s, size_t g) const {
    Lanes lanes;
    for (size_t l = 0; l < kLanes; ++l) lanes[l] = LaneOf(ItemAt(values_, g, l), s, 0);
    return lanes;
  }

  bool MakeRanges(size_t s) {
    for (size_t g = 0; g < out_.turns.size(); ++g) {
      TurnRange& range = turn_range(s, g);
      for (size_t l = 0; l < kLanes; ++l) {
        const std::array<uint8_t, 4>& o = ItemAt(turns_, g, l).order[s];
        range.order[l] = static_cast<uint8_t>(o[0] | o[1] << 2 | o[2] << 4 | o[3] << 6);
      }
      for (size_t c = 0; c < 3; ++c) {
        if (!FitRange(TurnLanes(s, g, c), {&range.base[c], &range.bits[c], &range.shift[c]})) {
          return false;
        }
      }
    }
    for (size_t g = 0; g < out_.values.size(); ++g) {
      ValueRange& range = value_range(s, g);
      if (!FitRange(ValueLanes(s, g), {&range.base, &range.bits, &range.shift})) return false;
    }
    return true;
  }

  size_t FrameBytes(size_t s) {
    size_t bytes = 0;
    for (size_t g = 0; g < out_.turns.size(); ++g) {
      for (const uint8_t bits : turn_range(s, g).bits) bytes += bits;
    }
    for (size_t g = 0; g < out_.values.size(); ++g) bytes += value_range(s, g).bits;
    return bytes;
  }

  void WriteSegment(size_t s) {
    const auto first = s * static_cast<size_t>(tracks_.segment_frames);
    const size_t frames = FramesIn(s), frame_bytes = out_.segments[s].frame_bytes;
    size_t at = out_.segments[s].at;
    const auto write = [&](const Lanes& lanes, const std::array<int16_t, kLanes>& base, int shift,
                           size_t bits) {
      for (size_t f = 0; f < frames; ++f) {
        PutBits(lanes, first + f, base, shift, bits, out_.bits.data() + at + f * frame_bytes);
      }
      at += bits;
    };
    for (size_t g = 0; g < out_.turns.size(); ++g) {
      const TurnRange& range = turn_range(s, g);
      for (size_t c = 0; c < 3; ++c) {
        write(TurnLanes(s, g, c), range.base[c], range.shift[c], range.bits[c]);
      }
    }
    for (size_t g = 0; g < out_.values.size(); ++g) {
      const ValueRange& range = value_range(s, g);
      write(ValueLanes(s, g), range.base, range.shift, range.bits);
    }
  }

  const Tracks& tracks_;
  PackedPoses& out_;
  const StopCheck stopped_;
  Items turn_items_, value_items_;
  Order turns_, values_;  // in groups
};

}  // namespace

bool PackPoses(const Tracks& tracks, PackedPoses& out, StopCheck stopped) {
  return Packer(tracks, out, stopped).Run();
}

}  // namespace posewire::clip
