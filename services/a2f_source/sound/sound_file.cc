#include "services/a2f_source/sound/sound_file.h"

#include <sndfile.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/files/file.h"
#include "libs/files/open.h"
#include "libs/recording/wav_reader.h"
#include "services/a2f_source/sound/mix_down.h"
#include "services/a2f_source/sound/pcm_stream.h"

namespace posewire::a2f_source {
namespace {

// Maximum size of a file without samples, unless it contains pictures.
constexpr int64_t kMostHeadAlone = 4096;

struct CloseSound {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundHandle = std::unique_ptr<SNDFILE, CloseSound>;

class SoundFile : public SoundInput {
 public:
  SoundFile(std::string path, files::Descriptor bytes, SoundHandle file, const SF_INFO& info)
      : path_(std::move(path)), bytes_(std::move(bytes)), file_(std::move(file)), info_(info) {}

  int rate_hz() const override { return info_.samplerate; }
  std::optional<int64_t> samples() const override {
    if (info_.frames <= 0) return std::nullopt;
    return info_.frames;
  }

  std::vector<std::string> notes() const override {
    if (info_.frames != 0) return {};
    return {absl::StrCat(path_, ": has no samples")};
  }

  absl::StatusOr<size_t> Read(absl::Span<float> to) override {
    const auto channels = static_cast<size_t>(info_.channels);
    interleaved_.resize(to.size() * channels);
    const sf_count_t got =
        sf_readf_float(file_.get(), interleaved_.data(), static_cast<sf_count_t>(to.size()));
    const auto count = static_cast<size_t>(std::max<sf_count_t>(got, 0));
    if (count == 0 && sf_error(file_.get()) != SF_ERR_NO_ERROR) {
      return absl::DataLossError(absl::StrFormat("%s: broken after %.3f s: %s", path_,
                                                 static_cast<double>(read_) / info_.samplerate,
                                                 sf_strerror(file_.get())));
    }
    MixDown(interleaved_, channels, to.subspan(0, count));
    read_ += static_cast<int64_t>(count);
    return count;
  }

 private:
  std::string path_;
  files::Descriptor bytes_;  // used by file_
  SoundHandle file_;
  SF_INFO info_;
  int64_t read_ = 0;
  std::vector<float> interleaved_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SoundInput>> OpenSoundFile(const std::string& path) {
  // libsndfile trusts the sizes in a WAV, which may be wrong.
  auto opened = files::File::Open(path, files::File::Mode::kRead);
  if (!opened.ok()) return opened.status();
  recording::WavReader wav(opened->get());
  const absl::Status read = wav.Open();
  if (read.ok() && wav.form() && IsPcm(*wav.form())) return OpenPcmStream(*std::move(opened), {});
  absl::StatusOr<files::Descriptor> bytes = files::OpenToRead(path);
  if (!bytes.ok()) return bytes.status();
  SF_INFO info{};
  SoundHandle file(sf_open_fd(bytes->get(), SFM_READ, &info, SF_FALSE));
  if (file == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot be read as sound: ", sf_strerror(nullptr),
                     " Give a WAV, FLAC or Ogg file."));
  }
  const int64_t size = (*opened)->Size();
  if (info.frames == 0 && (wav.data_bytes().value_or(0) > 0 || size > kMostHeadAlone)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": its header says that it has no samples, but it has ", size,
                     " bytes, as a streamed file does; convert it to WAV"));
  }
  if (info.samplerate < speech::kMinSoundRate_hz || info.samplerate > speech::kMaxSoundRate_hz) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", info.samplerate,
                                                   " samples a second, ", speech::kMinSoundRate_hz,
                                                   " to ", speech::kMaxSoundRate_hz, " is right"));
  }
  if (info.channels < 1 || info.channels > kMaxSoundChannels) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", info.channels, " channels, 1 to ",
                                                   kMaxSoundChannels, " is right"));
  }
  return std::make_unique<SoundFile>(path, *std::move(bytes), std::move(file), info);
}

}  // namespace posewire::a2f_source
