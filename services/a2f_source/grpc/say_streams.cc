#include "services/a2f_source/grpc/say_streams.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/stream/stream_bytes.h"
#include "libs/speech/speech_queue.h"
#include "libs/speech/text_stream.h"
#include "libs/stream/call_options.h"
#include "libs/stream/trace.h"
#include "posewire.source.v1.pb.h"
#include "services/a2f_source/grpc/answering_sink.h"
#include "services/a2f_source/grpc/call_reader.h"
#include "services/a2f_source/grpc/event_call.h"
#include "services/a2f_source/grpc/say_sound.h"

namespace posewire::a2f_source {
namespace {

namespace sv1 = posewire::source::v1;

// How long a client may take to read one of its last events.
constexpr double kDrain_s = 30;

sv1::SayEnded::Reason ReasonOf(SayEnd end) {
  switch (end) {
    case SayEnd::kCompleted:
      return sv1::SayEnded::COMPLETED;
    case SayEnd::kStopped:
      return sv1::SayEnded::STOPPED;
    case SayEnd::kInterrupted:
      return sv1::SayEnded::INTERRUPTED;
    case SayEnd::kFailed:
      break;
  }
  return sv1::SayEnded::FAILED;
}

// Sends a call's client the events of its text. Lives as long as the text, possibly longer than the
// call.
class CallListener final : public SayListener {
 public:
  // `sound`: for a voice of the client's.
  CallListener(std::shared_ptr<EventCall> call, bool phonemes, bool sound)
      : call_(std::move(call)), phonemes_(phonemes), sound_(sound) {}

  void OnAccepted(const std::string& request_id, int ahead) override {
    sv1::SayEvent event;
    event.mutable_accepted()->set_request_id(request_id);
    event.mutable_accepted()->set_ahead(static_cast<uint32_t>(ahead));
    call_->Push(Serialize(event));
  }
  void OnStarted(double unix_s) override {
    sv1::SayEvent event;
    event.mutable_started()->set_time_s(unix_s);
    call_->Push(Serialize(event));
  }
  void OnClause(int64_t index, const SaidClause& clause) override {
    sv1::SayEvent event;
    sv1::SayClause& told = *event.mutable_clause();
    told.set_index(static_cast<uint32_t>(index));
    told.set_text(clause.text);
    told.set_start_s(clause.start_s);
    told.set_end_s(clause.end_s);
    call_->Push(Serialize(event));
  }
  void OnWord(absl::string_view text, double start_s, double end_s) override {
    sv1::SayEvent event;
    sv1::SayWord& word = *event.mutable_word();
    word.set_text(std::string(text));
    word.set_start_s(start_s);
    word.set_end_s(end_s);
    call_->Push(Serialize(event));
  }
  void OnPhoneme(const speech::Phoneme& from) override {
    if (!phonemes_) return;
    sv1::SayEvent event;
    sv1::SayPhoneme& phoneme = *event.mutable_phoneme();
    phoneme.set_phone(from.phone);
    phoneme.set_start_s(from.start_s);
    phoneme.set_end_s(from.end_s);
    call_->Push(Serialize(event));
  }
  void OnNote(const std::string& note) override { Note(note, /*must=*/false); }
  void OnEnded(SayEnd end, const std::string& spoken_text, double spoken_s, const absl::Status& why,
               const std::string& detail) override {
    // A text without a word is not a failure: a language model may have nothing to say.
    const bool empty = end == SayEnd::kFailed && spoken_text.empty() &&
                       (speech::IsNothingToSay(why) || (sound_ && absl::IsDataLoss(why)));
    if (const uint64_t left_out = call_->left_out(); left_out > 0) {
      Note(absl::StrCat(left_out, " events were left out: the client did not read them"),
           /*must=*/true);
    }
    if (empty) OnNote(std::string(why.message()));
    sv1::SayEvent event;
    sv1::SayEnded& ended = *event.mutable_ended();
    ended.set_reason(empty ? sv1::SayEnded::COMPLETED : ReasonOf(end));
    ended.set_spoken_text(spoken_text);
    ended.set_spoken_s(spoken_s);
    ended.set_detail(end != SayEnd::kFailed ? detail : empty ? "" : std::string(why.message()));
    call_->Push(Serialize(event), /*must=*/true);
    if (!empty) why_ = why;
    ended_ = true;
    // The call's thread stops waiting, and reads no more parts.
    call_->Stop(absl::CancelledError("the text is over"));
  }

