// The network that recognises the mouth in speech: takes features of audio, and returns visemes and
// contacts.
//
// It is a stack of causal convolutions whose reach doubles from block to block, as in WaveNet (van
// den Oord and others, 2016), small enough for a part of one core. Every 10 ms it takes one frame
// of features and returns the result for a slightly earlier one: it needs `lookahead` later frames
// to distinguish a p from a t. tools/speech_model/training documents how it was trained.
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

// The classes of sounds: the 15 visemes that Oculus named and MPEG-4 also has, and noise, which is
// not speech.
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

// The network's output for one frame of 10 ms. All values are in 0..1.
struct SoundFrame {
  std::array<float, kSoundClasses> classes{};  // their sum is 1
  float bilabial = 0;                          // the lips are closed, for p, b or m
  float labiodental = 0;                       // the lower lip is at the teeth, for f or v
  float voiced = 0, vowel = 0, fricative = 0, stop = 0, nasal = 0;
  float arousal = 0.5f;  // how lively the voice is; 0.5 is neutral
};

// Trained weights. Immutable once read; threads and runs may share one.
class SpeechNetwork {
 public:
  // `bytes` is a file in the format of docs/speech.md. INVALID_ARGUMENT with the position of the
  // fault. Takes memory for a few times the file at most.
  static absl::StatusOr<std::shared_ptr<const SpeechNetwork>> Read(absl::string_view bytes);

  // Returns the built-in network: data/speech/visemes.nn.
  static std::shared_ptr<const SpeechNetwork> Builtin();

  // The output of a step is for the frame this many steps before.
  size_t lookahead() const { return lookahead_; }
  // Names of the outputs, in the file's order.
  absl::Span<const std::string> outputs() const { return outputs_; }

 private:
  friend class SpeechNetworkRun;
  friend class SpeechNetworkReader;

  // A matrix in panels of kPanelRows rows, and a bias, both padded with zeros.
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
  // Indices of each field of a SoundFrame in the outputs.
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

// The state of a network for one piece of audio. Allocates only in the constructor. One thread.
class SpeechNetworkRun {
 public:
  explicit SpeechNetworkRun(std::shared_ptr<const SpeechNetwork> network);

  // Takes the next frame and returns the raw outputs, valid until the next step. They are for the
  // frame `lookahead` steps before.
  absl::Span<const float> Step(const FeatureFrame& features);

  // Converts raw outputs to probabilities.
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
