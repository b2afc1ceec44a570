#include "libs/voice_http/answer_readers.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/voice_http/json_splitter.h"
#include "libs/voice_http/server_json.h"
#include "libs/voice_http/server_status.h"
#include "libs/voice_http/sse_reader.h"

namespace posewire::voice_http {
namespace {

absl::Status ServersError(absl::string_view message, absl::string_view key) {
  return absl::UnavailableError(
      absl::StrCat("the server reports an error: ", QuoteServer(message, key)));
}

class SoundReader : public AnswerReader {
 public:
  explicit SoundReader(SoundForm form) : sound_(form) {}
  absl::Status Add(absl::string_view bytes, Heard& heard) override {
    return sound_.Add(bytes, heard);
  }
  absl::Status Finish(Heard& heard) override { return sound_.Finish(heard); }
  int rate_hz() const override { return sound_.rate_hz(); }

 private:
  SoundDecoder sound_;
};

class EventReader : public AnswerReader {
 public:
  EventReader(SoundForm form, std::string key) : sound_(form), key_(std::move(key)) {}
  absl::Status Add(absl::string_view bytes, Heard& heard) override {
    return events_.Add(bytes, [&](absl::string_view data) { return Take(data, heard); });
  }
  absl::Status Finish(Heard& heard) override {
    if (absl::Status s = events_.Finish([&](absl::string_view data) { return Take(data, heard); });
        !s.ok()) {
      return s;
    }
    if (absl::Status s = sound_.Finish(heard); !s.ok()) return s;
    if (!done_) heard.notes.push_back("The answer ended without the event speech.audio.done.");
    return absl::OkStatus();
  }
  bool done() const override { return done_; }
  int rate_hz() const override { return sound_.rate_hz(); }

 private:
  absl::Status Take(absl::string_view data, Heard& heard) {
    absl::StatusOr<SpeechEvent> event = ReadSpeechEvent(data);
    if (!event.ok()) return event.status();
    switch (event->kind) {
      case SpeechEvent::Kind::kSound:
        return sound_.AddBase64(event->base64, heard);
      case SpeechEvent::Kind::kMarks:
        heard.marks.push_back(std::move(event->marks));
        return absl::OkStatus();
      case SpeechEvent::Kind::kDone:
        done_ = true;
        return absl::OkStatus();
      case SpeechEvent::Kind::kError:
        return ServersError(event->error, key_);
      case SpeechEvent::Kind::kOther:
        return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  SseReader events_;
  SoundDecoder sound_;
  const std::string key_;
  bool done_ = false;
};

class CaptionedReader : public AnswerReader {
 public:
  CaptionedReader(SoundForm form, std::string key) : sound_(form), key_(std::move(key)) {}
  absl::Status Add(absl::string_view bytes, Heard& heard) override {
    return objects_.Add(bytes, [&](absl::string_view object) { return Take(object, heard); });
  }
  absl::Status Finish(Heard& heard) override {
    if (absl::Status s = objects_.Finish(); !s.ok()) return s;
    return sound_.Finish(heard);
  }
  int rate_hz() const override { return sound_.rate_hz(); }

 private:
  absl::Status Take(absl::string_view object, Heard& heard) {
    absl::StatusOr<CaptionedChunk> chunk = ReadCaptionedChunk(object);
    if (!chunk.ok()) return chunk.status();
    if (!chunk->error.empty()) return ServersError(chunk->error, key_);
    if (!chunk->marks.words.empty()) heard.marks.push_back(std::move(chunk->marks));
    return sound_.AddBase64(chunk->base64, heard);
  }

  JsonSplitter objects_;
  SoundDecoder sound_;
  const std::string key_;
};

class AlignedReader : public AnswerReader {
 public:
  AlignedReader(SoundForm form, std::string key) : sound_(form), key_(std::move(key)) {}
  absl::Status Add(absl::string_view bytes, Heard& heard) override {
    return objects_.Add(bytes, [&](absl::string_view object) { return Take(object, heard); });
  }
  absl::Status Finish(Heard& heard) override {
    if (absl::Status s = objects_.Finish(); !s.ok()) return s;
    MarkBatch last;
    EndWord(last);
    if (!last.words.empty()) heard.marks.push_back(std::move(last));
    return sound_.Finish(heard);
  }
  int rate_hz() const override { return sound_.rate_hz(); }

 private:
  absl::Status Take(absl::string_view object, Heard& heard) {
    absl::StatusOr<AlignedChunk> chunk = ReadAlignedChunk(object);
    if (!chunk.ok()) return chunk.status();
    if (!chunk->error.empty()) return ServersError(chunk->error, key_);
    MarkBatch words;
    for (const AlignedChunk::Character& c : chunk->characters) {
      // White space ends a word. So does this length, because white space may never come.
      if (absl::StripAsciiWhitespace(c.text).empty() || word_.text.size() > 1000) {
        EndWord(words);
        continue;
      }
      if (word_.text.empty()) word_.start_s = c.start_s;
      word_.text += c.text;
      word_.end_s = c.end_s;
    }
    if (!words.words.empty()) heard.marks.push_back(std::move(words));
    return sound_.AddBase64(chunk->base64, heard);
  }
  void EndWord(MarkBatch& words) {
    if (!word_.text.empty()) words.words.push_back(std::exchange(word_, {}));
  }

  JsonSplitter objects_;
  SoundDecoder sound_;
  const std::string key_;
  RawWord word_;  // may continue in the next object
};

}  // namespace

std::unique_ptr<AnswerReader> MakeSoundReader(SoundForm form) {
  return std::make_unique<SoundReader>(form);
}
std::unique_ptr<AnswerReader> MakeEventReader(SoundForm form, std::string key) {
  return std::make_unique<EventReader>(form, std::move(key));
}
std::unique_ptr<AnswerReader> MakeCaptionedReader(SoundForm form, std::string key) {
  return std::make_unique<CaptionedReader>(form, std::move(key));
}
std::unique_ptr<AnswerReader> MakeAlignedReader(SoundForm form, std::string key) {
  return std::make_unique<AlignedReader>(form, std::move(key));
}

}  // namespace posewire::voice_http
