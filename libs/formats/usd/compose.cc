#include "libs/formats/usd/compose.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/formats/usd/clips.h"
#include "libs/formats/usd/merge.h"
#include "libs/formats/usd/variants.h"

namespace posewire::usd {
namespace {

constexpr double kUsualTimeCodesPerSecond = 24;
constexpr double kLastTime = 1e299;
constexpr size_t kMostFiles = 256;
constexpr int kMostArcs = 32;  // in one chain
// Nesting of prims after references are resolved. Every pass over a stage recurses this deep.
constexpr int kMostLevels = 512;
constexpr size_t kMostCopies = 64;
constexpr size_t kFreeBytes = 4u << 20;
constexpr size_t kMostBytes = size_t{2} << 30;
// Strongest first. Variants come after what is inherited.
constexpr absl::string_view kInherits = "inherits";
constexpr absl::string_view kArcs[] = {kInherits, "references", "payload", "specializes"};

// Resolves a name in a file: "a/b.usda" in "x/y.usda" is "x/a/b.usda".
std::string ResolveNextTo(absl::string_view file, absl::string_view named) {
  if (absl::StartsWith(named, "/")) return std::string(named);
  while (absl::StartsWith(named, "./")) named.remove_prefix(2);
  const size_t slash = file.rfind('/');
  return slash == absl::string_view::npos ? std::string(named)
                                          : absl::StrCat(file.substr(0, slash + 1), named);
}

// Makes a path in a prim absolute.
std::string Absolute(absl::string_view path, absl::string_view prim) {
  if (absl::StartsWith(path, "/") || path.empty()) return std::string(path);
  std::vector<absl::string_view> names;
  if (prim != "/") names = absl::StrSplit(prim.substr(1), '/');
  while (absl::StartsWith(path, "..")) {
    if (!names.empty()) names.pop_back();
    path.remove_prefix(2);
    if (absl::StartsWith(path, "/")) path.remove_prefix(1);
  }
  std::string out = absl::StrCat("/", absl::StrJoin(names, "/"));
  if (path.empty()) return out;
  if (path[0] != '.' && out.size() > 1) out += '/';
  return absl::StrCat(out, path);
}

struct TimeOffset {
  double offset = 0, scale = 1;

