#include "libs/graph_loader/tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/graph_loader/quoted.h"
#include "libs/names/known_names.h"

namespace posewire::graph {
namespace {

constexpr double kMostLength_s = 86400, kLeastSpeed = 0.01;
constexpr int kMostTimes = 1000000;

// Reports errors of one table under its name.
class Reader {
 public:
  Reader(const Stock& stock, absl::string_view kind, const std::string& name, Errors& errors)
      : stock_(stock), kind_(kind), name_(name), errors_(errors) {}

  void Error(absl::string_view field, absl::string_view text) {
    errors_.Add(kind_, name_, field, text);
  }
  // Returns `fallback` for 0, for fields where 0 means unset.
  double Plain(absl::string_view field, double value, double min, double max, double fallback) {
    if (value == 0) return fallback;
    if (std::isfinite(value) && value >= min && value <= max) return value;
    Error(field, absl::StrFormat("%g is not within %g..%g", value, min, max));
    return fallback;
  }
  const clip::Clip* Clip(absl::string_view field, const std::string& name) {
    const auto clip = FindClip(stock_, name);
    if (clip.ok()) return *clip;
    Error(field, clip.status().message());
    return nullptr;
  }
  const Stock& stock() const { return stock_; }

 private:
  const Stock& stock_;
  std::string kind_, name_;
  Errors& errors_;
};

Arrangement::Item ReadItem(const std::string& field, const v1::Arrangement::Item& from, Reader& r) {
  using What = v1::Arrangement::Item;
  Arrangement::Item item;
  switch (from.what_case()) {
    case What::kClip:
      item.kind = Arrangement::Item::kClip;
      item.clip = r.Clip(absl::StrCat(field, ".clip"), from.clip());
      break;
    case What::kLive:
      item.kind = Arrangement::Item::kLive;
      item.source_service_id = from.live().source_service_id();
      item.wait_s =
          r.Plain(absl::StrCat(field, ".live.wait_s"), from.live().wait_s(), 0, kMostLength_s, 0);
      break;
    case What::kPauseS:
      item.pause_s = r.Plain(absl::StrCat(field, ".pause_s"), from.pause_s(), 0, kMostLength_s, 0);
      break;
    case What::WHAT_NOT_SET:
      r.Error(field, "one of clip, live, pause_s must be given");
      break;
  }
  if (from.times() > kMostTimes) {
    r.Error(absl::StrCat(field, ".times"),
            absl::StrCat(from.times(), " is not within 0..", kMostTimes));
  } else {
    item.times = std::max(static_cast<int>(from.times()), 1);
  }
  item.weight =
      static_cast<float>(r.Plain(absl::StrCat(field, ".weight"), from.weight(), 1e-6, 1e6, 1));
  item.speed = r.Plain(absl::StrCat(field, ".speed"), from.speed(), kLeastSpeed, kMostClipSpeed, 1);
  return item;
}

// Orders keys by time; keys with the same time stay in the written order.
template <typename Key>
void SortByTime(std::vector<Key>& keys) {
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.at_s < b.at_s; });
}

class TimelineReader {
 public:
  TimelineReader(const v1::Timeline& from, const Stock& stock, Errors& errors)
      : from_(from), r_(stock, "timeline", from.name(), errors) {}

  Timeline Read() {
    Timeline t;
    t.name = from_.name();
    t.loop = from_.loop();
    if (from_.length_s() == 0) r_.Error("length_s", "a length above 0 must be given, in seconds");
    t.length_s = length_s_ = r_.Plain("length_s", from_.length_s(), 0.01, kMostLength_s, 1);
    for (int i = 0; i < from_.clips_size(); ++i) t.clips.push_back(ReadClip(i));
    for (int i = 0; i < from_.arrangements_size(); ++i) {
      t.arrangements.push_back(ReadArrangement(i));
    }
    for (int i = 0; i < from_.variables_size(); ++i) t.variables.push_back(ReadVariable(i));
    for (int i = 0; i < from_.events_size(); ++i) t.events.push_back(ReadEvent(i));
    SortByTime(t.clips);
    SortByTime(t.arrangements);
    SortByTime(t.variables);
    SortByTime(t.events);
    return t;
  }

