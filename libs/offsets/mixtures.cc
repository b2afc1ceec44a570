#include "libs/offsets/mixtures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/principal.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;

constexpr float kUnit = 1.0f / 32767;  // the step of values that are at most 1

// Writes numbers as 16-bit multiples of a step: all low bytes, then all high bytes.
void PutSteps(absl::Span<const float> values, float least_step, ByteWriter& out) {
  float most = 0;
  for (const float v : values) most = std::max(most, std::fabs(v));
  const float step = std::clamp(most / 32767, least_step, kMostStep_m);
  std::vector<uint16_t> steps;
  for (const float v : values) {
    const long whole = std::lround(std::clamp(v / step, -32767.0f, 32767.0f));
    // The lowest bit is the sign, so that small numbers of either sign have a high byte of 0.
    steps.push_back(static_cast<uint16_t>(whole < 0 ? -2 * whole - 1 : 2 * whole));
  }
  out.Put(step);
  for (const uint16_t s : steps) out.Put(static_cast<uint8_t>(s));
  for (const uint16_t s : steps) out.Put(static_cast<uint8_t>(s >> 8));
}

struct Steps {
  float step = 0;
  std::vector<int16_t> whole;

  float operator[](size_t i) const { return static_cast<float>(whole[i]) * step; }
  size_t held_bytes() const { return whole.capacity() * sizeof(int16_t); }
};

bool GetSteps(ByteReader& in, size_t n, Steps& out) {
  out.step = in.Get<float>();
  const absl::string_view bytes = in.Bytes(2 * n);
  if (!in.ok() || !(out.step >= 0) || out.step > kMostStep_m) return false;
  out.whole.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const int code = static_cast<uint8_t>(bytes[i]) + 256 * static_cast<uint8_t>(bytes[n + i]);
    out.whole[i] = static_cast<int16_t>(code % 2 == 1 ? -(code + 1) / 2 : code / 2);
  }
  return true;
}

// A component and its weights: `even` has one for each row that the component is mixed into.
struct Part {
  Steps component, even;
};

size_t HeldBytes(const std::vector<Part>& parts) {
  size_t bytes = parts.capacity() * sizeof(Part);
  for (const Part& part : parts) bytes += part.component.held_bytes() + part.even.held_bytes();
  return bytes;
}

std::vector<float> Column(const Matrix& m, size_t c) {
  std::vector<float> out(m.rows);
  for (size_t r = 0; r < m.rows; ++r) out[r] = m.row(r)[c];
  return out;
}

absl::Status BrokenMixture(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("mixture is cut off or broken at ", what));
}

float StepOf(const Settings& settings) { return static_cast<float>(settings.tolerance_m / 8); }

class PcaChunk : public Chunk {
 public:
  PcaChunk(Steps mean, std::vector<Part> parts)
      : mean_(std::move(mean)), parts_(std::move(parts)) {}

  void Frame(size_t frame, absl::Span<Vec3> out) const override {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = {mean_[3 * i], mean_[3 * i + 1], mean_[3 * i + 2]};
    }
    for (const Part& part : parts_) {
      const float share = part.even[frame] * part.component.step;
      const int16_t* at = part.component.whole.data();
      for (Vec3& o : out) {
        o.x += static_cast<float>(*at++) * share;
        o.y += static_cast<float>(*at++) * share;
        o.z += static_cast<float>(*at++) * share;
      }
    }
  }

  size_t held_bytes() const override {
    return sizeof *this + mean_.held_bytes() + HeldBytes(parts_);
  }

 private:
  Steps mean_;
  std::vector<Part> parts_;
};

struct Cluster {
  std::vector<uint32_t> points;
  Steps mean;
  std::vector<Part> parts;
};

class ClusterChunk : public Chunk {
 public:
  explicit ClusterChunk(std::vector<Cluster> clusters) : clusters_(std::move(clusters)) {}

