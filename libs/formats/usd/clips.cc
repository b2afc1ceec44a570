#include "libs/formats/usd/clips.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/merge.h"
#include "libs/formats/usd/value_at.h"

namespace posewire::usd {
namespace {

using Part = Property::Part;

// A jump in the times gets a sample this much earlier, which ends the values before it. This is
// OpenUSD's UsdTimeCode::SafeStep().
constexpr double kBeforeJump = 4.44089209850062616e-09;
constexpr size_t kMostClips = 256;
constexpr int kMostDigits = 9;

// A time code of the stage, and the clip's time code that it shows.
struct Mapping {
  double stage = 0, clip = 0;
};

// A clip and the stage's times at which it is active: from `from` to before `to`.
struct Active {
  double from = 0, to = 0;
  const Prim* root = nullptr;  // null: the clip has no such prim
};

const Entry* Find(const std::vector<Entry>& entries, absl::string_view name) {
  const auto it =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return it == entries.end() ? nullptr : &*it;
}

std::string TextOf(const std::vector<Entry>& set, absl::string_view name) {
  const Entry* const entry = Find(set, name);
  return entry == nullptr || entry->value.texts.empty() ? "" : entry->value.texts[0];
}

std::optional<double> NumberOf(const std::vector<Entry>& set, absl::string_view name) {
  const Entry* const entry = Find(set, name);
  if (entry == nullptr || entry->value.numbers.size() != 1) return std::nullopt;
  return entry->value.numbers[0];
}

std::string AssetOf(const std::vector<Entry>& set, absl::string_view name) {
  const Entry* const entry = Find(set, name);
  return entry == nullptr || entry->value.references.empty() ? ""
                                                             : entry->value.references[0].asset;
}

absl::StatusOr<std::vector<Mapping>> PairsOf(const std::vector<Entry>& set,
                                             absl::string_view name) {
  std::vector<Mapping> out;
  const Entry* const entry = Find(set, name);
  if (entry == nullptr) return out;
  const std::vector<double>& numbers = entry->value.numbers;
  const bool pairs = numbers.empty() || (entry->value.rows == 2 && entry->value.columns == 0);
  if (!pairs || !std::all_of(numbers.begin(), numbers.end(),
                             [](double n) { return std::isfinite(n) && std::abs(n) < 1e300; })) {
    return absl::InvalidArgumentError(
        absl::StrCat("clips: ", name, " has what is no pair of finite numbers"));
  }
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) out.push_back({numbers[i], numbers[i + 1]});
  std::stable_sort(out.begin(), out.end(),
                   [](const Mapping& a, const Mapping& b) { return a.stage < b.stage; });
  return out;
}

// The files that match "clip.###.usda" or "clip.##.##.usda", from the first time to the last.
class Template {
 public:
  static absl::StatusOr<Template> Of(const std::vector<Entry>& set) {
    Template out;
    const std::string text = TextOf(set, "templateAssetPath");
    const std::optional<double> start = NumberOf(set, "templateStartTime");
    const std::optional<double> end = NumberOf(set, "templateEndTime");
    const std::optional<double> stride = NumberOf(set, "templateStride");
    const size_t whole = text.find('#', text.rfind('/') + 1);
    if (whole == std::string::npos || !start || !end || !stride || !std::isfinite(*start) ||
        !std::isfinite(*end) || !(*stride > 0) || *end < *start) {
      return absl::InvalidArgumentError(
          "clips: a template needs ### in its path, and start, end and a stride over 0");
    }
    if (NumberOf(set, "templateActiveOffset").value_or(0) != 0) {
      return absl::InvalidArgumentError("clips: templateActiveOffset is not read");
    }
    const double steps = std::floor((*end - *start) / *stride + 1e-9);
    if (!(steps < static_cast<double>(kMostClips))) {
      return absl::InvalidArgumentError(
          absl::StrCat("clips: a template has over ", kMostClips, " times"));
    }
    out.start_ = *start, out.stride_ = *stride, out.count_ = static_cast<int>(steps) + 1;
    out.before_ = text.substr(0, whole);
    const size_t after = std::min(text.find_first_not_of('#', whole), text.size());
    out.digits_ = static_cast<int>(std::min<size_t>(after - whole, kMostDigits));
    out.after_ = text.substr(after);
    if (out.after_.size() > 1 && out.after_[0] == '.' && out.after_[1] == '#') {
      const size_t rest = std::min(out.after_.find_first_not_of('#', 1), out.after_.size());
      out.parts_ = static_cast<int>(std::min<size_t>(rest - 1, kMostDigits));
      out.after_ = out.after_.substr(rest);
    }
    return out;
  }

