#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/ffmpeg/process.h"
#include "libs/ffmpeg/run.h"
#include "libs/offsets/carriers.h"

namespace posewire::offsets {
namespace {

// ffmpeg's options for each codec, and its raw stream format. All three keep red, green and blue
// separate and at full resolution; only x264 requires interleaved pixels. One thread makes the
// bytes depend on the codec's version alone. The filters remove the metadata that x264 and x265
// write. The blocks of x265 are 32 pixels because no decoder reproduces its output when a picture
// is at most one block wide.
struct H264 {
  static constexpr char kName[] = "H.264";
  static constexpr char kEncode[] =
      "-c:v libx264rgb -pix_fmt rgb24 -preset slower -tune psnr -bsf:v filter_units=remove_types=6 "
      "-f h264";
  static constexpr char kLossless[] = "-qp 0";
  static constexpr char kStream[] = "h264";
};
struct H265 {
  static constexpr char kName[] = "H.265";
  static constexpr char kEncode[] =
      "-c:v libx265 -pix_fmt gbrp -preset slow -tune psnr -bsf:v filter_units=remove_types=39 -f "
      "hevc "
      "-x265-params log-level=error:pools=none:frame-threads=1:ctu=32";
  static constexpr char kLossless[] =
      "-x265-params "
      "log-level=error:pools=none:frame-threads=1:ctu=32:lossless=1";
  static constexpr char kStream[] = "hevc";
};
struct Vp9 {
  static constexpr char kName[] = "VP9";
  static constexpr char kEncode[] =
      "-c:v libvpx-vp9 -pix_fmt gbrp -b:v 0 -deadline good -cpu-used 1 -lag-in-frames 0 -f ivf";
  static constexpr char kLossless[] = "-lossless 1";
  static constexpr char kStream[] = "ivf";
};

// The most pixels that a codec adds to a side to fill its blocks.
constexpr size_t kPadding = 64;

std::vector<std::string> Words(absl::string_view text) { return absl::StrSplit(text, ' '); }

// Generous enough for slow and busy machines.
ffmpeg::RunLimits LimitsFor(size_t bytes) {
  ffmpeg::RunLimits out;
  out.most_s = 30 + static_cast<double>(bytes) / 3e5;
  return out;
}

template <typename Codec>
absl::StatusOr<std::string> EncodeFilm(const CodeSheets<uint8_t>& sheets, const PixelMap& map,
                                       const Settings& settings) {
  const std::vector<uint32_t> shown = map.Shown();
  std::string pictures(shown.size() * 3 * sheets.frames, '\0');
  for (size_t axis = 0; axis < 3; ++axis) {
    for (size_t at = 0; at < shown.size(); ++at) {
      const auto series = sheets.series(axis, shown[at]);
      for (size_t f = 0; f < sheets.frames; ++f) {
        pictures[(f * shown.size() + at) * 3 + axis] = static_cast<char>(series[f]);
      }
    }
  }
  const auto side = static_cast<int>(map.side);
  std::vector<std::string> arguments = ffmpeg::PictureInput(side, side, "30");
  const std::string how = settings.crf > 0 ? absl::StrCat("-crf ", settings.crf) : Codec::kLossless;
  for (std::string& word : Words(absl::StrCat("-threads 1 -g ", sheets.frames, " ", Codec::kEncode,
                                              " ", how, " pipe:1"))) {
    arguments.push_back(std::move(word));
  }
  ffmpeg::RunLimits limits = LimitsFor(pictures.size());
  limits.most_bytes = 2 * pictures.size() + (size_t{1} << 20);
  limits.memory_bytes = size_t{8} << 30;
  return ffmpeg::Run(std::move(arguments), pictures, limits);
}

// Decodes each picture as a PPM, because its header contains the size.
template <typename Codec>
absl::Status DecodeFilm(absl::string_view bytes, const PixelMap& map, CodeSheets<uint8_t>& out) {
  const size_t side = map.side;
  const std::string head = absl::StrCat("P6\n", side, " ", side, "\n255\n");
  const size_t picture = head.size() + side * side * 3, all = picture * out.frames;
  ffmpeg::RunLimits limits = LimitsFor(all);
  limits.most_bytes = all;
  const auto pictures = ffmpeg::Run(
      Words(absl::StrCat("-v error -threads 1 -max_pixels ", (side + kPadding) * (side + kPadding),
                         " -protocol_whitelist pipe -f ", Codec::kStream,
                         " -i pipe:0 -map 0:v:0 -fps_mode passthrough -frames:v ", out.frames + 1,
                         " -f image2pipe -c:v ppm -pix_fmt rgb24 pipe:1")),
      bytes, limits);
  if (!pictures.ok()) {
    return absl::Status(pictures.status().code(),
                        absl::StrCat("film of codes: ", pictures.status().message()));
  }
  if (pictures->size() != all) {
    return absl::InvalidArgumentError(absl::StrCat(Codec::kName, " of codes has ", pictures->size(),
                                                   " bytes as pictures, expected ", all));
  }
  for (size_t f = 0; f < out.frames; ++f) {
    const auto at = absl::string_view(*pictures).substr(f * picture, picture);
    if (at.substr(0, head.size()) != head) {
      return absl::InvalidArgumentError(
          absl::StrCat(Codec::kName, " of codes: picture ", f, " is not ", side, " by ", side));
    }
    for (size_t point = 0; point < out.points; ++point) {
      const char* const rgb = at.data() + head.size() + size_t{map.pixels[point]} * 3;
      for (size_t axis = 0; axis < 3; ++axis) {
        out.series(axis, point)[f] = static_cast<uint8_t>(rgb[axis]);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

const Carrier<uint8_t> kH264Carrier = {EncodeFilm<H264>, DecodeFilm<H264>};
const Carrier<uint8_t> kH265Carrier = {EncodeFilm<H265>, DecodeFilm<H265>};
const Carrier<uint8_t> kVp9Carrier = {EncodeFilm<Vp9>, DecodeFilm<Vp9>};

}  // namespace posewire::offsets
