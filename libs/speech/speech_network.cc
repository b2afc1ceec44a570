#include "libs/speech/speech_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/speech/network_kernel.h"

namespace posewire::speech {
namespace {

float Sigmoid(float logit) { return 1 / (1 + std::exp(-logit)); }

void Rectify(const std::vector<float>& in, float* out) {
  std::transform(in.begin(), in.end(), out, [](float v) { return std::max(v, 0.0f); });
}

}  // namespace

SpeechNetworkRun::SpeechNetworkRun(std::shared_ptr<const SpeechNetwork> network)
    : network_(std::move(network)),
      stream_(network_->input_.bias.size()),
      inner_(stream_.size()),
      out_(network_->output_.bias.size()) {
  for (const SpeechNetwork::Block& block : network_->blocks_) {
    const size_t frames = (block.taps.size() - 1) * block.dilation + 1;
    past_.push_back({frames, std::vector<float>(frames * stream_.size())});
  }
}

absl::Span<const float> SpeechNetworkRun::Step(const FeatureFrame& features) {
  const size_t width = stream_.size();
  const auto add = [](const SpeechNetwork::Layer& layer, const float* x, std::vector<float>& y) {
    AddProduct(layer.panels.data(), y.size(), layer.columns, x, y.data());
  };
  stream_ = network_->input_.bias;
  add(network_->input_, features.data(), stream_);
  for (size_t b = 0; b < past_.size(); ++b) {
    const SpeechNetwork::Block& block = network_->blocks_[b];
    Past& past = past_[b];
    std::copy(stream_.begin(), stream_.end(),
              past.rows.begin() + static_cast<std::ptrdiff_t>(steps_ % past.frames * width));
    inner_ = block.taps.back().bias;
    for (size_t tap = 0; tap < block.taps.size(); ++tap) {
      // The oldest frame of the ring is the next one to be overwritten.
      const size_t frame = (steps_ + 1 + tap * block.dilation) % past.frames;
      add(block.taps[tap], past.rows.data() + frame * width, inner_);
    }
    Rectify(inner_, inner_.data());
    for (size_t i = 0; i < width; ++i) stream_[i] += block.mix.bias[i];
    add(block.mix, inner_.data(), stream_);
  }
  Rectify(stream_, inner_.data());
  out_ = network_->output_.bias;
  add(network_->output_, inner_.data(), out_);
  ++steps_;
  return absl::MakeConstSpan(out_).subspan(0, network_->outputs_.size());
}

SoundFrame SpeechNetworkRun::Read(absl::Span<const float> logits) const {
  const SpeechNetwork::Heads& heads = network_->heads_;
  SoundFrame frame;
  const float most = *std::max_element(logits.begin(), logits.begin() + network_->softmax_);
  float sum = 0;
  for (size_t c = 0; c < kSoundClasses; ++c) {
    sum += frame.classes[c] = std::exp(logits[heads.classes[c]] - most);
  }
  for (float& p : frame.classes) p /= sum;
  frame.bilabial = Sigmoid(logits[heads.bilabial]);
  frame.labiodental = Sigmoid(logits[heads.labiodental]);
  frame.voiced = Sigmoid(logits[heads.voiced]);
  frame.vowel = Sigmoid(logits[heads.vowel]);
  frame.fricative = Sigmoid(logits[heads.fricative]);
  frame.stop = Sigmoid(logits[heads.stop]);
  frame.nasal = Sigmoid(logits[heads.nasal]);
  frame.arousal = Sigmoid(logits[heads.arousal]);
  return frame;
}

}  // namespace posewire::speech
