#include "libs/speech/fallback_voice.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::speech {
namespace {

struct Voices {
  std::unique_ptr<Voice> first, second;
  std::string first_name, second_name;
  std::atomic<bool> failed = false;
};

class FallbackRun : public SpeechRun {
 public:
  FallbackRun(Voices& voices, SpeechRequest request, std::unique_ptr<SpeechRun> run)
      : voices_(voices), request_(std::move(request)), run_(std::move(run)) {}

  absl::StatusOr<bool> Read(SpeechPart& part) override {
    absl::StatusOr<bool> more = run_->Read(part);
    if (more.ok() || started_ || second_ || absl::IsCancelled(more.status())) {
      started_ |= more.ok();
      return more;
    }
    if (absl::Status s = FallBack(more.status(), part); !s.ok()) return s;
    return true;
  }

  void Cancel() override {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    run_->Cancel();
  }

  // Replaces the first voice by the second; puts the note into `part`.
  absl::Status FallBack(const absl::Status& why, SpeechPart& part) {
    auto other = voices_.second->Begin(request_);
    if (!other.ok()) return other.status();
    std::unique_ptr<SpeechRun> over;
    {
      const std::lock_guard lock(mutex_);
      over = std::exchange(run_, *std::move(other));
      if (cancelled_) run_->Cancel();
    }
    second_ = true;
    part = {};
    if (!voices_.failed.exchange(true)) {
      part.notes.push_back(absl::StrCat("voice: ", voices_.second_name, " speaks in place of ",
                                        voices_.first_name, ": ", why.message()));
    }
    return absl::OkStatus();
  }

 private:
  Voices& voices_;
  const SpeechRequest request_;
  std::mutex mutex_;
  std::unique_ptr<SpeechRun> run_;  // the reading thread replaces it, holding mutex_
  bool cancelled_ = false;          // guarded by mutex_
  bool started_ = false;
  bool second_ = false;
};

class FallbackVoice : public Voice {
 public:
  explicit FallbackVoice(std::unique_ptr<Voices> voices) : voices_(std::move(voices)) {}

  absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) override {
    if (voices_->failed) return voices_->second->Begin(request);
    auto run = voices_->first->Begin(request);
    if (!run.ok()) return run;
    return std::make_unique<FallbackRun>(*voices_, request, *std::move(run));
  }

 private:
  std::unique_ptr<Voices> voices_;
};

}  // namespace

std::unique_ptr<Voice> WithFallback(std::unique_ptr<Voice> first, std::string first_name,
                                    std::unique_ptr<Voice> second, std::string second_name) {
  auto voices = std::make_unique<Voices>();
  voices->first = std::move(first);
  voices->second = std::move(second);
  voices->first_name = std::move(first_name);
  voices->second_name = std::move(second_name);
  return std::make_unique<FallbackVoice>(std::move(voices));
}

}  // namespace posewire::speech