  int count() const { return count_; }
  double Time(int i) const { return start_ + i * stride_; }
  std::string File(int i) const {
    const double power = std::pow(10.0, parts_);
    const double scaled = std::round(Time(i) * power);
    const double whole = std::trunc(scaled / power);
    std::string out = absl::StrCat(before_, absl::StrFormat("%0*.0f", digits_, whole));
    if (parts_ > 0) {
      absl::StrAppend(&out, ".",
                      absl::StrFormat("%0*.0f", parts_, std::abs(scaled - whole * power)));
    }
    return absl::StrCat(out, after_);
  }

 private:
  double start_ = 0, stride_ = 1;
  int count_ = 0, digits_ = 0, parts_ = 0;
  std::string before_, after_;
};

// The children and animated properties of a clip's prim, by name.
struct Names {
  absl::flat_hash_map<absl::string_view, const Prim*> children;
  absl::flat_hash_map<absl::string_view, const Property*> samples;
};

class ClipSet {
 public:
  ClipSet(const std::vector<Entry>& set, OpenClipLayer open, TakeMemory take)
      : set_(set), open_(open), take_(take) {}

  absl::StatusOr<Prim> Bake() {
    Prim out;
    out.specifier = "over";
    root_ = TextOf(set_, "primPath");
    const bool by_template = Find(set_, "templateAssetPath") != nullptr;
    // OpenUSD ignores a set that lacks one of these.
    const bool whole = Find(set_, "assetPaths") != nullptr && Find(set_, "active") != nullptr;
    if (root_.empty() || (!by_template && !whole)) return out;
    if (absl::Status s = by_template ? OpenTemplate() : OpenListed(); !s.ok()) return s;
    if (active_.empty()) return out;
    first_from_ = active_.front().from;
    active_.front().from = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i + 1 < active_.size(); ++i) active_[i].to = active_[i + 1].from;
    active_.back().to = std::numeric_limits<double>::infinity();
    const Prim* manifest = nullptr;
    if (const std::string file = AssetOf(set_, "manifestAssetPath"); !file.empty()) {
      const absl::StatusOr<const Layer*> layer = open_(file);
      if (!layer.ok()) return layer.status();
      manifest = (*layer)->Find(root_);
      if (manifest == nullptr) return out;
    }
    const Entry* const interpolate = Find(set_, "interpolateMissingClipValues");
    interpolates_ = interpolate != nullptr && !interpolate->value.numbers.empty() &&
                    interpolate->value.numbers[0] != 0;
    std::vector<const Prim*> roots;
    for (const Active& active : active_) roots.push_back(active.root);
    if (absl::Status s = Bake(roots, manifest, out); !s.ok()) return s;
    return out;
  }

 private:
  absl::Status OpenListed() {
    const absl::StatusOr<std::vector<Mapping>> active = PairsOf(set_, "active");
    if (!active.ok()) return active.status();
    absl::StatusOr<std::vector<Mapping>> times = PairsOf(set_, "times");
    if (!times.ok()) return times.status();
    // OpenUSD has no jump at the first entry.
    size_t first = 0;
    while (first + 1 < times->size() && (*times)[first].stage == (*times)[first + 1].stage) ++first;
    times_.assign(times->begin() + static_cast<std::ptrdiff_t>(first), times->end());
    const std::vector<Reference>& files = Find(set_, "assetPaths")->value.references;
    for (const Mapping& entry : *active) {
      if (entry.clip < 0 || entry.clip >= static_cast<double>(files.size())) {
        return absl::InvalidArgumentError(absl::StrCat("clips: active names clip ", entry.clip,
                                                       ", and there are ", files.size()));
      }
      const absl::StatusOr<const Layer*> layer =
          open_(files[static_cast<size_t>(entry.clip)].asset);
      if (!layer.ok()) return layer.status();
      Add(entry.stage, **layer);
    }
    return absl::OkStatus();
  }