  bool ended() const { return ended_; }
  // OK unless the text failed. Valid only once it has ended.
  const absl::Status& why() const { return why_; }

 private:
  void Note(const std::string& note, bool must) {
    sv1::SayEvent event;
    event.mutable_note()->set_text(note);
    call_->Push(Serialize(event), must);
  }

  const std::shared_ptr<EventCall> call_;
  const bool phonemes_, sound_;
  absl::Status why_;  // written before ended_
  std::atomic<bool> ended_ = false;
};

// One call, on a thread of its own.
class SayStreamRun {
 public:
  SayStreamRun(Speaker& speaker, const SayDefaults& defaults, const SayStreamOptions& options,
               const SayStreams::Admit& admit, std::shared_ptr<EventCall> call)
      : speaker_(speaker),
        defaults_(defaults),
        options_(options),
        admit_(admit),
        call_(std::move(call)) {}

  // Also after an exception: the lane must not wait for more of the text.
  ~SayStreamRun() {
    if (text_.stream == nullptr) return;
    text_.stream->SetOnRoom(nullptr);
    text_.stream->End();
  }
  SayStreamRun(const SayStreamRun&) = delete;
  SayStreamRun& operator=(const SayStreamRun&) = delete;

  // Serves the call, and returns its final status.
  absl::Status Run() {
    if (absl::Status s = Begin(); !s.ok()) return WhyOr(s);
    absl::Status read = WhyOr(ReadParts());
    text_.stream->SetOnRoom(nullptr);
    if (listener_->ended()) return listener_->why();
    text_.stream->End();
    if (read.ok()) {
      Enter();
    } else if (entered_) {
      Stop();
    } else {
      return read;
    }
    call_->WaitUntil([this] { return listener_->ended(); });
    if (!read.ok()) return read;
    if (listener_->ended()) return listener_->why();
    // The client has gone, or the source is stopping.
    Stop();
    return call_->why();
  }

 private:
  // For a stopped call, returns the reason.
  absl::Status WhyOr(const absl::Status& status) const {
    const absl::Status why = call_->why();
    return absl::IsCancelled(status) && absl::IsUnavailable(why) ? why : status;
  }

  // Reads the next part. Returns false at the half-close.
  absl::StatusOr<bool> Read() {
    grpc::ByteBuffer bytes;
    const absl::StatusOr<bool> read = call_->Read(bytes, options_.idle_s);
    if (!read.ok()) return OfWait(read.status(), "no part of the text arrived", options_.idle_s);
    if (!*read) return false;
    if (!grpc::SerializationTraits<sv1::SayPart>::Deserialize(&bytes, &part_).ok()) {
      return absl::InvalidArgumentError(absl::StrCat("the message is no ", part_.GetTypeName()));
    }
    return true;
  }

  absl::Status Begin() {
    const absl::StatusOr<bool> read = Read();
    if (!read.ok()) return read.status();
    if (!*read || !part_.has_begin()) {
      return absl::InvalidArgumentError("part: begin is missing; it must be the first part");
    }
    const sv1::SayBegin& begin = part_.begin();
    text_.ids = {begin.stream_id(), begin.request_id(), begin.target_object_id(), ""};
    text_.voice = begin.voice();
    text_.speed = begin.speed();
    text_.policy = begin.policy();
    text_.language = begin.language();
    text_.traceparent = stream::TraceparentOf(service::LookupIn(*call_->context()));
    text_.stream = std::make_shared<speech::TextStream>();
    if (begin.has_sound()) {
      if (absl::Status s = CheckFormat(begin.sound()); !s.ok()) return s;
      format_ = begin.sound();
      text_.sound_rate_hz = static_cast<int>(begin.sound().rate_hz());
      text_.live = begin.sound().live();
    }
    std::vector<std::string> notes;
    if (absl::Status s = CompleteSayText(defaults_, text_, notes); !s.ok()) return s;
    absl::Status admitted =
        stream::CheckStreamIdMetadata(service::LookupIn(*call_->context()), text_.ids.stream_id);
    if (admitted.ok()) admitted = admit_(*call_->context(), text_.ids.stream_id);
    if (!admitted.ok()) return admitted;
    listener_ = std::make_shared<CallListener>(call_, begin.phonemes(), begin.has_sound());
    text_.listener = listener_;
    text_.stream->SetOnRoom([call = call_] { call->Wake(); });
    return absl::OkStatus();
  }

