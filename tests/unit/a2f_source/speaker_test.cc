#include "services/a2f_source/speaker/speaker.h"

#include <atomic>
#include <future>
#include <map>
#include <set>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/a2f_source/test_clip.h"

namespace posewire::a2f_source {
namespace {

using client::ConnectionEvent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using OnConnection = std::function<void(const ConnectionEvent&)>;

// A second of frames; the text "mute" has no voice.
class FakeVoice : public Source {
 public:
  explicit FakeVoice(std::string text) : text_(std::move(text)) {}
  absl::StatusOr<wire::StreamHeader> Header() override {
    if (text_ == "throw") throw std::runtime_error("bad voice");
    if (text_ == "mute") return absl::InvalidArgumentError("text: nothing in it can be spoken");
    return SourceHeader();
  }
  absl::StatusOr<std::optional<wire::Message>> Next() override {
    if (frame_ == 30) return std::nullopt;
    return FrameAt(frame_++ / 30.0);
  }

 private:
  std::string text_;
  int frame_ = 0;
};

// What all sinks of a test share. Each push stops at its 20th frame until it is let go.
struct FarEnd {
  std::mutex mutex;
  std::condition_variable changed;
  // All that follows is guarded by mutex.
  bool away = false;            // no connection is made
  bool breaks = false;          // connections are lost at the 20th frame
  bool holds = true;            // pushes stop at their 20th frame
  bool knows_stop = true;       // StopRequest is carried out
  std::set<std::string> ended;  // requests that the far end has ended
  std::set<std::string> cut;    // pushes that were cancelled
  std::vector<std::string> begun;
  std::vector<std::string> said;
  std::map<std::string, std::string> policies;

  template <typename Ready>
  bool Wait(Ready ready) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), ready);
  }
  template <typename Change>
  void Set(Change change) {
    std::lock_guard lock(mutex);
    change();
    changed.notify_all();
  }
  bool WaitBegun(const std::string& request) {
    return Wait([&] { return std::count(begun.begin(), begun.end(), request) > 0; });
  }
};

class FakePush : public MessageSink {
 public:
  FakePush(FarEnd* far, std::string request, OnConnection told)
      : far_(far), request_(std::move(request)), told_(std::move(told)) {}

  absl::Status Begin(const wire::StreamHeader& header) override {
    std::lock_guard lock(far_->mutex);
    EXPECT_EQ(header.ids.request_id, request_);
    return Cut() ? absl::CancelledError("cut") : absl::OkStatus();
  }
  absl::StatusOr<bool> Send(const wire::Message& message) override {
    if (message.data() == nullptr) {
      std::lock_guard lock(far_->mutex);
      return Cut() ? absl::StatusOr<bool>(absl::CancelledError("cut")) : true;
    }
    if (sent_ == 0 && !Connect()) return absl::CancelledError("cut");
    if (++sent_ == 20 && !Hold()) return absl::CancelledError("cut");
    std::lock_guard lock(far_->mutex);
    if (Cut()) return absl::CancelledError("cut");
    return far_->ended.count(request_) == 0;
  }
  absl::StatusOr<std::string> End() override {
    far_->Set([&] { far_->said.push_back(request_); });
    return std::string("taken");
  }
  void Cancel() {
    far_->Set([&] { far_->cut.insert(request_); });
  }

 private:
  bool Cut() const { return far_->cut.count(request_) > 0; }
  bool Connect() {
    std::unique_lock lock(far_->mutex);
    far_->begun.push_back(request_);
    far_->changed.notify_all();
    const bool away = far_->away;
    lock.unlock();
    if (!away) {
      told_({.kind = ConnectionEvent::kConnected});
      return true;
    }
    told_({.kind = ConnectionEvent::kLost, .why = absl::UnavailableError("nobody listens")});
    lock.lock();
    far_->changed.wait(lock, [&] { return Cut(); });
    return false;
  }
  bool Hold() {
    std::unique_lock lock(far_->mutex);
    if (far_->breaks) {
      lock.unlock();
      told_({.kind = ConnectionEvent::kLost, .why = absl::UnavailableError("it broke")});
      lock.lock();
      far_->ended.insert("lost");
      far_->changed.notify_all();
    }
    far_->changed.wait(lock,
                       [&] { return !far_->holds || Cut() || far_->ended.count(request_) > 0; });
    if (Cut()) return false;
    lock.unlock();
    told_({.kind = ConnectionEvent::kResumed});
    return true;
  }

  FarEnd* far_;
  std::string request_;
  OnConnection told_;
  int sent_ = 0;
};

using Answer = std::future<absl::StatusOr<Said>>;

