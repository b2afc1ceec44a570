// The network that hears what a mouth says: features of sound in, visemes and contacts out.
//
// It is a stack of causal convolutions whose reach doubles from block to block, as in WaveNet (van
// den Oord and others, 2016), small enough for a part of one core. Each 10 ms it takes one frame of
// features and says what is said a little earlier: `lookahead` frames of what comes next are what
// it needs to tell a p from a t. How it was trained stands in tools/speech_model/training.
#ifndef POSEWIRE_LIBS_SPEECH_SPEECH_NETWORK_H_
#define POSEWIRE_LIBS_SPEECH_SPEECH_NETWORK_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/speech/speech_features.h"

namespace posewire::speech {

// What sounds are told apart into: the 15 visemes that Oculus named and MPEG-4 has alike, and what
// is no speech.
enum SoundClass : size_t {
  kClassSil,
  kClassPp,
  kClassFf,
  kClassTh,
  kClassDd,
  kClassKk,
  kClassCh,
  kClassSs,
  kClassNn,
  kClassRr,
  kClassAa,
  kClassE,
  kClassIh,
  kClassOh,
  kClassOu,
  kClassNoise,
  kSoundClasses
};

// What the network says of one frame of 10 ms. All values are in 0..1.
struct SoundFrame {
  std::array<float, kSoundClasses> classes{};  // they sum up to 1
  float bilabial = 0;                          // the lips are closed, for p, b or m
  float labiodental = 0;                       // the lower lip is at the teeth, for f or v
  float voiced = 0, vowel = 0, fricative = 0, stop = 0, nasal = 0;
  float arousal = 0.5f;  // how lively the voice is; 0.5 is neutral
};

// Weights, as trained. Never changes once read: any number of threads and runs may share one.
class SpeechNetwork {
 public:
  // `bytes` of a file of docs/speech.md's form. INVALID_ARGUMENT with the place of what is wrong.
  // Needs memory for a few times the file, and no more.
  static absl::StatusOr<std::shared_ptr<const SpeechNetwork>> Read(absl::string_view bytes);

  // The one that is compiled in: data/speech/visemes.nn.
  static std::shared_ptr<const SpeechNetwork> Builtin();

  // The output of a step is about the frame that so many steps before it took.
  size_t lookahead() const { return lookahead_; }
  // Names of the outputs, in the file's order.
  absl::Span<const std::string> outputs() const { return outputs_; }

 private:
  friend class SpeechNetworkRun;
  friend class SpeechNetworkReader;

  // A matrix in panels of kPanelRows rows, and a bias, both filled up with zeros.
  struct Layer {
    size_t columns = 0;
    std::vector<float> panels;
    std::vector<float> bias;
  };
  struct Block {
    size_t dilation = 1;
    std::vector<Layer> taps;  // the oldest first; the bias is the last one's
    Layer mix;
  };
  // Where in the outputs each field of a SoundFrame is.
  struct Heads {
    std::array<size_t, kSoundClasses> classes{};
    size_t bilabial, labiodental, voiced, vowel, fricative, stop, nasal, arousal;
  };

  size_t lookahead_ = 0, channels_ = 0, softmax_ = 0;
  std::vector<std::string> outputs_;
  Heads heads_{};
  Layer input_, output_;
  std::vector<Block> blocks_;
};

// One sound's way through a network: what the convolutions remember. Allocates nothing after it is
// made. One thread.
class SpeechNetworkRun {
 public:
  explicit SpeechNetworkRun(std::shared_ptr<const SpeechNetwork> network);

  // Takes the next frame and gives the raw outputs, valid until the next step. They are about the
  // frame of `lookahead` steps before.
  absl::Span<const float> Step(const FeatureFrame& features);

  // Raw outputs as probabilities.
  SoundFrame Read(absl::Span<const float> logits) const;

 private:
  // The inputs of a block's convolution, as far back as it reaches.
  struct Past {
    size_t frames = 0;
    std::vector<float> rows;
  };

  std::shared_ptr<const SpeechNetwork> network_;
  size_t steps_ = 0;
  std::vector<Past> past_;
  std::vector<float> stream_, inner_, out_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPEECH_NETWORK_H_