  absl::Status OpenTemplate() {
    const absl::StatusOr<Template> files = Template::Of(set_);
    if (!files.ok()) return files.status();
    for (int i = 0; i < files->count(); ++i) {
      const absl::StatusOr<const Layer*> layer = open_(files->File(i));
      if (absl::IsNotFound(layer.status())) continue;  // there may be gaps
      if (!layer.ok()) return layer.status();
      Add(files->Time(i), **layer);
      times_.push_back({files->Time(i), files->Time(i)});
    }
    return absl::OkStatus();
  }

  void Add(double from, const Layer& layer) {
    // If several begin at the same time, the last one counts.
    if (!active_.empty() && active_.back().from == from) active_.pop_back();
    active_.push_back({from, 0, layer.Find(root_)});
  }

  // `clips` are in the order of active_.
  absl::Status Bake(const std::vector<const Prim*>& clips, const Prim* manifest, Prim& out) {
    std::vector<const Prim*> sources;
    if (manifest != nullptr) {
      sources.push_back(manifest);
    } else {
      absl::flat_hash_set<const Prim*> met;
      for (const Prim* const clip : clips) {
        if (clip != nullptr && met.insert(clip).second) sources.push_back(clip);
      }
    }
    // Indexes each clip once, because it may be active many times.
    absl::flat_hash_map<const Prim*, Names> names;
    for (const Prim* const clip : clips) {
      const auto [it, added] = names.try_emplace(clip);
      if (!added || clip == nullptr) continue;
      for (const Prim& child : clip->children) it->second.children[child.name] = &child;
      for (const Property& property : clip->properties) {
        if (property.part == Part::kTimeSamples) it->second.samples[property.name] = &property;
      }
    }
    std::vector<const Names*> of;
    for (const Prim* const clip : clips) of.push_back(&names.find(clip)->second);
    absl::flat_hash_set<absl::string_view> seen;
    for (const Prim* const source : sources) {
      for (const Property& property : source->properties) {
        if (property.type == "rel" || property.type.empty() || property.variability == "uniform") {
          continue;
        }
        if (manifest == nullptr && property.part != Part::kTimeSamples) continue;
        if (!seen.insert(property.name).second) continue;
        if (absl::Status s = BakeOne(of, manifest, property, out); !s.ok()) return s;
      }
    }
    seen.clear();
    for (const Prim* const source : sources) {
      for (const Prim& child : source->children) {
        if (!seen.insert(child.name).second) continue;
        std::vector<const Prim*> below;
        for (const Names* const clip : of) {
          const auto it = clip->children.find(child.name);
          below.push_back(it == clip->children.end() ? nullptr : it->second);
        }
        if (absl::Status s = take_(sizeof(Prim) + below.size() * sizeof(Prim*)); !s.ok()) return s;
        Prim under;
        under.specifier = "over";
        under.name = child.name;
        if (absl::Status s = Bake(below, manifest == nullptr ? nullptr : &child, under); !s.ok()) {
          return s;
        }
        out.children.push_back(std::move(under));
      }
    }
    return absl::OkStatus();
  }

  absl::Status BakeOne(const std::vector<const Names*>& clips, const Prim* manifest,
                       const Property& like, Prim& out) {
    Property baked;
    baked.type = like.type;
    baked.name = like.name;
    baked.part = Part::kTimeSamples;
    baked.line = like.line;
    const Property* const otherwise =
        manifest == nullptr ? nullptr : manifest->Find(like.name, Part::kDefault);
    for (size_t i = 0; i < clips.size(); ++i) {
      const auto it = clips[i]->samples.find(like.name);
      const Property* const samples = it == clips[i]->samples.end() ? nullptr : it->second;
      const bool has = samples != nullptr && !samples->samples.empty();
      if (!has && otherwise == nullptr && interpolates_) continue;
      std::vector<double> times;
      const double from = i == 0 ? first_from_ : active_[i].from;
      if (absl::Status s = TimesOf(active_[i], from, has ? samples : nullptr, times); !s.ok()) {
        return s;
      }
      for (const double time : times) {
        TimeSample sample;
        sample.time_code = time;
        if (has) {
          sample.value = ValueAt(*samples, ClipTime(time));
        } else if (otherwise != nullptr) {
          sample.value = otherwise->value;
        }
        const size_t bytes = sample.value.numbers.size() * sizeof(double);
        if (absl::Status s = take_(bytes); !s.ok()) return s;
        baked.samples.push_back(std::move(sample));
      }
    }
    if (!baked.samples.empty()) out.properties.push_back(std::move(baked));
    return absl::OkStatus();
  }