  double operator()(double code) const { return code * scale + offset; }
  bool none() const { return offset == 0 && scale == 1; }
};

TimeOffset OffsetOf(const Reference& reference) {
  const double scale = NumberOf(reference.options, "scale", 1);
  return {NumberOf(reference.options, "offset", 0), scale == 0 ? 1 : scale};
}

void SetOffset(const TimeOffset& time, Reference& reference) {
  const auto entry = [](const char* name, double number) {
    Entry out;
    out.name = name;
    out.value.kind = Value::Kind::kNumbers;
    out.value.numbers = {number};
    return out;
  };
  reference.options = {entry("offset", time.offset), entry("scale", time.scale)};
}

bool IsArc(absl::string_view name) {
  return std::find(std::begin(kArcs), std::end(kArcs), name) != std::end(kArcs);
}

void Anchor(absl::string_view file, absl::string_view path, Value& value) {
  for (Reference& reference : value.references) {
    if (!reference.asset.empty()) {
      reference.asset = ResolveNextTo(file, reference.asset);
    } else if (reference.has_path) {
      reference.path = Absolute(reference.path, path);
    }
  }
  for (Entry& entry : value.dictionary) {
    Anchor(file, path, entry.value);
    // This text in value clips is a file name too.
    if (entry.name != "templateAssetPath" || entry.value.texts.empty()) continue;
    entry.value.texts[0] = ResolveNextTo(file, entry.value.texts[0]);
  }
}

// Makes paths absolute, and file names relative to the first file.
void Anchor(absl::string_view file, absl::string_view path, Prim& prim) {
  for (Entry& entry : prim.metadata) Anchor(file, path, entry.value);
  for (Property& property : prim.properties) Anchor(file, path, property.value);
  for (Prim& child : prim.children) {
    Anchor(file, absl::StrCat(path == "/" ? "" : path, "/", child.name), child);
  }
  for (VariantSet& set : prim.variant_sets) {
    for (Prim& variant : set.variants) Anchor(file, path, variant);
  }
}

// Converts the stage's time codes in clip sets: the first of each pair.
void RetimeClips(const TimeOffset& time, Value& clips) {
  for (Entry& set : clips.dictionary) {
    for (Entry& entry : set.value.dictionary) {
      if (entry.name != "active" && entry.name != "times") continue;
      std::vector<double>& numbers = entry.value.numbers;
      for (size_t i = 0; i < numbers.size(); i += 2) numbers[i] = time(numbers[i]);
    }
  }
}

void Retime(const TimeOffset& time, Prim& prim) {
  if (time.none()) return;
  for (Entry& entry : prim.metadata) {
    if (entry.name == "clips") RetimeClips(time, entry.value);
    if (!IsArc(entry.name)) continue;
    for (Reference& reference : entry.value.references) {
      const TimeOffset own = OffsetOf(reference);
      SetOffset({time(own.offset), own.scale * time.scale}, reference);
    }
  }
  for (Property& property : prim.properties) {
    for (TimeSample& sample : property.samples) {
      sample.time_code = std::clamp(time(sample.time_code), -kLastTime, kLastTime);
    }
    if (time.scale < 0) std::reverse(property.samples.begin(), property.samples.end());
    if (property.type != "timecode" && property.type != "timecode[]") continue;
    for (double& code : property.value.numbers) {
      code = std::clamp(time(code), -kLastTime, kLastTime);
    }
  }
  for (Prim& child : prim.children) Retime(time, child);
  for (VariantSet& set : prim.variant_sets) {
    for (Prim& variant : set.variants) Retime(time, variant);
  }
}

// Changes the paths in a prim from one root to another. Paths that point out of it are removed if
// the prim comes from another file.
void Move(absl::string_view from, absl::string_view to, bool other_file, Prim& prim) {
  const auto move = [&](Value& value) {
    std::vector<Reference>& all = value.references;
    for (Reference& reference : all) {
      if (!reference.has_path || !reference.asset.empty()) continue;
      absl::string_view rest = reference.path;
      const bool inside =
          absl::StartsWith(rest, from) &&
          (rest.size() == from.size() || rest[from.size()] == '/' || rest[from.size()] == '.');
      if (inside) {
        reference.path = absl::StrCat(to, rest.substr(from.size()));
      } else if (other_file) {
        reference.path.clear();
      }
    }
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [](const Reference& r) { return r.has_path && r.path.empty() && !r.has_asset; }),
              all.end());
  };
  for (Property& property : prim.properties) move(property.value);
  for (Prim& child : prim.children) Move(from, to, other_file, child);
}

size_t BytesOf(const Value& value) {
  size_t out = sizeof(Value) + value.numbers.size() * sizeof(double) +
               value.references.size() * sizeof(Reference);
  for (const std::string& text : value.texts) out += sizeof(text) + text.size();
  for (const Entry& entry : value.dictionary) out += sizeof(Entry) + BytesOf(entry.value);
  return out;
}

size_t BytesOf(const Prim& prim) {
  size_t out = sizeof(Prim);
  for (const Entry& entry : prim.metadata) out += sizeof(Entry) + BytesOf(entry.value);
  for (const Property& property : prim.properties) {
    out += sizeof(Property) + BytesOf(property.value);
    for (const TimeSample& sample : property.samples) out += BytesOf(sample.value);
  }
  for (const Prim& child : prim.children) out += BytesOf(child);
  for (const VariantSet& set : prim.variant_sets) {
    out += sizeof(set);
    for (const Prim& variant : set.variants) out += BytesOf(variant);
  }
  return out;
}