  void Frame(size_t frame, absl::Span<Vec3> out) const override {
    const size_t at = 3 * frame;
    for (const Cluster& cluster : clusters_) {
      const Vec3 mean{cluster.mean[at], cluster.mean[at + 1], cluster.mean[at + 2]};
      for (const uint32_t p : cluster.points) out[p] = mean;
      for (const Part& part : cluster.parts) {
        const Vec3 motion{part.component[at], part.component[at + 1], part.component[at + 2]};
        for (size_t i = 0; i < cluster.points.size(); ++i) {
          Vec3& o = out[cluster.points[i]];
          o = o + motion * part.even[i];
        }
      }
    }
  }

  size_t held_bytes() const override {
    size_t bytes = sizeof *this + clusters_.capacity() * sizeof(Cluster);
    for (const Cluster& c : clusters_) {
      bytes += c.points.capacity() * sizeof(uint32_t) + c.mean.held_bytes() + HeldBytes(c.parts);
    }
    return bytes;
  }

 private:
  std::vector<Cluster> clusters_;
};

// Each row is a point. The columns are x, y, z of one frame after the other.
Matrix Motions(const Offsets& offsets, absl::Span<const uint32_t> points) {
  Matrix out(points.size(), 3 * offsets.frames());
  for (size_t r = 0; r < points.size(); ++r) {
    float* at = out.row(r);
    for (size_t f = 0; f < offsets.frames(); ++f) {
      const Vec3 o = offsets.at(f, points[r]);
      *at++ = o.x;
      *at++ = o.y;
      *at++ = o.z;
    }
  }
  return out;
}

// The fewest bytes in a file: a part of a cluster with one point, and that cluster without parts.
size_t LeastPartBytes(size_t frames) { return 4 + 6 * frames + 4 + 2; }
size_t LeastClusterBytes(size_t frames) { return 8 + 4 + 4 + 6 * frames; }

}  // namespace

std::string EncodePca(const Offsets& offsets, const Settings& settings) {
  Matrix frames(offsets.frames(), 3 * offsets.points);
  for (size_t f = 0; f < offsets.frames(); ++f) {
    float* at = frames.row(f);
    for (size_t i = 0; i < offsets.points; ++i) {
      const Vec3 o = offsets.at(f, i);
      *at++ = o.x;
      *at++ = o.y;
      *at++ = o.z;
    }
  }
  Principal found = FindPrincipal(frames, (1 - settings.variance) * VarianceOf(frames));
  ByteWriter out;
  out.Put(static_cast<uint32_t>(found.components.rows));
  PutSteps(found.mean, StepOf(settings), out);
  for (size_t k = 0; k < found.components.rows; ++k) {
    // Scales the shares, one per frame, to at most 1, so that the poses are in metres.
    std::vector<float> shares = Column(found.shares, k);
    float most = 0;
    for (const float s : shares) most = std::max(most, std::fabs(s));
    if (!(most > 0)) most = 1;
    for (float& s : shares) s /= most;
    std::vector<float> pose(found.components.row(k),
                            found.components.row(k) + found.components.columns);
    for (float& v : pose) v *= most;
    PutSteps(shares, kUnit, out);
    PutSteps(pose, StepOf(settings), out);
  }
  return out.Take();
}

absl::StatusOr<std::unique_ptr<Chunk>> OpenPca(absl::string_view bytes, size_t points,
                                               size_t frames) {
  ByteReader in(bytes);
  const auto components = in.Get<uint32_t>();
  if (components > frames) return BrokenMixture("the number of poses");
  Steps mean;
  if (!GetSteps(in, 3 * points, mean)) return BrokenMixture("the mean pose");
  std::vector<Part> parts(components);
  for (Part& part : parts) {
    if (!GetSteps(in, frames, part.even) || !GetSteps(in, 3 * points, part.component)) {
      return BrokenMixture("a pose");
    }
  }
  if (!in.Done()) return BrokenMixture("its end");
  return std::make_unique<PcaChunk>(std::move(mean), std::move(parts));
}

size_t OpenPcaBytes(size_t bytes, size_t, size_t frames) {
  return sizeof(PcaChunk) + bytes + frames * sizeof(Part);
}

