#include "services/a2f_source/core/tongue_track.h"

#include <algorithm>
#include <cmath>

namespace posewire::a2f_source {
namespace {

constexpr double kEasing_s = 0.04;
// An offset that moves the tongue through its full range.
constexpr float kFullOffset = 3;

struct TongueMove {
  speech::SoundClass sound;
  const char* shape;
  float weight;
};

constexpr TongueMove kTongueMoves[] = {
    {speech::kClassTh, "TongueStretch", 0.6f}, {speech::kClassTh, "TongueNarrow", 0.2f},
    {speech::kClassDd, "TongueTipUp", 0.8f},   {speech::kClassNn, "TongueTipUp", 0.8f},
    {speech::kClassSs, "TongueTipUp", 0.3f},   {speech::kClassSs, "TongueWide", 0.3f},
    {speech::kClassCh, "TongueTipUp", 0.4f},   {speech::kClassCh, "TongueUp", 0.5f},
    {speech::kClassCh, "TongueWide", 0.3f},    {speech::kClassKk, "TongueUp", 0.8f},
    {speech::kClassKk, "TongueIn", 0.3f},      {speech::kClassRr, "TongueRollUp", 0.5f},
    {speech::kClassRr, "TongueTipUp", 0.3f},   {speech::kClassRr, "TongueIn", 0.4f},
    {speech::kClassRr, "TongueNarrow", 0.4f},  {speech::kClassAa, "TongueDown", 0.6f},
    {speech::kClassAa, "TongueTipDown", 0.2f}, {speech::kClassAa, "TongueIn", 0.2f},
    {speech::kClassE, "TongueUp", 0.2f},       {speech::kClassE, "TongueStretch", 0.2f},
    {speech::kClassE, "TongueWide", 0.2f},     {speech::kClassIh, "TongueUp", 0.5f},
    {speech::kClassIh, "TongueStretch", 0.3f}, {speech::kClassIh, "TongueWide", 0.4f},
    {speech::kClassOh, "TongueDown", 0.3f},    {speech::kClassOh, "TongueIn", 0.3f},
    {speech::kClassOu, "TongueUp", 0.3f},      {speech::kClassOu, "TongueIn", 0.4f},
    {speech::kClassOu, "TongueNarrow", 0.3f},
};

}  // namespace

void TongueTrack::Add(const std::array<float, speech::kSoundClasses>& heard, double step_s,
                      AceWeights& face) {
  static const auto shapes = [] {
    std::array<size_t, std::size(kTongueMoves)> at{};
    for (size_t i = 0; i < at.size(); ++i) at[i] = AceShapeAt(kTongueMoves[i].shape);
    return at;
  }();
  static const size_t up = AceShapeAt("TongueUp"), down = AceShapeAt("TongueDown"),
                      stretch = AceShapeAt("TongueStretch"), in = AceShapeAt("TongueIn");
  const auto share = static_cast<float>(1 - std::exp(-step_s / kEasing_s));
  for (size_t i = 0; i < eased_.size(); ++i) eased_[i] += (heard[i] - eased_[i]) * share;
  for (size_t i = 0; i < shapes.size(); ++i) {
    face[shapes[i]] += eased_[kTongueMoves[i].sound] * kTongueMoves[i].weight * settings_.strength;
  }
  const auto offset = [&](float by, size_t positive, size_t negative) {
    face[by > 0 ? positive : negative] += std::abs(by) / kFullOffset;
  };
  offset(settings_.height_offset, up, down);
  offset(settings_.depth_offset, stretch, in);
}

}  // namespace posewire::a2f_source