  // Reads to the half-close, or to a part that ends the text.
  absl::Status ReadParts() {
    for (;;) {
      call_->WaitUntil([this] { return text_.stream->has_room(); });
      const absl::StatusOr<bool> read = Read();
      if (!read.ok()) return read.status();
      if (!*read || part_.has_end()) return absl::OkStatus();
      if (absl::Status s = Take(); !s.ok()) return s;
    }
  }

  absl::Status Take() {
    switch (part_.part_case()) {
      case sv1::SayPart::kText:
        if (text_.sound_rate_hz > 0) return Mixed("text");
        if (part_.text().empty()) return absl::OkStatus();  // like the first token of many models
        text_.stream->Write(part_.text());
        break;
      case sv1::SayPart::kMark: {
        if (text_.sound_rate_hz > 0) return Mixed("mark");
        if (part_.mark().mark_case() == sv1::SayMark::MARK_NOT_SET) {
          return absl::InvalidArgumentError(
              "mark: empty; gesture, expression, emotion, pause_s or language is right");
        }
        const absl::Status s = text_.stream->Mark(MarkOf(part_.mark()));
        if (!s.ok()) return absl::InvalidArgumentError(absl::StrCat("mark: ", s.message()));
        break;
      }
      case sv1::SayPart::kSound: {
        if (text_.sound_rate_hz == 0) {
          return absl::InvalidArgumentError(
              "sound: begin.sound is missing; it must give the rate and channels");
        }
        auto item = ReadSound(part_.sound(), format_, text_.language);
        if (!item.ok()) return item.status();
        text_.stream->Sound(*std::move(item));
        break;
      }
      case sv1::SayPart::kFlush:
        text_.stream->Flush();
        break;
      case sv1::SayPart::kStop:
        Enter();
        if (!listener_->ended()) Stop();  // otherwise it was rejected, and another text has its id
        return absl::OkStatus();
      case sv1::SayPart::kBegin:
        return absl::InvalidArgumentError(
            "begin: sent twice; it must be sent once, as the first part");
      case sv1::SayPart::kEnd:
      case sv1::SayPart::PART_NOT_SET:
        return absl::OkStatus();  // an empty part only keeps the call from timing out
    }
    Enter();
    return absl::OkStatus();
  }

  static absl::Status Mixed(absl::string_view field) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, ": not allowed in a call with begin.sound; use sound.text"));
  }

  static speech::TextMark MarkOf(const sv1::SayMark& mark) {
    switch (mark.mark_case()) {
      case sv1::SayMark::kExpression:
        return {speech::TextMark::kExpression, mark.expression(), 1};
      case sv1::SayMark::kEmotion:
        return {speech::TextMark::kEmotion, mark.emotion().name(),
                mark.emotion().has_strength() ? mark.emotion().strength() : 1};
      case sv1::SayMark::kPauseS:
        return {speech::TextMark::kPause, "", mark.pause_s()};
      case sv1::SayMark::kLanguage:
        return {speech::TextMark::kLanguage, mark.language(), 1};
      default:
        return {speech::TextMark::kGesture, mark.gesture(), 1};
    }
  }

  // Queues the text with its avatar, once. A text with nothing to say yet neither blocks nor
  // interrupts others.
  void Enter() {
    if (std::exchange(entered_, true)) return;
    speaker_.Say(text_, {}, nullptr);
  }

  void Stop() { speaker_.Stop(text_.ids.stream_id, text_.ids.target_id, text_.ids.request_id); }

  Speaker& speaker_;
  const SayDefaults& defaults_;
  const SayStreamOptions& options_;
  const SayStreams::Admit& admit_;
  const std::shared_ptr<EventCall> call_;
  sv1::SayPart part_;
  sv1::SoundFormat format_;
  SayText text_;
  std::shared_ptr<CallListener> listener_;
  bool entered_ = false;
};

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* SayStreams::Start(
    grpc::CallbackServerContext* context) {
  const auto call = std::make_shared<EventCall>(context);
  call->Keep(call);
  const absl::Status started = threads_.Start(
      [this, call] {
        absl::Status status;
        const absl::Status thrown = service::Try("a text", [&] {
          status = SayStreamRun(speaker_, defaults_, options_, admit_, call).Run();
        });
        call->Drain(kDrain_s);
        call->Finish(thrown.ok() ? status : thrown);
      },
      [call](CallThreads::End end) {
        const absl::Status why = absl::UnavailableError("the source is stopping");
        end == CallThreads::End::kInOrder ? call->Stop(why) : call->Cut(why);
      });
  if (!started.ok()) call->Finish(started);
  return call.get();
}

}  // namespace posewire::a2f_source
