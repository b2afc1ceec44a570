#include "libs/speech/mouth_mean.h"

namespace posewire::speech {
namespace {

bool OfJaw(size_t group) { return group == kJawOpen || group == kJawForward; }
bool Opens(size_t group) {
  return group == kJawOpen || group == kMouthLowerDown || group == kMouthUpperUp;
}

}  // namespace

void MouthMean::Add(const Viseme& viseme, float weight, float round_weight, float openness) {
  for (size_t g = 0; g < kMouthGroups; ++g) {
    const float w =
        (IsRounding(g) ? round_weight : weight) * (OfJaw(g)        ? viseme.jaw_strength
                                                   : IsRounding(g) ? viseme.round_strength
                                                                   : viseme.lip_strength);
    sum_[g] += w * viseme.pose[g] * (Opens(g) ? openness : 1.0f);
    weight_[g] += w;
  }
}

void MouthMean::Add(const MouthMean& other, float weight, float round_weight) {
  for (size_t g = 0; g < kMouthGroups; ++g) {
    const float w = IsRounding(g) ? round_weight : weight;
    sum_[g] += w * other.sum_[g];
    weight_[g] += w * other.weight_[g];
  }
}

MouthPose MouthMean::Mean() const {
  MouthPose pose{};
  for (size_t g = 0; g < kMouthGroups; ++g) {
    if (weight_[g] > 1e-6f) pose[g] = sum_[g] / weight_[g];
  }
  return pose;
}

}  // namespace posewire::speech
