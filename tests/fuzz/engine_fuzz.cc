// Whatever callers do, in any order and at any time, an engine goes on, and what its pulls get
// obeys the rules that it holds its sources to: a header first, codes that rise, finite values. A
// libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is a script: one byte that chooses what is done, then what that needs. Pushes carry
// either keys that the script describes (gaps from a millisecond to thirty years) or raw bytes.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"
#include "tests/fuzz/input.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

constexpr double kYears_s = 1e9;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

wire::ReaderLimits OutputLimits() {
  wire::ReaderLimits limits;
  limits.max_jump_s = 1e10;  // holes are as long as they are
  limits.require_ids = false;
  return limits;
}

// Reads what it gets as a source would be read.
class StrictSink : public FrameSink {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double) override {
    if (finished) Fail("a pull was offered a frame after its end");
    if (full) return Offered::kFull;
    const absl::Status read = reader_.Read(frame.Whole(), &chunk_);
    if (!read.ok()) Fail(absl::StrCat("a pull was sent what breaks the rules: ", read.ToString()));
    return Offered::kTaken;
  }
  void Finish(const absl::Status&) override {
    if (std::exchange(finished, true)) Fail("a pull was finished twice");
  }

  bool full = false;
  bool finished = false;

 private:
  wire::FrameReader reader_{OutputLimits()};
  wire::Chunk chunk_;
};

class StrictPeer : public PushPeer {
 public:
  void ReadOn() override {
    if (finished) Fail("a push was told to go on after its end");
  }
  void Finish(const PushAnswer&) override {
    if (std::exchange(finished, true)) Fail("a push was finished twice");
  }
  bool finished = false;
};

struct Push {
  uint64_t call = 0;
  wire::StreamHeader header;
  wire::FrameReader reader;
  StrictPeer peer;
  double time_code_s = 0;
  bool open = true;
};

struct Pull {
  uint64_t call = 0;
  StrictSink sink;
  bool open = true;
};

class Script {
 public:
  Script(const uint8_t* data, size_t size) : in_(data, size), h_(Settings(in_.Byte())) {}

  void Run() {
    for (int steps = 0; !in_.done() && steps < 400; ++steps) Step();
    h_.Run(0.1);
    h_.engine->Drain(h_.now);
    h_.Run(0.1);
  }

 private:
  static HarnessSettings Settings(uint8_t bits) {
    HarnessSettings s = Harness::Passthrough();
    if (bits % 4 == 0) s.graph = "default";
    s.source.mode = (bits & 4) != 0 ? Mode::kLive : Mode::kStall;
    s.source.policy = (bits & 8) != 0 ? Policy::kInterrupt : Policy::kQueue;
    s.source.align_to_epoch = (bits & 16) != 0;
    if ((bits & 32) != 0) s.source.live_delay_s = 0.2;
    if ((bits & 64) != 0) s.rig = "ace_biped";
    s.max_streams = 4;
    s.max_avatars = 4;
    s.max_queued_requests = 3;
    s.buffer_bytes = 256 << 10;
    return s;
  }

  std::string Stream() { return absl::StrCat("s", in_.Choose(3)); }
  std::string Target() {
    const size_t n = in_.Choose(3);
    return n == 0 ? "" : absl::StrCat("t", n);
  }
  std::string RequestId() { return absl::StrCat("r", in_.Choose(4)); }
  wire::StreamIds Ids() { return {RequestId(), Stream(), Target()}; }
  Push* AnyPush() { return pushes_.empty() ? nullptr : pushes_[in_.Choose(pushes_.size())].get(); }
  Pull* AnyPull() { return pulls_.empty() ? nullptr : pulls_[in_.Choose(pulls_.size())].get(); }

  void Step() {
    switch (in_.Choose(16)) {
      case 0:
        return OpenPush();
      case 1:
      case 2:
      case 3:
        return SendKeys();
      case 4:
        return SendBytes();
      case 5:
        return EndPush();
      case 6:
        return OpenPull();
      case 7:
        return ClosePull();
      case 8:
      case 9:
        return Run(in_.Scaled(0.001, 20));
      case 10:
        return h_.Freeze(in_.Scaled(0.001, 1000));
      case 11:
        return Control();
      case 12:
        if (Pull* pull = AnyPull()) pull->sink.full = in_.Flip();
        return;
      case 13:
        (void)h_.engine->StopRequest(Stream(), RequestId(), h_.now);
        return;
      case 14:
        if (in_.Flip()) {
          (void)h_.engine->RegisterStream(Stream(), Target(), h_.now);
        } else {
          (void)h_.engine->RemoveStream(Stream(), h_.now);
        }
        return;
      default:
        h_.now.unix_s += in_.Flip() ? 3600 : -3600;  // somebody sets the clock
    }
  }

