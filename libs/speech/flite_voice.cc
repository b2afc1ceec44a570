#include "libs/speech/flite_voice.h"

#include <flite/flite.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/speech/spell_ascii.h"

// The voice libraries come without headers.
extern "C" {
cst_voice* register_cmu_us_slt(const char* voxdir);
cst_voice* register_cmu_us_rms(const char* voxdir);
cst_voice* register_cmu_us_awb(const char* voxdir);
}

namespace posewire::speech {
namespace {

struct KnownVoice {
  const char* name;
  cst_voice* (*load)(const char*);
  const char* description;
  const char* sex;
};
constexpr KnownVoice kVoices[] = {{"slt", register_cmu_us_slt, "a woman, American", "female"},
                                  {"rms", register_cmu_us_rms, "a man, American", "male"},
                                  {"awb", register_cmu_us_awb, "a man, Scottish", "male"}};

// flite's voices, reference counts and error jump are global and not thread-safe. Every caller of
// flite holds this mutex.
std::mutex& FliteMutex() {
  static std::mutex mutex;
  return mutex;
}

// Calls flite and turns its errors, which would end the process, into a null result. Nothing here
// may have a destructor, because a jump would skip it.
cst_utterance* SynthesizeOrNull(const char* text, cst_voice* voice) {
  jmp_buf on_error;
  cst_errjmp = &on_error;
  if (setjmp(on_error) != 0) {
    cst_errjmp = nullptr;
    return nullptr;
  }
  cst_utterance* utterance = flite_synth_text(text, voice);
  cst_errjmp = nullptr;
  return utterance;
}

struct DeleteUtterance {
  void operator()(cst_utterance* u) const { delete_utterance(u); }
};

bool IsVowel(const cst_item* segment) {
  return std::strcmp(flite_ffeature_string(segment, "ph_vc"), "+") == 0;
}

void ExtendWord(const cst_item* segment, const Phoneme& s, const cst_item* word,
                const cst_item*& last_word, SpeechPiece& piece) {
  if (word != last_word) {
    last_word = word;
    if (!word) return;
    Word w;
    w.text = flite_ffeature_string(word, "name");
    w.start_s = s.start_s;
    w.beat_s = s.start_s;
    piece.words.push_back(std::move(w));
  }
  if (!word) return;
  Word& w = piece.words.back();
  w.end_s = s.end_s;
  const bool accented =
      std::strcmp(flite_ffeature_string(segment, "R:SylStructure.parent.accent"), "0") != 0;
  const bool first_vowel = w.beat_s == w.start_s;
  if (IsVowel(segment) && (first_vowel || (s.stressed && !w.accented))) {
    w.beat_s = (s.start_s + s.end_s) / 2;
    w.accented = accented;
  }
}

SpeechPiece ReadUtterance(cst_utterance* utterance) {
  SpeechPiece piece;
  const cst_wave* wave = utt_wave(utterance);
  if (!wave || wave->num_channels != 1) return piece;
  piece.rate_hz = wave->sample_rate;
  piece.samples.assign(wave->samples, wave->samples + wave->num_samples);
  const double length_s = piece.duration_s();
  double start_s = 0;
  const cst_item* last_word = nullptr;
  for (const cst_item* i = relation_head(utt_relation(utterance, "Segment")); i; i = item_next(i)) {
    Phoneme s;
    s.phone = item_feat_string(i, "name");
    s.start_s = start_s;
    s.end_s = std::clamp<double>(item_feat_float(i, "end"), start_s, length_s);
    s.stressed = std::strcmp(flite_ffeature_string(i, "R:SylStructure.parent.stress"), "1") == 0;
    start_s = s.end_s;
    ExtendWord(i, s, flite_path_to_item(i, "R:SylStructure.parent.parent"), last_word, piece);
    piece.phonemes.push_back(std::move(s));
  }
  if (!piece.phonemes.empty()) piece.phonemes.back().end_s = length_s;
  return piece;
}

// Synthesizes the whole text in one Read.
class FliteRun : public SpeechRun {
 public:
  // `noted` is set after the first note.
  FliteRun(cst_voice* voice, const SpeechRequest& request, std::atomic<bool>* noted)
      : voice_(voice), request_(request), noted_(noted) {}

