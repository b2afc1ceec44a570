#include "libs/wire/contributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "libs/skel/rig_limits.h"
#include "libs/wire/any_entry.h"
#include "libs/wire/text_check.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kContributionsType = "posewire.contributions.v1.Contributions";
constexpr size_t kMostName = 1024;
// Weights that differ by less count as equal.
constexpr float kSame = 1e-6f;

enum : uint32_t { kContributions = 1, kLeftOut = 2 };
enum : uint32_t {
  kClip = 1,
  kClipHash,
  kTime,
  kWeight,
  kMask,
  kAdditive,
  kMirrored,
  kFrozen,
  kSource
};
enum : uint32_t { kJoint = 1, kJointWeight = 2, kHash = 3 };

// Appends the bytes that `write` writes, at most `size`.
template <typename F>
void Append(std::string& to, size_t size, F write) {
  const size_t at = to.size();
  to.resize(at + size);
  WireWriter out(reinterpret_cast<uint8_t*>(to.data()) + at);
  write(out);
  to.resize(static_cast<size_t>(reinterpret_cast<char*>(out.position()) - to.data()));
}

void AppendText(std::string& to, uint32_t number, absl::string_view text) {
  if (text.empty()) return;
  Append(to, LengthFieldSize(text.size()), [&](WireWriter& w) { w.TextField(number, text); });
}

void AppendItem(const ContributionFields& fields, absl::string_view mask, std::string& to) {
  AppendText(to, kClip, fields.clip);
  Append(to, 9 + kDoubleFieldSize + kFloatFieldSize, [&](WireWriter& w) {
    if (fields.clip_hash != 0) {
      w.Tag(kClipHash, kFixed64);
      w.Raw(&fields.clip_hash, sizeof(fields.clip_hash));
    }
    w.DoubleField(kTime, fields.time_s);
    w.FloatField(kWeight, std::min(fields.weight, 1.0f));
  });
  AppendText(to, kMask, mask);
  Append(to, 6, [&](WireWriter& w) {
    if (fields.additive) w.VarintField(kAdditive, 1);
    if (fields.mirrored) w.VarintField(kMirrored, 1);
    if (fields.frozen) w.VarintField(kFrozen, 1);
  });
  AppendText(to, kSource, fields.source_service_id);
}

void AppendLeftOut(float left_out, std::string& to) {
  if (!(left_out > 0)) return;
  Append(to, kFloatFieldSize, [&](WireWriter& w) { w.FloatField(kLeftOut, left_out); });
}

// Treats rounding errors above 1 as 1.
bool TakeShare(float& weight) {
  const bool good = weight >= 0 && weight <= 1.0001f;
  weight = std::min(weight, 1.0f);
  return good;
}

bool TakeName(Bytes bytes, std::string& out) {
  if (bytes.size() > kMostName || !IsUtf8(AsText(bytes))) return false;
  out = std::string(AsText(bytes));
  return true;
}

bool TakeMask(Bytes bytes, std::vector<std::pair<std::string, float>>& out) {
  std::vector<float> weights;
  FieldReader fields(bytes);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kJoint, kLength)) {
      out.emplace_back();
      if (out.size() > skel::kMostJoints || !TakeName(f.bytes, out.back().first)) return false;
    }
    if (f.Is(kJointWeight, kFixed32)) weights.push_back(f.AsFloat());
    if (f.Is(kJointWeight, kLength)) {
      for (size_t at = 0; at + sizeof(float) <= f.bytes.size(); at += sizeof(float)) {
        float weight;
        std::memcpy(&weight, f.bytes.data() + at, sizeof(weight));
        weights.push_back(weight);
      }
    }
    if (weights.size() > skel::kMostJoints) return false;
  }
  if (!fields.ok() || weights.size() != out.size()) return false;
  if (!std::all_of(weights.begin(), weights.end(), TakeShare)) return false;
  for (size_t i = 0; i < out.size(); ++i) out[i].second = weights[i];
  return true;
}

bool TakeContribution(Bytes bytes, Contribution& out) {
  FieldReader fields(bytes);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kClip, kLength) && !TakeName(f.bytes, out.clip)) return false;
    if (f.Is(kClipHash, kFixed64)) out.clip_hash = f.value;
    if (f.Is(kTime, kFixed64)) out.time_s = f.AsDouble();
    if (f.Is(kWeight, kFixed32)) out.weight = f.AsFloat();
    if (f.Is(kMask, kLength) && !TakeMask(f.bytes, out.mask)) return false;
    if (f.Is(kAdditive, kVarint)) out.additive = f.value != 0;
    if (f.Is(kMirrored, kVarint)) out.mirrored = f.value != 0;
    if (f.Is(kFrozen, kVarint)) out.frozen = f.value != 0;
    if (f.Is(kSource, kLength) && !TakeName(f.bytes, out.source_service_id)) return false;
  }
  return fields.ok() && TakeShare(out.weight) && std::isfinite(out.time_s);
}

}  // namespace