  // Collects the stage's times at which a clip has a sample, in ascending order. They always
  // include `from`.
  absl::Status TimesOf(const Active& active, double from, const Property* samples,
                       std::vector<double>& out) const {
    absl::Status status;
    const auto add = [&](double time) {
      if (!(time >= active.from && time < active.to) || !status.ok()) return;
      status = take_(sizeof(TimeSample));
      if (status.ok()) out.push_back(time);
    };
    add(from);
    const auto first_of = [&](double clip_time) {
      return std::lower_bound(samples->samples.begin(), samples->samples.end(), clip_time,
                              [](const TimeSample& s, double t) { return s.time_code < t; });
    };
    if (times_.empty() && samples != nullptr) {
      for (auto it = first_of(active.from);
           status.ok() && it != samples->samples.end() && it->time_code < active.to; ++it) {
        add(it->time_code);
      }
    }
    auto next = std::lower_bound(times_.begin(), times_.end(), active.from,
                                 [](const Mapping& m, double t) { return m.stage < t; });
    // The interval that leads to the first entry begins before it.
    if (next != times_.begin()) --next;
    for (; status.ok() && next != times_.end() && next->stage < active.to + kBeforeJump; ++next) {
      const auto after = std::next(next);
      const bool jumps = after != times_.end() && after->stage == next->stage;
      add(jumps ? next->stage - kBeforeJump : next->stage);
      if (after == times_.end() || jumps || samples == nullptr) continue;
      const double low = std::min(next->clip, after->clip),
                   high = std::max(next->clip, after->clip);
      if (low == high) continue;
      const double slope = (after->stage - next->stage) / (after->clip - next->clip);
      for (auto it = first_of(low);
           status.ok() && it != samples->samples.end() && it->time_code <= high; ++it) {
        add(next->stage + (it->time_code - next->clip) * slope);
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return status;
  }

  double ClipTime(double stage_time) const {
    if (times_.empty()) return stage_time;
    const auto next = std::upper_bound(times_.begin(), times_.end(), stage_time,
                                       [](double t, const Mapping& m) { return t < m.stage; });
    if (next == times_.begin()) return next->clip;
    const Mapping& at = *(next - 1);
    if (next == times_.end() || at.stage == stage_time) return at.clip;
    return at.clip + (next->clip - at.clip) * ((stage_time - at.stage) / (next->stage - at.stage));
  }

  const std::vector<Entry>& set_;
  const OpenClipLayer open_;
  const TakeMemory take_;
  std::string root_;
  bool interpolates_ = false;
  double first_from_ = 0;
  std::vector<Active> active_;
  std::vector<Mapping> times_;
};

}  // namespace

absl::StatusOr<Prim> TakeClips(Prim& prim, OpenClipLayer open, TakeMemory take) {
  Prim out;
  out.specifier = "over";
  out.name = prim.name;
  const Entry* const clips = Find(prim.metadata, "clips");
  if (clips == nullptr || clips->value.kind != Value::Kind::kDictionary) return out;
  const std::vector<Entry> sets = clips->value.dictionary;
  const bool listed = Find(prim.metadata, "clipSets") != nullptr;
  std::vector<std::string> order = TakeNames("clipSets", prim.metadata);
  if (!listed) {
    for (const Entry& set : sets) order.push_back(set.name);
    std::sort(order.begin(), order.end());
  }
  prim.metadata.erase(std::remove_if(prim.metadata.begin(), prim.metadata.end(),
                                     [](const Entry& e) { return e.name == "clips"; }),
                      prim.metadata.end());
  for (const std::string& name : order) {
    const Entry* const set = Find(sets, name);
    if (set == nullptr || set->value.kind != Value::Kind::kDictionary) continue;
    absl::StatusOr<Prim> baked = ClipSet(set->value.dictionary, open, take).Bake();
    if (!baked.ok()) return baked.status();
    Merge(*std::move(baked), out);
  }
  return out;
}

}  // namespace posewire::usd