  // At most a minute in all, so that a second of fuzzing tries many scripts.
  void Run(double seconds) {
    seconds = std::min(seconds, left_s_);
    left_s_ -= seconds;
    h_.Run(seconds);
  }

  void OpenPush() {
    if (pushes_.size() == 8) return;
    auto push = std::make_unique<Push>();
    push->header = Harness::Header("");
    push->header.ids = Ids();
    const uint8_t bits = in_.Byte();
    if ((bits & 1) != 0) push->header.audio_rate_hz.reset();
    if ((bits & 2) != 0) push->header.audio_rate_hz = 8000 + 40000 * ((bits & 4) != 0 ? 1 : 0);
    if ((bits & 8) != 0) push->header.joints.clear();
    if ((bits & 16) != 0) push->header.shapes.clear();
    push->header.epoch_s = (bits & 32) != 0 ? h_.now.unix_s : in_.Scaled(1, 1e10);
    push->header.source_service_id = absl::StrCat("source", bits >> 6);
    PushCallOptions options;
    const uint8_t how = in_.Byte();
    if ((how & 1) != 0) options.mode = (how & 2) != 0 ? Mode::kLive : Mode::kStall;
    if ((how & 4) != 0) options.policy = (how & 8) != 0 ? Policy::kInterrupt : Policy::kQueue;
    if ((how & 16) != 0) options.prebuffer_s = in_.Scaled(0.01, 30);
    options.align_to_epoch = (how & 32) != 0;
    options.resume = (how & 64) != 0;
    const wire::EncodedFrame header = wire::EncodeHeader(push->header);
    if (!push->reader.Read(header.Whole()).ok()) return;
    const auto opened = h_.engine->OpenPush(push->header, options, &push->peer, h_.now);
    if (!opened.ok()) return h_.engine->RejectPush(h_.Context(push->header.ids), opened.status());
    push->call = opened->call;
    pushes_.push_back(std::move(push));
  }

  // Through the reader, as all that comes does.
  void SendKeys() {
    Push* const push = AnyPush();
    if (push == nullptr) return;
    const uint8_t bits = in_.Byte();
    push->time_code_s += in_.Scaled(0.001, (bits & 1) != 0 ? kYears_s : 0.5);
    nvidia_ace::animation_data::v1::AnimationDataStream message;
    auto& data = *message.mutable_animation_data();
    const int keys = 1 + (bits >> 5);
    for (int k = 0; k < keys; ++k) {
      const double time_code_s = push->time_code_s + 0.033 * k;
      if ((bits & 2) == 0) {
        auto& key = *data.mutable_skel_animation()->add_blend_shape_weights();
        key.set_time_code(time_code_s);
        for (size_t i = 0; i < push->header.shapes.size(); ++i) {
          key.add_values(static_cast<float>(in_.Byte()) / 255);
        }
      }
      if ((bits & 4) == 0) {
        auto& key = *data.mutable_skel_animation()->add_rotations();
        key.set_time_code(time_code_s);
        for (size_t i = 0; i < push->header.joints.size(); ++i) {
          const skel::Quat q = skel::FromAxisAngle({0, 1, 0}, static_cast<float>(in_.Byte()) / 40);
          auto& value = *key.add_values();
          value.set_real(q.w);
          value.set_j(q.y);
        }
      }
    }
    if ((bits & 8) != 0) {
      data.mutable_audio()->set_time_code(push->time_code_s);
      data.mutable_audio()->set_audio_buffer(
          std::string(2 * static_cast<size_t>(in_.Scaled(1, 40000)), '\x11'));
    }
    if ((bits & 16) != 0)
      (*data.mutable_metadata())["mood"].set_value(std::string(in_.Byte(), 'x'));
    push->time_code_s += 0.033 * keys;
    Send(*push, message.SerializeAsString());
  }

  void SendBytes() {
    Push* const push = AnyPush();
    const std::string bytes = in_.Text();
    if (push != nullptr) Send(*push, bytes);
  }