std::string EncodeClusters(const Offsets& offsets, const Settings& settings) {
  std::vector<uint32_t> all(offsets.points);
  std::iota(all.begin(), all.end(), 0u);
  const Matrix motions = Motions(offsets, all);
  const std::vector<size_t> cluster_of =
      FindClusters(motions, static_cast<size_t>(std::max(settings.clusters, 1)));
  // Allows the same mean error everywhere, even where little moves.
  const double allowed_a_point = (1 - settings.variance) * VarianceOf(motions) /
                                 static_cast<double>(std::max<size_t>(offsets.points, 1));
  std::vector<std::vector<uint32_t>> members(
      offsets.points == 0 ? 0 : *std::max_element(cluster_of.begin(), cluster_of.end()) + 1);
  for (const uint32_t p : all) members[cluster_of[p]].push_back(p);
  members.erase(std::remove_if(members.begin(), members.end(),
                               [](const auto& points) { return points.empty(); }),
                members.end());
  ByteWriter out;
  out.Put(static_cast<uint32_t>(members.size()));
  for (const std::vector<uint32_t>& points : members) {
    Principal found = FindPrincipal(Motions(offsets, points),
                                    allowed_a_point * static_cast<double>(points.size()));
    const size_t parts = found.components.rows;
    std::vector<size_t> order(points.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (parts > 0) {
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return found.shares.row(a)[0] < found.shares.row(b)[0];
      });
    }
    out.Put(static_cast<uint32_t>(points.size()));
    out.Put(static_cast<uint32_t>(parts));
    for (const size_t i : order) out.Put(points[i]);
    PutSteps(found.mean, StepOf(settings), out);
    for (size_t k = 0; k < parts; ++k) {
      std::vector<float> shares;
      for (const size_t i : order) shares.push_back(found.shares.row(i)[k]);
      PutSteps({found.components.row(k), found.components.columns}, kUnit, out);
      PutSteps(shares, StepOf(settings), out);
    }
  }
  return out.Take();
}

absl::StatusOr<std::unique_ptr<Chunk>> OpenClusters(absl::string_view bytes, size_t points,
                                                    size_t frames) {
  ByteReader in(bytes);
  if (in.left() / 4 < points) return BrokenMixture("the points");
  std::vector<bool> seen(points, false);
  size_t all = 0;
  std::vector<Cluster> clusters;
  auto left = in.Get<uint32_t>();
  clusters.reserve(std::min<size_t>(left, in.left() / LeastClusterBytes(frames)));
  for (; left > 0; --left) {
    Cluster cluster;
    const auto n = in.Get<uint32_t>(), parts = in.Get<uint32_t>();
    if (!in.ok() || n == 0 || n > points - all || parts > 3 * frames)
      return BrokenMixture("a cluster");
    all += n;
    if (in.left() / 4 < n) return BrokenMixture("the points of a cluster");
    cluster.points.reserve(n);
    for (uint32_t i = 0; i < n; ++i) {
      const auto p = in.Get<uint32_t>();
      if (p >= points || seen[p]) return BrokenMixture("a point of a cluster");
      seen[p] = true;
      cluster.points.push_back(p);
    }
    if (!GetSteps(in, 3 * frames, cluster.mean))
      return BrokenMixture("the mean motion of a cluster");
    cluster.parts.reserve(std::min<size_t>(parts, in.left() / LeastPartBytes(frames)));
    for (uint32_t k = 0; k < parts; ++k) {
      Part& part = cluster.parts.emplace_back();
      if (!GetSteps(in, 3 * frames, part.component) || !GetSteps(in, n, part.even)) {
        return BrokenMixture("a motion of a cluster");
      }
    }
    clusters.push_back(std::move(cluster));
  }
  if (!in.Done() || all != points) return BrokenMixture("its end");
  return std::make_unique<ClusterChunk>(std::move(clusters));
}

size_t OpenClustersBytes(size_t bytes, size_t points, size_t frames) {
  return sizeof(ClusterChunk) + points / 8 + bytes + bytes / LeastPartBytes(frames) * sizeof(Part) +
         bytes / LeastClusterBytes(frames) * sizeof(Cluster);
}

}  // namespace posewire::offsets