class SpeakerTest : public ::testing::Test {
 protected:
  ~SpeakerTest() override {
    speaker.reset();
    // What was cut or let go is all there was.
    EXPECT_EQ(cycles, 0) << "sinks outlive their texts";
  }

  void Start(SpeakerOptions options = {}) {
    options.rate = std::numeric_limits<double>::infinity();
    options.first_contact_s = 0;
    SpeakerParts parts;
    parts.make_source = [](const SayText& text) -> absl::StatusOr<std::unique_ptr<Source>> {
      return std::make_unique<FakeVoice>(text.text);
    };
    parts.make_output = [this](const SayText& text, OnConnection told) {
      far.Set([&] { far.policies[text.ids.request_id] = text.policy; });
      ++cycles;
      auto push = std::shared_ptr<FakePush>(
          new FakePush(&far, text.ids.request_id, std::move(told)), [this](FakePush* p) {
            delete p;
            --cycles;
          });
      return SpeakerOutput{push, [push] { push->Cancel(); }};
    };
    parts.stop_request = [this](const RunIds& ids,
                                const std::function<void(const absl::Status&)>& done) {
      far.Set([&] {
        if (far.knows_stop) far.ended.insert(ids.request_id);
      });
      done(far.knows_stop ? absl::OkStatus() : absl::UnimplementedError("no such service"));
    };
    speaker = std::make_unique<Speaker>(options, std::move(parts));
  }

  Answer Say(const std::string& request, const std::string& policy = "queue",
             const std::string& stream = "s", const std::string& text = "hello") {
    auto promise = std::make_shared<std::promise<absl::StatusOr<Said>>>();
    Answer answer = promise->get_future();
    speaker->Say({{stream, request, "", ""}, text, "slt", 1, policy}, {"a note"},
                 [promise](const absl::StatusOr<Said>& said) { promise->set_value(said); });
    return answer;
  }
  void LetGo() {
    far.Set([&] { far.holds = false; });
  }

  FarEnd far;
  std::atomic<int> cycles = 0;
  std::unique_ptr<Speaker> speaker;
};

TEST_F(SpeakerTest, TextsOfOneAvatarAreSaidInTurn) {
  Start();
  Answer a = Say("a");
  const auto first = a.get();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->request_id, "a");
  EXPECT_EQ(first->ahead, 0);
  EXPECT_GT(first->duration_s, 0.1);
  EXPECT_THAT(first->notes, ElementsAre("a note"));
  const auto second = Say("b").get();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->ahead, 1);
  EXPECT_EQ(Say("c").get()->ahead, 2);
  std::vector<std::string> listed;
  for (const auto& text : speaker->List("s", "")) {
    listed.push_back(absl::StrCat(text.request_id, text.speaking ? " speaks" : " waits"));
  }
  EXPECT_THAT(listed, ElementsAre("a speaks", "b waits", "c waits"));
  EXPECT_THAT(speaker->List("nobody", ""), IsEmpty());
  far.Set([&] { EXPECT_THAT(far.begun, ElementsAre("a")); });
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 3; }));
  EXPECT_THAT(far.said, ElementsAre("a", "b", "c"));
}

TEST_F(SpeakerTest, ATextWhoseSpeechThrowsEndsWithAnErrorAndTheNextOneIsSaid) {
  Start();
  const auto thrown = Say("a", "queue", "s", "throw").get();
  EXPECT_EQ(thrown.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(thrown.status().message()), HasSubstr("bad voice"));
  LetGo();
  EXPECT_TRUE(Say("b").get().ok());
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 1; }));
}

TEST_F(SpeakerTest, AvatarsSpeakAtOnceUpToTheirLimit) {
  Start({.max_avatars = 2});
  EXPECT_TRUE(Say("a", "queue", "s1").get().ok());
  EXPECT_TRUE(Say("b", "queue", "s2").get().ok());
  const auto rejected = Say("c", "queue", "s3").get();
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("2 avatars"));
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 2; }));
  // The place is free once the thread of an avatar has ended.
  absl::StatusCode code = absl::StatusCode::kResourceExhausted;
  for (int i = 0; i < 100'000 && code == absl::StatusCode::kResourceExhausted; ++i) {
    code = Say("c", "queue", "s3").get().status().code();
  }
  EXPECT_EQ(code, absl::StatusCode::kOk);
}

TEST_F(SpeakerTest, ATextThatFindsTheQueueFullIsRejected) {
  Start({.max_waiting = 2});
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(Say("b").get().ok());
  EXPECT_TRUE(Say("c").get().ok());
  const auto rejected = Say("d").get();
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("2 texts"));
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 3; }));
  EXPECT_THAT(far.said, ElementsAre("a", "b", "c"));
}