  absl::StatusOr<bool> Read(SpeechPart& part) override {
    if (cancelled_) return absl::CancelledError("the voice was told to stop");
    if (std::exchange(read_, true)) return false;
    absl::StatusOr<SpokenText> spelled = SpellAscii(request_.text);
    if (!spelled.ok()) return spelled.status();
    if (!spelled->notes.empty() && noted_->exchange(true)) spelled->notes.clear();
    SpeechPiece piece;
    if (absl::Status s = Speak(spelled->text, piece); !s.ok()) return s;
    const double length_s = piece.duration_s();
    part = {.rate_hz = piece.rate_hz,
            .samples = std::move(piece.samples),
            .phonemes = std::move(piece.phonemes),
            .words = std::move(piece.words),
            .marks_until_s = length_s,
            .notes = std::move(spelled->notes)};
    return true;
  }

  void Cancel() override { cancelled_ = true; }

 private:
  absl::Status Speak(const std::string& text, SpeechPiece& piece) const {
    const std::lock_guard<std::mutex> lock(FliteMutex());
    flite_feat_set_float(voice_->features, "duration_stretch",
                         static_cast<float>(1 / request_.speed));
    std::srand(1);  // flite takes its noise from rand(); the same text must sound the same
    const std::unique_ptr<cst_utterance, DeleteUtterance> utterance(
        SynthesizeOrNull(text.c_str(), voice_));
    if (!utterance) {
      return absl::InternalError(
          absl::StrCat("flite could not speak \"", text.substr(0, 60), "\""));
    }
    piece = ReadUtterance(utterance.get());
    return absl::OkStatus();
  }

  cst_voice* const voice_;
  const SpeechRequest request_;
  std::atomic<bool>* const noted_;
  bool read_ = false;
  std::atomic<bool> cancelled_ = false;
};

class FliteVoice : public Voice {
 public:
  explicit FliteVoice(cst_voice* voice) : voice_(voice) {}

  absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) override {
    if (!(request.speed >= 0.5 && request.speed <= 2)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("speed: %g is out of range, 0.5 to 2 is right", request.speed));
    }
    return std::make_unique<FliteRun>(voice_, request, &noted_);
  }

 private:
  cst_voice* voice_;  // owned by flite, lives as long as the process
  std::atomic<bool> noted_ = false;
};

}  // namespace

std::vector<std::string> FliteVoices() {
  std::vector<std::string> names;
  for (const KnownVoice& v : kVoices) names.emplace_back(v.name);
  return names;
}

std::vector<VoiceInfo> FliteVoiceInfos() {
  std::vector<VoiceInfo> infos;
  for (const KnownVoice& v : kVoices) {
    infos.push_back({v.name, v.description, v.sex, {"en-US"}, "phonemes", "flite"});
  }
  return infos;
}

absl::StatusOr<std::unique_ptr<Voice>> MakeFliteVoice(absl::string_view voice) {
  const auto* known = std::find_if(std::begin(kVoices), std::end(kVoices),
                                   [&](const KnownVoice& v) { return voice == v.name; });
  if (known == std::end(kVoices)) {
    return absl::InvalidArgumentError(absl::StrCat("voice: \"", voice, "\" is not known, one of ",
                                                   absl::StrJoin(FliteVoices(), ", "),
                                                   " is right"));
  }
  const std::lock_guard<std::mutex> lock(FliteMutex());
  flite_init();
  cst_voice* loaded = known->load(nullptr);
  if (!loaded) return absl::InternalError(absl::StrCat("flite could not load voice ", voice));
  return std::make_unique<FliteVoice>(loaded);
}

}  // namespace posewire::speech