  void Send(Push& push, const std::string& bytes) {
    if (!push.open || push.peer.finished) return;
    const wire::EncodedFrame::Slice slices[] = {
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
    auto chunk = push.reader.Read(slices);
    if (!chunk.ok()) {
      push.open = false;
      (void)h_.engine->EndPush(push.call, PushEnd::kFault, h_.now, chunk.status());
    } else if (const auto* data = std::get_if<wire::DataChunk>(&*chunk)) {
      (void)h_.engine->Offer(push.call, *data, h_.now);
    } else if (const auto* status = std::get_if<wire::StatusChunk>(&*chunk)) {
      h_.engine->OfferStatus(push.call, *status, h_.now);
    }
  }

  void EndPush() {
    Push* const push = AnyPush();
    if (push == nullptr || !push->open || push->peer.finished) return;
    constexpr std::array kEnds = {PushEnd::kHalfClosed, PushEnd::kCancelled, PushEnd::kFault};
    const PushEnd end = kEnds[in_.Choose(kEnds.size())];
    push->open = false;
    (void)h_.engine->EndPush(push->call, end, h_.now);
    if (end == PushEnd::kHalfClosed && in_.Flip()) {
      h_.engine->SourceVanished(push->call, push->header.ids, h_.now);
    }
  }

  void OpenPull() {
    if (pulls_.size() == 8) return;
    auto pull = std::make_unique<Pull>();
    wire::StreamIds ids = Ids();
    if (in_.Flip()) ids.request_id.clear();
    PullCallOptions options;
    if (in_.Flip()) options.rig = "ace_biped";
    const auto opened = h_.engine->OpenPull(h_.Context(ids), options, &pull->sink, h_.now);
    if (!opened.ok()) return;
    pull->call = *opened;
    pulls_.push_back(std::move(pull));
  }

  void ClosePull() {
    Pull* const pull = AnyPull();
    if (pull == nullptr || !std::exchange(pull->open, false) || pull->sink.finished) return;
    h_.engine->ClosePull(pull->call, h_.now);
    pull->sink.finished = true;
  }

  void Control() {
    static constexpr std::array kVariables = {"posture_state",  "gesture_state", "facial_state",
                                              "position_state", "activity",      "unknown"};
    static constexpr std::array kValues = {"Talking", "Listening", "Wave", "Smile",
                                           "0.5",     "1e30",      "",     "Idle"};
    switch (in_.Choose(5)) {
      case 0:
        (void)h_.engine->control().SetVariable(Stream(), Target(),
                                               kVariables[in_.Choose(kVariables.size())],
                                               kValues[in_.Choose(kValues.size())], h_.now);
        return;
      case 1:
        (void)h_.engine->control().FireEvent(Stream(), Target(), in_.Flip() ? "hello" : "unknown");
        return;
      case 2:
        if (in_.Flip()) {
          StreamUser user;
          user.name = Target();
          (void)h_.engine->control().SetUser(Stream(), user, h_.now);
        } else {
          (void)h_.engine->control().RemoveUser(Stream(), Target());
        }
        return;
      case 3:
        (void)h_.engine->control().PlaceAvatar(
            Stream(), Target(), {static_cast<float>(in_.Byte()), 0, in_.Flip() ? 90.f : 0});
        ControlProp();
        return;
      default:
        (void)h_.engine->control().Variables(Stream(), Target());
        (void)h_.engine->control().Sites(Stream(), Target());
        (void)h_.engine->Streams();
    }
  }

  void ControlProp() {
    StreamControl& control = h_.engine->control();
    SceneProp cup;
    cup.name = "cup";
    cup.place.at = {0.2f, 1, 0.4f};
    cup.sites.push_back({"rim", {}, in_.Flip()});
    (void)control.SetProp(Stream(), std::move(cup), h_.now);
    if (in_.Flip()) {
      (void)control.AttachProp(Stream(), "cup", "", Target(), in_.Flip() ? "right_hand" : "head");
    } else {
      (void)control.RemoveProp(Stream(), "cup");
    }
  }

  FuzzInput in_;
  double left_s_ = 60;
  // Outlive the engine of h_.
  std::vector<std::unique_ptr<Push>> pushes_;
  std::vector<std::unique_ptr<Pull>> pulls_;
  Harness h_;
};

}  // namespace
}  // namespace posewire::anim_graph

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer silence;
  posewire::anim_graph::Script(data, size).Run();
  return 0;
}