TEST_F(SpeakerTest, WhereNoneMayWaitOneIsStillSaid) {
  Start({.max_waiting = 0});
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_EQ(Say("b").get().status().code(), absl::StatusCode::kResourceExhausted);
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 1; }));
}

TEST_F(SpeakerTest, ARequestThatIsSaidOrWaitsIsNotTakenTwice) {
  Start();
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(Say("b").get().ok());
  EXPECT_EQ(Say("a").get().status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Say("b").get().status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(SpeakerTest, AnInterruptTakesThePlaceOfAllOthers) {
  Start();
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(Say("b").get().ok());
  const auto said = Say("c", "interrupt").get();
  ASSERT_TRUE(said.ok()) << said.status();
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return std::count(far.said.begin(), far.said.end(), "c") == 1; }));
  // The far end has ended the first one, and so its push is ended in order.
  EXPECT_THAT(far.said, ElementsAre("a", "c"));
  EXPECT_EQ(far.cut.size(), 0u);
  EXPECT_EQ(far.policies["c"], "interrupt");
}

TEST_F(SpeakerTest, AStopEndsWhatIsSaidAndDropsWhatWaits) {
  Start();
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(Say("b").get().ok());
  EXPECT_TRUE(Say("other", "queue", "s2").get().ok());
  EXPECT_EQ(speaker->Stop("s", "", ""), 2);
  EXPECT_EQ(speaker->Stop("nobody", "", ""), 0);
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 1; }));
  EXPECT_THAT(far.said, ElementsAre("a"));
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 2; }));
  EXPECT_THAT(far.begun, ElementsAre("a", "other"));
}

TEST_F(SpeakerTest, OneTextCanBeStopped) {
  Start();
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(Say("b").get().ok());
  EXPECT_TRUE(Say("c").get().ok());
  EXPECT_EQ(speaker->Stop("s", "", "b"), 1);
  EXPECT_EQ(speaker->Stop("s", "", "b"), 0);
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 2; }));
  EXPECT_THAT(far.said, ElementsAre("a", "c"));
}

TEST_F(SpeakerTest, ThePushIsCutWhereTheFarEndCannotStopRequests) {
  Start();
  far.knows_stop = false;
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_EQ(speaker->Stop("s", "", ""), 1);
  EXPECT_TRUE(far.Wait([&] { return far.cut.count("a") == 1; }));
}

TEST_F(SpeakerTest, CallersGetUnavailableIfTheFarEndIsAway) {
  Start();
  far.Set([&] { far.away = true; });
  const auto rejected = Say("a").get();
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("nobody listens"));
  far.Set([&] { far.away = false; });
  // It is asked again until the lane of the first one has gone.
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  for (int i = 0; i < 100'000 && code != absl::StatusCode::kOk; ++i) {
    code = Say(absl::StrCat("b", i)).get().status().code();
  }
  EXPECT_EQ(code, absl::StatusCode::kOk);
}

TEST_F(SpeakerTest, NothingIsTakenWhileTheFarEndIsLostAndTheTextGoesOnAfterwards) {
  Start();
  far.Set([&] { far.breaks = true; });
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(far.Wait([&] { return far.ended.count("lost") == 1; }));
  const auto rejected = Say("b").get();
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("it broke"));
  LetGo();
  EXPECT_TRUE(far.Wait([&] { return far.said.size() == 1; }));
  EXPECT_THAT(far.said, ElementsAre("a"));
}

TEST_F(SpeakerTest, AVoiceThatFailsIsToldAndTheNextTextIsSaid) {
  Start();
  LetGo();
  const auto rejected = Say("a", "queue", "s", "mute").get();
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Say("b").get().ok());
}

TEST_F(SpeakerTest, ClosingEndsAllAndTakesNothingMore) {
  Start();
  EXPECT_TRUE(Say("a").get().ok());
  EXPECT_TRUE(Say("b").get().ok());
  speaker->Close(20);
  far.Set([&] {
    EXPECT_THAT(far.begun, ElementsAre("a"));
    EXPECT_THAT(far.said, ElementsAre("a"));
  });
  EXPECT_EQ(Say("c").get().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(SpeakerTest, ManyThreadsAtOnceGetOneAnswerEach) {
  Start({.max_waiting = 3, .max_avatars = 3});
  LetGo();
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> answers = 0, good = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string id = absl::StrCat(t, "-", i);
        const std::string stream = absl::StrCat("s", (i + t) % 4);
        const auto said = Say(id, i % 5 == 0 ? "interrupt" : "queue", stream).get();
        ++answers;
        if (said.ok()) ++good;
        if (i % 7 == 0) speaker->Stop(stream, "", "");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answers, 200);
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace posewire::a2f_source
