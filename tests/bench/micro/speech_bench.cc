// A face from sound on one core: the whole way, and its two costly parts. `x_realtime` is how many
// seconds of sound a second of computing takes in.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "libs/random/random.h"
#include "libs/speech/sound_face.h"

namespace posewire::bench {
namespace {

// A tone with a beat to it, and noise: the work is the same for any sound.
std::vector<float> Second(int rate_hz) {
  Random random(1);
  std::vector<float> sound(static_cast<size_t>(rate_hz));
  for (size_t i = 0; i < sound.size(); ++i) {
    const double t = static_cast<double>(i) / rate_hz;
    sound[i] = static_cast<float>(0.3 * std::sin(800 * t) * std::sin(25 * t)) +
               random.Uniform(-0.01f, 0.01f);
  }
  return sound;
}

void SoundToFace(benchmark::State& state) {
  const auto rate_hz = static_cast<int>(state.range(0));
  const std::vector<float> second = Second(rate_hz);
  const auto face = speech::SoundFace::Make(speech::SpeechNetwork::Builtin(), rate_hz, {}).value();
  for (auto _ : state) {
    face->Add(second);
    while (const speech::FaceFrame* frame = face->Next()) benchmark::DoNotOptimize(frame->weights);
  }
  state.counters["x_realtime"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(SoundToFace)->Arg(16000)->Arg(48000)->Unit(benchmark::kMillisecond);

void SpeechFeatureStep(benchmark::State& state) {
  const std::vector<float> second = Second(speech::kNetworkRate_hz);
  speech::SpeechFeatures features;
  speech::FeatureFrame frame;
  for (auto _ : state) {
    features.Step(absl::MakeConstSpan(second).subspan(0, speech::kHopSamples), frame);
    benchmark::DoNotOptimize(frame);
  }
}
BENCHMARK(SpeechFeatureStep);

void SpeechNetworkStep(benchmark::State& state) {
  speech::SpeechNetworkRun run(speech::SpeechNetwork::Builtin());
  speech::FeatureFrame frame{};
  for (auto _ : state) benchmark::DoNotOptimize(run.Step(frame));
}
BENCHMARK(SpeechNetworkStep);

}  // namespace
}  // namespace posewire::bench
