#include "tools/animclip/cutter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/unit/animclip/clip_fixture.h"

namespace posewire::animclip {
namespace {

using Keys = std::vector<std::pair<double, float>>;

// The slow and obvious reference: lerp between keys, held outside.
float SampleAt(const Keys& keys, double t) {
  if (t <= keys.front().first) return keys.front().second;
  for (size_t i = 1; i < keys.size(); ++i) {
    if (t > keys[i].first) continue;
    const double part = (t - keys[i - 1].first) / (keys[i].first - keys[i - 1].first);
    return static_cast<float>(keys[i - 1].second + (keys[i].second - keys[i - 1].second) * part);
  }
  return keys.back().second;
}

// One weight track with the given keys, some to a message.
Messages Track(const Keys& keys, std::mt19937& random) {
  Messages messages;
  for (const auto& [code, value] : keys) {
    if (messages.empty() || random() % 3 == 0) messages.emplace_back();
    auto* key = messages.back()
                    .mutable_animation_data()
                    ->mutable_skel_animation()
                    ->add_blend_shape_weights();
    key->set_time_code(code);
    key->add_values(value);
  }
  return messages;
}

Keys CutKeys(Messages messages, double from_s, double to_s) {
  Cutter cutter(from_s, to_s);
  Keys out;
  const auto take = [&](const Message& m) {
    for (const auto& key : m.animation_data().skel_animation().blend_shape_weights()) {
      out.push_back({key.time_code(), key.values(0)});
    }
  };
  for (Message& m : messages) {
    if (cutter.Cut(m)) take(m);
  }
  Message rest;
  if (cutter.Rest(rest)) take(rest);
  return out;
}

TEST(Cutter, PlaysAsTheOriginalDidWithinTheSpan) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> time(0, 10);
  std::uniform_real_distribution<float> value(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    Keys keys;
    double t = time(random) / 5;
    const int count = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < count; ++i) {
      keys.push_back({t, value(random)});
      t += 0.01 + time(random) / 4;
    }
    double from = time(random), to = time(random);
    if (from > to) std::swap(from, to);
    if (to - from < 0.01) continue;
    const Keys cut = CutKeys(Track(keys, random), from, to);
    if (cut.empty()) {
      // Only when the track starts after the span.
      EXPECT_GT(keys.front().first, to);
      continue;
    }
    double before = -1;
    for (const auto& [code, v] : cut) {
      EXPECT_GT(code, before);
      EXPECT_GE(code, 0);
      EXPECT_LE(code, to - from + 1e-6);
      before = code;
    }
    const double begin = std::max(from, keys.front().first);
    for (int i = 0; i <= 50; ++i) {
      const double at = begin + (to - begin) * i / 50;
      ASSERT_NEAR(SampleAt(cut, at - from), SampleAt(keys, at), 2e-5)
          << "trial " << trial << " at " << at << " of " << from << ".." << to;
    }
  }
}

TEST(Cutter, KeysOnTheFramesStayThemselves) {
  std::mt19937 random(1);
  Keys keys;
  for (int n = 0; n <= 90; ++n) keys.push_back({n / 30.0, static_cast<float>(n)});
  const Keys cut = CutKeys(Track(keys, random), 1, 2);
  ASSERT_EQ(cut.size(), 31u);
  for (size_t i = 0; i < cut.size(); ++i) {
    EXPECT_NEAR(cut[i].first, static_cast<double>(i) / 30, 1e-9);
    EXPECT_EQ(cut[i].second, static_cast<float>(30 + i));
  }
}

TEST(Cutter, RotationsBetweenKeysTurnTheShortWay) {
  Message m;
  auto* skel = m.mutable_animation_data()->mutable_skel_animation();
  for (int i = 0; i < 2; ++i) {
    auto* key = skel->add_rotations();
    key->set_time_code(i);
    auto* q = key->add_values();
    // 0 and 90 degrees about X, the second with the other sign.
    q->set_real(i == 0 ? 1.0f : -std::sqrt(0.5f));
    q->set_i(i == 0 ? 0.0f : -std::sqrt(0.5f));
  }
  Cutter cutter(0.5, 1);
  ASSERT_TRUE(cutter.Cut(m));
  const auto& first = m.animation_data().skel_animation().rotations(0);
  EXPECT_EQ(first.time_code(), 0);
  EXPECT_NEAR(std::fabs(first.values(0).real()), std::cos(M_PI / 8), 1e-6);
  EXPECT_NEAR(std::fabs(first.values(0).i()), std::sin(M_PI / 8), 1e-6);
}

TEST(Cutter, CameraIsCutLikeAPose) {
  Message m;
  auto* camera = m.mutable_animation_data()->mutable_camera();
  for (int i = 0; i < 3; ++i) {
    auto* key = camera->add_focal_length();
    key->set_time_code(i);
    key->set_value(static_cast<float>(10 * i));
    auto* position = camera->add_position();
    position->set_time_code(i);
    position->mutable_value()->set_x(static_cast<float>(i));
  }
  Cutter cutter(0.5, 1.5);
  ASSERT_TRUE(cutter.Cut(m));
  const auto& cut = m.animation_data().camera();
  ASSERT_EQ(cut.focal_length_size(), 3);
  EXPECT_FLOAT_EQ(cut.focal_length(0).value(), 5);
  EXPECT_FLOAT_EQ(cut.focal_length(1).value(), 10);
  EXPECT_FLOAT_EQ(cut.focal_length(2).value(), 15);
  EXPECT_FLOAT_EQ(cut.position(2).value().x(), 1.5f);
}

}  // namespace
}  // namespace posewire::animclip
