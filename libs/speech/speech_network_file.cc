// Reads the file of weights: lines of sizes, an empty line, and 16-bit numbers (docs/speech.md).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/speech/builtin_network.h"
#include "libs/speech/network_kernel.h"
#include "libs/speech/sound_resampler.h"
#include "libs/speech/speech_network.h"

namespace posewire::speech {
namespace {

constexpr absl::string_view kFirstLine = "posewire-nn 1";
constexpr size_t kMaxHeaderBytes = 4096;
// With these limits a run takes at most a few megabytes, whatever the file says.
constexpr size_t kMaxChannels = 512, kMaxBlocks = 32, kMaxKernel = 9, kMaxReach = 4096;
constexpr size_t kMaxOutputs = 256, kMaxLookahead = 20;

constexpr absl::string_view kClassNames[] = {"sil", "pp", "ff", "th", "dd", "kk", "ch", "ss",
                                             "nn",  "rr", "aa", "e",  "ih", "oh", "ou", "noise"};
static_assert(std::size(kClassNames) == kSoundClasses);

// IEEE 754 binary16.
float FromHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16u;
  const uint32_t exponent = half >> 10u & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23u | fraction << 13u);
}

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("weights: ", what));
}

}  // namespace

class SpeechNetworkReader {
 public:
  explicit SpeechNetworkReader(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<std::shared_ptr<const SpeechNetwork>> Read() {
    for (const auto step : {&SpeechNetworkReader::ReadLines, &SpeechNetworkReader::ReadSizes,
                            &SpeechNetworkReader::FindHeads, &SpeechNetworkReader::CheckLength,
                            &SpeechNetworkReader::ReadLayers}) {
      if (absl::Status s = (this->*step)(); !s.ok()) return s;
    }
    return std::make_shared<const SpeechNetwork>(std::move(network_));
  }

 private:
  absl::Status ReadLines() {
    const absl::string_view head = bytes_.substr(0, kMaxHeaderBytes);
    const size_t end = head.find("\n\n");
    if (head.substr(0, head.find('\n')) != kFirstLine) {
      return Wrong(absl::StrCat("line 1 is not \"", kFirstLine, "\""));
    }
    if (end == absl::string_view::npos) {
      return Wrong(absl::StrCat("no empty line ends the head within ", kMaxHeaderBytes, " bytes"));
    }
    at_ = end + 2;
    size_t number = 0;
    for (const absl::string_view line : absl::StrSplit(head.substr(0, end), '\n')) {
      if (++number == 1) continue;
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(line, absl::MaxSplits(' ', 1));
      if (!lines_.emplace(pair.first, Line{number, pair.second}).second) {
        return Wrong(absl::StrCat("line ", number, " has \"", absl::CHexEscape(pair.first),
                                  "\" a second time"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadSize(absl::string_view key, size_t least, size_t most, size_t& out) {
    const auto line = lines_.find(key);
    if (line == lines_.end()) return Wrong(absl::StrCat("no line \"", key, "\""));
    return ToSize(key, line->second, line->second.text, least, most, out);
  }

  struct Line {
    size_t number;
    absl::string_view text;
  };

  static absl::Status ToSize(absl::string_view key, const Line& line, absl::string_view text,
                             size_t least, size_t most, size_t& out) {
    uint64_t value = 0;
    if (absl::SimpleAtoi(text, &value) && value >= least && value <= most) {
      out = value;
      return absl::OkStatus();
    }
    return Wrong(absl::StrCat("line ", line.number, ": ", key, " is \"",
                              absl::CHexEscape(text.substr(0, 40)), "\", ", least, " to ", most,
                              " is right"));
  }

  absl::Status ReadSizes() {
    size_t hop = 0, rate = 0;
    const auto sizes = {
        ReadSize("features", kSpeechFeatures, kSpeechFeatures, features_),
        ReadSize("hop", kHopSamples, kHopSamples, hop),
        ReadSize("rate", kNetworkRate_hz, kNetworkRate_hz, rate),
        ReadSize("channels", 1, kMaxChannels, network_.channels_),
        ReadSize("kernel", 1, kMaxKernel, kernel_),
        ReadSize("lookahead", 0, kMaxLookahead, network_.lookahead_),
        ReadSize("softmax", kSoundClasses, kSoundClasses, network_.softmax_),
        ReadDilations(),
    };
    for (const absl::Status& s : sizes) {
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status ReadDilations() {
    const auto line = lines_.find("dilations");
    if (line == lines_.end()) return Wrong("no line \"dilations\"");
    size_t sum = 0;
    for (const absl::string_view text : absl::StrSplit(line->second.text, ' ')) {
      size_t dilation = 0;
      absl::Status s = ToSize("a dilation", line->second, text, 1, kMaxReach, dilation);
      if (!s.ok()) return s;
      dilations_.push_back(dilation);
      sum += dilation;
    }
    if (dilations_.size() <= kMaxBlocks && sum <= kMaxReach) return absl::OkStatus();
    return Wrong(absl::StrCat("line ", line->second.number, " has ", dilations_.size(),
                              " dilations of together ", sum, ", up to ", kMaxBlocks,
                              " of together ", kMaxReach, " are right"));
  }

  absl::Status FindHeads() {
    const auto line = lines_.find("outputs");
    if (line == lines_.end()) return Wrong("no line \"outputs\"");
    network_.outputs_ = absl::StrSplit(line->second.text, ' ');
    if (network_.outputs_.size() > kMaxOutputs) return Wrong("more outputs than 256");
    SpeechNetwork::Heads& heads = network_.heads_;
    for (size_t c = 0; c < kSoundClasses; ++c) {
      absl::Status s = Find(kClassNames[c], 0, kSoundClasses, heads.classes[c]);
      if (!s.ok()) return s;
    }
    const std::pair<absl::string_view, size_t*> single[] = {
        {"bilabial", &heads.bilabial},   {"labiodental", &heads.labiodental},
        {"voiced", &heads.voiced},       {"vowel", &heads.vowel},
        {"fricative", &heads.fricative}, {"stop", &heads.stop},
        {"nasal", &heads.nasal},         {"arousal", &heads.arousal}};
    for (const auto& [name, at] : single) {
      absl::Status s = Find(name, kSoundClasses, network_.outputs_.size(), *at);
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status Find(absl::string_view name, size_t from, size_t to, size_t& at) const {
    const auto& names = network_.outputs_;
    for (at = from; at < std::min(to, names.size()); ++at) {
      if (names[at] == name) return absl::OkStatus();
    }
    return Wrong(absl::StrCat("the outputs have no \"", name, "\" among ", from, " to ", to - 1));
  }

  absl::Status CheckLength() {
    const size_t c = network_.channels_, h = network_.outputs_.size();
    const size_t block = kernel_ * c * c + c + c * c + c;
    const size_t parameters = features_ * c + c + dilations_.size() * block + h * c + h;
    const size_t bytes = at_ + 2 * parameters;
    if (bytes == bytes_.size()) return absl::OkStatus();
    return Wrong(
        absl::StrCat("the file has ", bytes_.size(), " bytes, by its sizes ", bytes, " are right"));
  }

  absl::Status ReadLayers() {
    const size_t channels = network_.channels_;
    network_.input_ = Matrix(channels, features_);
    Bias(channels, network_.input_);
    for (const size_t dilation : dilations_) {
      SpeechNetwork::Block& block = network_.blocks_.emplace_back();
      block.dilation = dilation;
      for (size_t tap = 0; tap < kernel_; ++tap) block.taps.push_back(Matrix(channels, channels));
      Bias(channels, block.taps.back());
      block.mix = Matrix(channels, channels);
      Bias(channels, block.mix);
    }
    network_.output_ = Matrix(network_.outputs_.size(), channels);
    Bias(network_.outputs_.size(), network_.output_);
    if (bad_at_ == 0) return absl::OkStatus();
    return Wrong(absl::StrCat("the number at byte ", bad_at_, " is infinite or none"));
  }

  float Number() {
    const auto low = static_cast<uint8_t>(bytes_[at_]),
               high = static_cast<uint8_t>(bytes_[at_ + 1]);
    const float value = FromHalf(static_cast<uint16_t>(low | high << 8));
    if (!std::isfinite(value) && bad_at_ == 0) bad_at_ = at_;
    at_ += 2;
    return value;
  }

  static size_t FilledUp(size_t rows) { return (rows + kPanelRows - 1) / kPanelRows * kPanelRows; }

  SpeechNetwork::Layer Matrix(size_t rows, size_t columns) {
    SpeechNetwork::Layer layer;
    layer.columns = columns;
    layer.panels.resize(FilledUp(rows) * columns);
    for (size_t r = 0; r < rows; ++r) {
      float* panel = layer.panels.data() + r / kPanelRows * kPanelRows * columns + r % kPanelRows;
      for (size_t c = 0; c < columns; ++c) panel[c * kPanelRows] = Number();
    }
    return layer;
  }

  void Bias(size_t rows, SpeechNetwork::Layer& layer) {
    layer.bias.resize(FilledUp(rows));
    for (size_t r = 0; r < rows; ++r) layer.bias[r] = Number();
  }

  absl::string_view bytes_;
  size_t at_ = 0;
  size_t bad_at_ = 0;
  std::map<absl::string_view, Line> lines_;
  size_t features_ = 0, kernel_ = 0;
  std::vector<size_t> dilations_;
  SpeechNetwork network_;
};

absl::StatusOr<std::shared_ptr<const SpeechNetwork>> SpeechNetwork::Read(absl::string_view bytes) {
  return SpeechNetworkReader(bytes).Read();
}

std::shared_ptr<const SpeechNetwork> SpeechNetwork::Builtin() {
  return Read(BuiltinNetworkBytes()).value();  // cannot fail: a test reads the same bytes
}

}  // namespace posewire::speech