 private:
  double At(const std::string& field, double at_s) {
    return r_.Plain(absl::StrCat(field, ".at_s"), at_s, 0, length_s_, 0);
  }

  Timeline::ClipKey ReadClip(int i) {
    const auto& key = from_.clips(i);
    const std::string field = absl::StrCat("clips[", i, "]");
    return {At(field, key.at_s()), r_.Clip(absl::StrCat(field, ".clip"), key.clip()),
            r_.Plain(absl::StrCat(field, ".speed"), key.speed(), kLeastSpeed, kMostClipSpeed, 1)};
  }

  Timeline::ArrangementKey ReadArrangement(int i) {
    const auto& key = from_.arrangements(i);
    const std::string field = absl::StrCat("arrangements[", i, "]");
    std::vector<std::string> names;
    for (const auto& a : r_.stock().graph->arrangements()) names.push_back(a.name());
    const auto it = std::find(names.begin(), names.end(), key.arrangement());
    if (it == names.end()) {
      r_.Error(absl::StrCat(field, ".arrangement"),
               absl::StrCat("there is no arrangement ", Quoted(key.arrangement()),
                            KnownNames(key.arrangement(), names)));
      return {At(field, key.at_s()), 0};
    }
    return {At(field, key.at_s()), static_cast<int>(it - names.begin())};
  }

  Timeline::VariableKey ReadVariable(int i) {
    const auto& key = from_.variables(i);
    const std::string field = absl::StrCat("variables[", i, "]");
    const VariableSet& variables = *r_.stock().variables;
    const auto index = variables.Index(key.variable());
    if (!index.ok()) {
      r_.Error(absl::StrCat(field, ".variable"), index.status().message());
      return {At(field, key.at_s()), 0, {}};
    }
    const auto value = variables.spec(*index).Parse(key.value());
    if (!value.ok()) r_.Error(absl::StrCat(field, ".value"), value.status().message());
    return {At(field, key.at_s()), *index, value.ok() ? *value : Value{}};
  }

  Timeline::EventKey ReadEvent(int i) {
    const auto& key = from_.events(i);
    const std::string field = absl::StrCat("events[", i, "]");
    if (key.event().empty()) r_.Error(absl::StrCat(field, ".event"), "an event must be named here");
    const auto& events = r_.stock().graph->events();
    const auto it = std::find(events.begin(), events.end(), key.event());
    return {At(field, key.at_s()), key.event(),
            it == events.end() ? -1 : static_cast<int>(it - events.begin())};
  }

  const v1::Timeline& from_;
  Reader r_;
  double length_s_ = 1;
};

}  // namespace

std::vector<Arrangement> ReadArrangements(const Stock& stock, Errors& errors) {
  std::vector<Arrangement> arrangements;
  for (const auto& from : stock.graph->arrangements()) {
    Reader r(stock, "arrangement", from.name(), errors);
    Arrangement a;
    a.name = from.name();
    if (!v1::Arrangement::Order_IsValid(from.order())) {
      r.Error("order", absl::StrCat(from.order(), " is none of ORDERED, WEIGHTED_RANDOM"));
    }
    a.random = from.order() == v1::Arrangement::WEIGHTED_RANDOM;
    a.loop = from.loop();
    if (from.count() > kMostTimes) {
      r.Error("count", absl::StrCat(from.count(), " is not within 0..", kMostTimes));
    } else {
      a.count = static_cast<int>(from.count());
    }
    for (int i = 0; i < from.items_size(); ++i) {
      a.items.push_back(ReadItem(absl::StrCat("items[", i, "]"), from.items(i), r));
    }
    if (a.items.empty()) r.Error("items", "at least one must be given");
    arrangements.push_back(std::move(a));
  }
  return arrangements;
}

std::vector<Timeline> ReadTimelines(const Stock& stock, Errors& errors) {
  std::vector<Timeline> timelines;
  for (const auto& from : stock.graph->timelines()) {
    timelines.push_back(TimelineReader(from, stock, errors).Read());
  }
  return timelines;
}

}  // namespace posewire::graph