ContributionsWriter::ContributionsWriter(std::shared_ptr<const skel::Rig> rig)
    : rig_(std::move(rig)),
      names_(rig_->joint_names().begin(), rig_->joint_names().end()),
      entry_(PackEntry(kContributionsKey, kContributionsType, "")) {}

void ContributionsWriter::WriteMask(float weight, absl::Span<const float> row) {
  mask_.clear();
  weights_.clear();
  uint64_t hash = 14695981039346656037ull;
  for (size_t j = 0; j < names_.size(); ++j) {
    const int parent = rig_->topology().parent(static_cast<int>(j));
    const float above = parent < 0 ? weight : row[static_cast<size_t>(parent)];
    if (std::fabs(row[j] - above) < kSame) continue;
    const float share = std::clamp(row[j] / weight, 0.0f, 1.0f);
    AppendText(mask_, kJoint, names_[j]);
    weights_.append(reinterpret_cast<const char*>(&share), sizeof(share));
  }
  if (mask_.empty()) return;
  AppendText(mask_, kJointWeight, weights_);
  for (const char c : mask_) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  Append(mask_, 9, [&](WireWriter& w) {
    w.Tag(kHash, kFixed64);
    w.Raw(&hash, sizeof(hash));
  });
}

void ContributionsWriter::Add(const ContributionFields& fields, absl::Span<const float> row) {
  if (!(fields.weight > 0) || row.size() < names_.size()) return;
  WriteMask(fields.weight, row);
  item_.clear();
  AppendItem(fields, mask_, item_);
  AppendText(message_, kContributions, item_);
}

MetadataEntry& ContributionsWriter::Finish(float left_out) {
  AppendLeftOut(left_out, message_);
  RepackEntry(kContributionsType, message_, entry_);
  return entry_;
}

void Contribution::Shares(const skel::Rig& rig, absl::Span<float> out) const {
  std::vector<float> set(static_cast<size_t>(rig.joints()), -1);
  for (const auto& [joint, share] : mask) {
    const int j = rig.FindJoint(joint);
    if (j >= 0) set[static_cast<size_t>(j)] = weight * share;
  }
  for (size_t j = 0; j < set.size() && j < out.size(); ++j) {
    const int parent = rig.topology().parent(static_cast<int>(j));
    out[j] = set[j] >= 0 ? set[j] : parent < 0 ? weight : out[static_cast<size_t>(parent)];
  }
}

MetadataEntry ToMetadata(const Contributions& contributions) {
  std::string message;
  for (const Contribution& one : contributions.contributions) {
    std::string mask, weights;
    for (const auto& [joint, share] : one.mask) {
      AppendText(mask, kJoint, joint);
      weights.append(reinterpret_cast<const char*>(&share), sizeof(share));
    }
    AppendText(mask, kJointWeight, weights);
    std::string item;
    AppendItem({.clip = one.clip,
                .clip_hash = one.clip_hash,
                .time_s = one.time_s,
                .weight = one.weight,
                .additive = one.additive,
                .mirrored = one.mirrored,
                .frozen = one.frozen,
                .source_service_id = one.source_service_id},
               mask, item);
    AppendText(message, kContributions, item);
  }
  AppendLeftOut(contributions.left_out, message);
  return PackEntry(kContributionsKey, kContributionsType, message);
}

std::optional<Contributions> ReadContributions(const MetadataEntry& entry) {
  const std::optional<Bytes> message = UnpackEntry(entry, kContributionsKey, kContributionsType);
  if (!message) return std::nullopt;
  Contributions out;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kContributions, kLength)) {
      out.contributions.emplace_back();
      if (out.contributions.size() > Contributions::kMost) return std::nullopt;
      if (!TakeContribution(f.bytes, out.contributions.back())) return std::nullopt;
    }
    if (f.Is(kLeftOut, kFixed32)) out.left_out = f.AsFloat();
  }
  if (!fields.ok() || !TakeShare(out.left_out)) return std::nullopt;
  return out;
}

}  // namespace posewire::wire