void DropInactive(std::vector<Prim>& prims) {
  prims.erase(std::remove_if(prims.begin(), prims.end(),
                             [](const Prim& p) { return NumberOf(p.metadata, "active", 1) == 0; }),
              prims.end());
  for (Prim& prim : prims) DropInactive(prim.children);
}

class Composer {
 public:
  Composer(const OpenLayer& open, const ReadLimits& limits) : open_(open), limits_(limits) {}

  absl::StatusOr<Layer> First(absl::string_view text) {
    const absl::StatusOr<Layer> stack = Stack(text, "");
    if (!stack.ok()) return stack.status();
    return Composed(*stack, "", {});
  }

 private:
  // Composes a file by itself, with the variants that stronger files select in it.
  absl::StatusOr<Layer> Composed(const Layer& stack, const std::string& file,
                                 Selections selections) {
    if (absl::Status s = Take(stack); !s.ok()) return s;
    Layer out = stack;
    for (const Prim& prim : stack.prims) selections.Add(prim, absl::StrCat("/", prim.name));
    if (absl::Status s = Take(selections.bytes()); !s.ok()) return s;
    for (Prim& prim : out.prims) {
      const std::string path = absl::StrCat("/", prim.name);
      if (absl::Status s = Fill(stack, file, path, 0, selections, prim); !s.ok()) return s;
    }
    DropInactive(out.prims);
    return out;
  }

