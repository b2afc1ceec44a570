// A made-up performer for tests: a body and a face that move as people do, sent in the bundles of
// real programs over a network that delays, reorders and loses.
#ifndef POSEWIRE_TESTS_UNIT_A2F_SOURCE_VMC_SENDER_H_
#define POSEWIRE_TESTS_UNIT_A2F_SOURCE_VMC_SENDER_H_

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/skel/math.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/coordinates.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/expressions.h"
#include "libs/vmc/messages.h"

namespace posewire::a2f_source {

// Each bone swings about an axis of its own, up to `swing_rad` and some 1.5 Hz.
inline skel::Quat BoneAt(int bone, double t_s, double swing_rad = 0.7) {
  const double hz = 0.6 + 0.017 * bone;
  const double angle = swing_rad * std::sin(2 * M_PI * hz * t_s + bone) *
                       (0.6 + 0.4 * std::sin(0.9 * t_s + 0.3 * bone));
  const skel::Vec3 axis = skel::Normalized(skel::Vec3{
      std::sin(1.0f * static_cast<float>(bone)), std::cos(2.0f * static_cast<float>(bone)),
      std::sin(3.0f * static_cast<float>(bone) + 1)});
  return skel::FromAxisAngle(axis, static_cast<float>(angle));
}
inline skel::Vec3 HipsAt(double t_s) {
  return {static_cast<float>(0.05 * std::sin(3 * t_s)),
          static_cast<float>(0.9 + 0.03 * std::sin(11 * t_s)), 0};
}
inline float ShapeAt(int shape, double t_s) {
  return static_cast<float>(0.5 + 0.5 * std::sin((4 + 0.1 * shape) * t_s + shape));
}

enum class Style {
  kSingles,      // every message a datagram of its own
  kThirteen,     // 13 bones a bundle; the rest nested in the root's bundle; shapes in one
  kOneForAll,    // all in one bundle, with the time first
  kSplit,        // bundles of at most 1452 bytes, the time in each
  kSplitNoTime,  // the same without a time
};
inline constexpr Style kStyles[] = {Style::kSingles, Style::kThirteen, Style::kOneForAll,
                                    Style::kSplit, Style::kSplitNoTime};

inline std::string Bundle(const std::vector<std::string>& elements) {
  std::string out("#bundle\0\0\0\0\0\0\0\0\1", 16);
  for (const std::string& e : elements) {
    const auto size = static_cast<uint32_t>(e.size());
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(size >> shift));
    out += e;
  }
  return out;
}

inline std::string Encoded(const vmc::Message& message) {
  return vmc::EncodeMessage(message).value();
}

struct SentFrame {
  std::vector<std::string> head, bones, shapes, devices;
};

inline SentFrame FrameAt(double t_s, float first_time_s = 5, double swing_rad = 0.7) {
  SentFrame f;
  f.head = {Encoded(vmc::Time{first_time_s + static_cast<float>(t_s)}),
            Encoded(vmc::Ok{1, {}, {}, {}}), Encoded(vmc::RootPose{"root", {}, std::nullopt})};
  for (int b = 0; b < vmc::kBones; ++b) {
    const skel::Vec3 at = b == vmc::kHips ? HipsAt(t_s) : skel::Vec3{0, 0.1f, 0};
    f.bones.push_back(Encoded(vmc::BonePose{vmc::BoneNames()[static_cast<size_t>(b)],
                                            vmc::ToUnity({at, BoneAt(b, t_s, swing_rad)})}));
  }
  for (int s = 0; s < vmc::kArkitShapes; ++s) {
    f.shapes.push_back(
        Encoded(vmc::BlendValue{vmc::ArkitNames()[static_cast<size_t>(s)], ShapeAt(s, t_s)}));
  }
  f.shapes.push_back(Encoded(vmc::BlendApply{}));
  for (const char* serial : {"waist", "foot"}) {
    f.devices.push_back(Encoded(vmc::DevicePose{vmc::DeviceKind::kTracker, false, serial,
                                                vmc::ToUnity({HipsAt(t_s), {}})}));
  }
  return f;
}

// The datagrams of one frame in a program's style.
inline std::vector<std::string> Datagrams(const SentFrame& f, Style style) {
  std::vector<std::string> all = f.head;
  for (const auto* part : {&f.bones, &f.shapes, &f.devices}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  if (style == Style::kSingles) return all;
  if (style == Style::kOneForAll) return {Bundle(all)};
  std::vector<std::string> out;
  if (style == Style::kThirteen) {
    std::vector<std::string> rest;
    for (size_t b = 0; b < f.bones.size(); b += 13) {
      const size_t end = std::min(b + 13, f.bones.size());
      const std::vector<std::string> part(f.bones.begin() + static_cast<std::ptrdiff_t>(b),
                                          f.bones.begin() + static_cast<std::ptrdiff_t>(end));
      if (end - b == 13) {
        out.push_back(Bundle(part));
      } else {
        rest = part;
      }
    }
    std::vector<std::string> root = f.head;
    root.push_back(Bundle(rest));
    out.push_back(Bundle(root));
    out.push_back(Bundle(f.shapes));
    for (const std::string& device : f.devices) out.push_back(device);
    return out;
  }
  const bool timed = style == Style::kSplit;
  std::vector<std::string> part;
  size_t bytes = 16;
  for (size_t i = timed ? 0 : 1; i < all.size(); ++i) {
    if (bytes + 4 + all[i].size() > 1452) {
      out.push_back(Bundle(part));
      part.clear();
      bytes = 16;
      if (timed) {
        part.push_back(f.head[0]);
        bytes += 4 + f.head[0].size();
      }
    }
    part.push_back(all[i]);
    bytes += 4 + all[i].size();
  }
  out.push_back(Bundle(part));
  return out;
}

struct Arrival {
  double at_s = 0;
  std::string bytes;
};

// `seconds` at 60 Hz over a network that loses and delays each datagram by chance.
inline std::vector<Arrival> Perform(Style style, double seconds, double loss, double jitter_s,
                                    uint64_t seed, double swing_rad = 0.7) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<Arrival> arrivals;
  const int frames = static_cast<int>(seconds * 60);
  for (int n = 0; n < frames; ++n) {
    const double t_s = n / 60.0;
    for (std::string& bytes : Datagrams(FrameAt(t_s, 5, swing_rad), style)) {
      if (chance(random) < loss) continue;
      arrivals.push_back({t_s + jitter_s * chance(random), std::move(bytes)});
    }
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at_s < b.at_s; });
  return arrivals;
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_TESTS_UNIT_A2F_SOURCE_VMC_SENDER_H_
