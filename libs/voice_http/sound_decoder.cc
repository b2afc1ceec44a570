#include "libs/voice_http/sound_decoder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::voice_http {

namespace {

// Returns whether the first four bytes belong to another format. Interpreted as samples, all of
// these are far too loud for the beginning of speech.
bool IsNoPcm(absl::string_view first) {
  if (absl::StartsWith(first, "ID3") || first == "OggS" || first == "fLaC") return true;
  constexpr absl::string_view kMpegFrames = "\xFB\xFA\xF3\xF2";
  if (first[0] == '\xFF' && absl::StrContains(kMpegFrames, first.substr(1, 1))) return true;
  return (first[0] == '<' || first[0] == '{') &&
         std::all_of(first.begin(), first.end(), [](unsigned char c) {
           return absl::ascii_isprint(c) || absl::ascii_isspace(c);
         });
}

}  // namespace

absl::Status SoundDecoder::Add(absl::string_view bytes, Heard& heard) {
  if (is_ == Is::kWav) return AddWav(bytes, heard);
  if (is_ == Is::kPcm) {
    AddPcm(bytes, heard);
    return absl::OkStatus();
  }
  if (!form_.is_pcm) {
    is_ = Is::kWav;
    return AddWav(bytes, heard);
  }
  held_.append(bytes.data(), bytes.size());
  if (held_.size() < 4) return absl::OkStatus();
  const std::string first = std::exchange(held_, {});
  is_ = absl::StartsWith(first, "RIFF") ? Is::kWav : Is::kPcm;
  if (is_ == Is::kPcm && IsNoPcm(absl::string_view(first).substr(0, 4))) {
    return absl::DataLossError(
        absl::StrCat("its sound is ", NameOfForm(first), ", expected PCM of 16 bits"));
  }
  return Add(first, heard);
}

absl::Status SoundDecoder::AddBase64(absl::string_view text, Heard& heard) {
  std::string bytes;
  if (!absl::Base64Unescape(text, &bytes)) {
    return absl::DataLossError(absl::StrCat("its sound is broken base64 (\"",
                                            absl::CEscape(text.substr(0, 20)), "\" and so on)"));
  }
  const bool begins_wav = bytes.size() >= 12 && absl::StartsWith(bytes, "RIFF") &&
                          absl::string_view(bytes).substr(8, 4) == "WAVE";
  if (is_ == Is::kWav && wav_.rate_hz() > 0 && begins_wav) {
    if (absl::Status s = FinishWav(heard); !s.ok()) return s;
    wav_ = WavStream();
  }
  return Add(bytes, heard);
}

absl::Status SoundDecoder::Finish(Heard& heard) {
  if (is_ == Is::kWav) {
    if (absl::Status s = FinishWav(heard); !s.ok()) return s;
  } else if (!held_.empty() && is_ == Is::kUnknown) {
    AddPcm(std::exchange(held_, {}), heard);
  }
  any_ = any_ || !heard.samples.empty();
  if (any_) return absl::OkStatus();
  return absl::DataLossError("it has no sound");
}

absl::Status SoundDecoder::AddWav(absl::string_view bytes, Heard& heard) {
  if (absl::Status s = wav_.Add(bytes, heard.samples); !s.ok()) return s;
  if (wav_.rate_hz() == 0) return absl::OkStatus();
  if (rate_hz_ != 0 && rate_hz_ != wav_.rate_hz()) {
    return absl::DataLossError(absl::StrCat("its rate changes from ", rate_hz_, " to ",
                                            wav_.rate_hz(), " Hz within one text"));
  }
  rate_hz_ = wav_.rate_hz();
  NoteNotFinite(heard);
  any_ = any_ || !heard.samples.empty();
  return absl::OkStatus();
}

absl::Status SoundDecoder::FinishWav(Heard& heard) {
  if (absl::Status s = wav_.Finish(heard.samples); !s.ok()) return s;
  NoteNotFinite(heard);
  return absl::OkStatus();
}

void SoundDecoder::NoteNotFinite(Heard& heard) {
  if (wav_.not_finite() == 0 || std::exchange(noted_, true)) return;
  heard.notes.push_back("The sound has samples that are NaN or infinite; they are silent.");
}

void SoundDecoder::AddPcm(absl::string_view bytes, Heard& heard) {
  rate_hz_ = form_.pcm_rate_hz;
  const auto take = [&](char low, char high) {
    heard.samples.push_back(static_cast<int16_t>(static_cast<unsigned char>(low) |
                                                 static_cast<unsigned char>(high) << 8));
  };
  if (!held_.empty() && !bytes.empty()) {
    take(held_[0], bytes[0]);
    held_.clear();
    bytes.remove_prefix(1);
  }
  for (; bytes.size() >= 2; bytes.remove_prefix(2)) take(bytes[0], bytes[1]);
  if (!bytes.empty()) held_ = std::string(bytes);
  any_ = any_ || !heard.samples.empty();
}

}  // namespace posewire::voice_http