  absl::Status Take(const Layer& layer) {
    for (const Prim& prim : layer.prims) {
      if (absl::Status s = Take(prim); !s.ok()) return s;
    }
    return absl::OkStatus();
  }
  absl::Status Take(const Prim& prim) { return Take(BytesOf(prim)); }
  absl::Status Take(size_t bytes) {
    taken_ += bytes;
    if (taken_ <= std::min(kFreeBytes + kMostCopies * read_, kMostBytes)) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("prims, their paths and what they refer to, once for each use, take over ",
                     kMostCopies, " times the bytes of the files"));
  }

  static absl::Status At(const std::string& file, absl::Status status) {
    if (file.empty() || status.ok()) return status;
    return absl::Status(status.code(), absl::StrCat(file, ": ", status.message()));
  }
  static absl::Status Fault(const std::string& file, const Prim& prim, absl::string_view why) {
    return At(file, absl::InvalidArgumentError(absl::StrCat("line ", prim.line, ": ", why)));
  }

  absl::StatusOr<std::string> Open(const std::string& file) {
    if (open_ == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("@", file, "@ is another file, and this one must stand alone"));
    }
    if (++files_ > kMostFiles) {
      return absl::ResourceExhaustedError(absl::StrCat("over ", kMostFiles, " files"));
    }
    if (std::find(opening_.begin(), opening_.end(), file) != opening_.end()) {
      return absl::InvalidArgumentError(absl::StrCat("@", file, "@ leads back to itself"));
    }
    absl::StatusOr<std::string> text = open_(file);
    if (!text.ok()) return At(absl::StrCat("@", file, "@"), text.status());
    return text;
  }

  // Reads a file with its sublayers.
  absl::StatusOr<Layer> Stack(absl::string_view text, const std::string& file) {
    read_ += text.size();
    absl::StatusOr<Layer> layer = ReadLayer(text, limits_);
    if (!layer.ok()) return At(file, layer.status());
    for (Prim& prim : layer->prims) Anchor(file, absl::StrCat("/", prim.name), prim);
    const Value* const sublayers = FindMetadata(layer->metadata, "subLayers");
    if (sublayers == nullptr) return layer;
    opening_.push_back(file);
    for (const Reference& reference : sublayers->references) {
      const std::string named = ResolveNextTo(file, reference.asset);
      const absl::StatusOr<std::string> more = Open(named);
      if (!more.ok()) return At(file, more.status());
      absl::StatusOr<Layer> below = Stack(*more, named);
      if (!below.ok()) return below.status();
      const TimeOffset time = Rate(OffsetOf(reference), *layer, *below);
      for (Prim& prim : below->prims) Retime(time, prim);
      Merge(std::move(below->prims), layer->prims);
    }
    opening_.pop_back();
    return layer;
  }

  // Files may have different rates of time codes.
  static TimeOffset Rate(TimeOffset time, const Layer& above, const Layer& below) {
    // With an infinite scale, time 0 would become NaN.
    time.scale = std::clamp(time.scale * TimeCodesPerSecond(above) / TimeCodesPerSecond(below),
                            -kLastTime, kLastTime);
    return time;
  }

  absl::StatusOr<const Layer*> Whole(const std::string& file, const Selections& selections) {
    const std::string key = absl::StrCat(file, std::string(1, '\0'), selections.Text());
    if (const auto it = wholes_.find(key); it != wholes_.end()) return it->second.get();
    if (std::find(opening_.begin(), opening_.end(), file) != opening_.end()) {
      return absl::InvalidArgumentError(absl::StrCat("@", file, "@ leads back to itself"));
    }
    std::unique_ptr<Layer>& stack = stacks_[file];
    if (stack == nullptr) {
      const absl::StatusOr<std::string> text = Open(file);
      if (!text.ok()) return text.status();
      absl::StatusOr<Layer> read = Stack(*text, file);
      if (!read.ok()) return read.status();
      stack = std::make_unique<Layer>(*std::move(read));
    }
    const Layer& before = *stack;
    opening_.push_back(file);
    absl::StatusOr<Layer> whole = Composed(before, file, selections);
    opening_.pop_back();
    if (!whole.ok()) return whole.status();
    return (wholes_[key] = std::make_unique<Layer>(*std::move(whole))).get();
  }

  // Value clips are not composed.
  absl::StatusOr<const Layer*> Clip(const std::string& file) {
    std::unique_ptr<Layer>& clip = clips_[file];
    if (clip != nullptr) return clip.get();
    const absl::StatusOr<std::string> text = Open(file);
    if (!text.ok()) return text.status();
    read_ += text->size();
    absl::StatusOr<Layer> read = ReadLayer(*text, limits_);
    if (!read.ok()) return At(file, read.status());
    clip = std::make_unique<Layer>(*std::move(read));
    return clip.get();
  }

  // Merges into a prim at `path`, and into those below it, the prims that they refer to, strongest
  // first. `stack` is their file. `selections` has the variants selected at `path` and below.
  absl::Status Fill(const Layer& stack, const std::string& file, const std::string& path, int arcs,
                    const Selections& selections, Prim& prim) {
    if (++levels_ > kMostLevels)
      return Fault(file, prim, absl::StrCat("prims nest over ", kMostLevels, " levels"));
    // Counts the path too, because a stage keeps the whole path of each prim.
    if (absl::Status s = Take(path.size()); !s.ok()) return s;
    std::vector<Prim> inherited, others;
    for (const absl::string_view kind : kArcs) {
      for (const Reference& reference : TakeList(kind, prim.metadata)) {
        if (arcs == kMostArcs) {
          return Fault(file, prim,
                       absl::StrCat(path, " refers over ", kMostArcs, " times, or to itself"));
        }
        absl::StatusOr<Prim> below = Target(stack, file, path, arcs, reference, selections, prim);
        if (!below.ok()) return below.status();
        (kind == kInherits ? inherited : others).push_back(*std::move(below));
      }
    }
    // In USD, an instance cannot override anything below its root.
    if (IsInstance(prim, inherited, others)) prim.children.clear();
    if (absl::Status s = LayClips(file, prim); !s.ok()) return s;
    MergeAll(std::move(inherited), prim);
    if (absl::Status s = LayVariants(stack, file, path, arcs, selections, others, prim); !s.ok()) {
      return s;
    }
    MergeAll(std::move(others), prim);
    for (Prim& child : prim.children) {
      if (absl::Status s =
              Fill(stack, file, absl::StrCat(path, "/", child.name), arcs, selections, child);
          !s.ok()) {
        return s;
      }
    }
    --levels_;
    return absl::OkStatus();
  }

  static void MergeAll(std::vector<Prim> weak, Prim& strong) {
    if (weak.empty()) return;
    Merger merger;
    for (Prim& prim : weak) merger.Add(std::move(prim), strong);
  }

  static bool IsInstance(const Prim& prim, const std::vector<Prim>& inherited,
                         const std::vector<Prim>& others) {
    if (inherited.empty() && others.empty() && prim.variant_sets.empty()) return false;
    std::vector<const Prim*> says = {&prim};
    for (const Prim& below : inherited) says.push_back(&below);
    for (const Prim& below : others) says.push_back(&below);
    for (const Prim* const one : says) {
      if (const Value* const value = FindMetadata(one->metadata, "instanceable")) {
        return !value->numbers.empty() && value->numbers[0] != 0;
      }
    }
    return false;
  }

  // Clips are weaker than the values in their own file.
  absl::Status LayClips(const std::string& file, Prim& prim) {
    if (FindMetadata(prim.metadata, "clips") == nullptr) return absl::OkStatus();
    absl::StatusOr<Prim> baked = TakeClips(
        prim, [&](const std::string& clip) { return Clip(clip); },
        [&](size_t bytes) { return Take(bytes); });
    if (absl::IsInvalidArgument(baked.status()) &&
        absl::StartsWith(std::string(baked.status().message()), "clips: ")) {
      return Fault(file, prim, baked.status().message());
    }
    if (!baked.ok()) return baked.status();
    Merge(*std::move(baked), prim);
    return absl::OkStatus();
  }

  // Variants are weaker than what is inherited and stronger than `others`, although those may
  // select them. The references of a variant belong to it.
  absl::Status LayVariants(const Layer& stack, const std::string& file, const std::string& path,
                           int arcs, const Selections& selections, const std::vector<Prim>& others,
                           Prim& prim) {
    const std::vector<std::string> names = TakeNames("variantSets", prim.metadata);
    std::vector<VariantSet> sets = std::exchange(prim.variant_sets, {});
    Selections chosen = selections;
    for (const std::string& name : names) {
      const auto set = std::find_if(sets.begin(), sets.end(),
                                    [&](const VariantSet& s) { return s.name == name; });
      if (set == sets.end()) continue;
      std::string variant = chosen.Of(path, name);
      if (variant.empty()) variant = SelectionOf(prim, name);
      for (const Prim& other : others) {
        if (variant.empty()) variant = SelectionOf(other, name);
      }
      const auto found = std::find_if(set->variants.begin(), set->variants.end(),
                                      [&](const Prim& p) { return p.name == variant; });
      if (found == set->variants.end()) continue;
      if (arcs == kMostArcs) {
        return Fault(file, prim,
                     absl::StrCat(path, " has variants in over ", kMostArcs, " others"));
      }
      Prim body = std::move(*found);
      body.name = prim.name;
      chosen.Add(body, path);
      if (absl::Status s = Take(chosen.bytes()); !s.ok()) return s;
      if (absl::Status s = Fill(stack, file, path, arcs + 1, chosen, body); !s.ok()) return s;
      Merge(std::move(body), prim);
    }
    return absl::OkStatus();
  }

  // Does the same as Layer::Find, but long lists are looked up by name, because a scene may refer
  // to each of very many prims.
  const Prim* Find(const Layer& layer, absl::string_view path) {
    if (path.empty() || path[0] != '/') return nullptr;
    const std::vector<Prim>* among = &layer.prims;
    const Prim* found = nullptr;
    for (const absl::string_view name : absl::StrSplit(path.substr(1), '/')) {
      found = Named(*among, name);
      if (found == nullptr) return nullptr;
      among = &found->children;
    }
    return found;
  }

  // Returns the last prim of this name. The index stays valid, because layers do not change once
  // they are referred to.
  const Prim* Named(const std::vector<Prim>& among, absl::string_view name) {
    constexpr size_t kShortList = 16;
    if (among.size() <= kShortList) {
      const auto last = std::find_if(among.rbegin(), among.rend(),
                                     [&](const Prim& prim) { return prim.name == name; });
      return last == among.rend() ? nullptr : &*last;
    }
    const auto [names, fresh] = by_name_.try_emplace(&among);
    if (fresh) {
      for (const Prim& prim : among) names->second[prim.name] = &prim;
    }
    const auto it = names->second.find(name);
    return it == names->second.end() ? nullptr : it->second;
  }

  absl::StatusOr<Prim> Target(const Layer& stack, const std::string& file, const std::string& path,
                              int arcs, const Reference& reference, const Selections& selections,
                              const Prim& prim) {
    const bool other_file = !reference.asset.empty();
    const Layer* layer = &stack;
    if (other_file) {
      const absl::StatusOr<const Layer*> whole = Whole(reference.asset, {});
      if (!whole.ok()) return At(file, whole.status());
      layer = *whole;
    }
    std::string from = reference.path;
    if (from.empty()) {
      const Value* const name = FindMetadata(layer->metadata, "defaultPrim");
      if (name == nullptr || name->texts.empty()) {
        return Fault(file, prim, absl::StrCat("@", reference.asset, "@ names no defaultPrim"));
      }
      from = absl::StrCat(absl::StartsWith(name->texts[0], "/") ? "" : "/", name->texts[0]);
    }
    Selections chosen = selections.Moved(path, from);
    if (absl::Status s = Take(chosen.bytes()); !s.ok()) return s;
    if (other_file && !chosen.empty()) {
      const absl::StatusOr<const Layer*> whole = Whole(reference.asset, chosen);
      if (!whole.ok()) return At(file, whole.status());
      layer = *whole;
    }
    const Prim* const found = Find(*layer, from);
    if (found == nullptr) {
      // USD allows a prim of the same file, such as a class, to be missing.
      if (!other_file) return Prim{};
      return Fault(file, prim, absl::StrCat("@", reference.asset, "@ has no prim ", from));
    }
    if (absl::Status s = Take(*found); !s.ok()) return s;
    Prim out = *found;
    if (!other_file) {
      chosen.Add(out, from);
      if (absl::Status s = Fill(stack, file, from, arcs + 1, chosen, out); !s.ok()) return s;
    }
    Move(from, path, other_file, out);
    const TimeOffset own = OffsetOf(reference);
    Retime(other_file ? Rate(own, stack, *layer) : own, out);
    if (out.specifier == "class") out.specifier = "over";
    return out;
  }

  const OpenLayer& open_;
  const ReadLimits& limits_;
  std::vector<std::string> opening_;
  absl::flat_hash_map<std::string, std::unique_ptr<Layer>> stacks_, wholes_, clips_;
  absl::flat_hash_map<const std::vector<Prim>*, absl::flat_hash_map<absl::string_view, const Prim*>>
      by_name_;  // for long lists
  int levels_ = 0;
  size_t files_ = 0, read_ = 0, taken_ = 0;
};

}  // namespace

absl::StatusOr<Layer> Compose(absl::string_view text, const OpenLayer& open,
                              const ReadLimits& limits) {
  return Composer(open, limits).First(text);
}

const Value* FindMetadata(const std::vector<Entry>& metadata, absl::string_view name) {
  for (const Entry& entry : metadata) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

double NumberOf(const std::vector<Entry>& metadata, absl::string_view name, double otherwise) {
  const Value* const value = FindMetadata(metadata, name);
  const bool number =
      value != nullptr && !value->numbers.empty() && std::isfinite(value->numbers.front());
  return number ? value->numbers.front() : otherwise;
}

double TimeCodesPerSecond(const Layer& layer) {
  for (const absl::string_view name : {"timeCodesPerSecond", "framesPerSecond"}) {
    const double rate = NumberOf(layer.metadata, name, 0);
    if (rate > 0) return rate;
  }
  return kUsualTimeCodesPerSecond;
}

}  // namespace posewire::usd
