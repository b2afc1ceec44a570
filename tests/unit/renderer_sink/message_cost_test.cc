// What a message costs between gRPC and the disk or the viewers, in memory taken from the heap. The
// message's own bytes, which whoever keeps it shares, are made before it is counted.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "libs/wire/frame_reader.h"
#include "services/renderer_sink/core/recorder.h"
#include "services/renderer_sink/core/view_frame.h"
#include "services/renderer_sink/session/session.h"
#include "tests/support/allocation_count.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kWarmUp = 100, kMessages = 1000;

// Forgets what is written.
class NullSink : public files::ByteSink {
 public:
  const std::string& name() const override { return name_; }
  absl::Status Write(absl::string_view) override { return absl::OkStatus(); }
  absl::Status Overwrite(int64_t, absl::string_view) override { return absl::OkStatus(); }
  absl::Status Truncate(int64_t) override { return absl::OkStatus(); }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  const std::string name_ = "null.animdata";
};

// The standard rig with all of its shapes and a voice.
wire::StreamHeader FullHeader() {
  wire::StreamHeader header;
  const auto rigs = skel::RigCatalog::Builtin();
  const auto rig = *rigs->Find("hanim_loa3");
  header.joints.assign(rig->joint_paths().begin(), rig->joint_paths().end());
  header.shapes.assign(rig->shape_names().begin(), rig->shape_names().end());
  header.audio_rate_hz = 16000;
  header.epoch_s = 1.7e9;
  return header;
}

wire::DataChunk FullFrame(const wire::StreamHeader& header) {
  wire::DataChunk data;
  const auto keys = [&](size_t elements, const std::vector<float>& each) {
    wire::KeyBlock block;
    block.width = static_cast<int>(elements * each.size());
    block.time_codes_s = {0};
    for (size_t i = 0; i < elements; ++i) {
      block.values.insert(block.values.end(), each.begin(), each.end());
    }
    return block;
  };
  data.pose[wire::kWeights] = keys(header.shapes.size(), {0.25f});
  data.pose[wire::kTranslations] = keys(header.joints.size(), {0, 0, 0});
  // At rest, as nearly all joints of all frames are.
  const auto rigs = skel::RigCatalog::Builtin();
  const auto rig = *rigs->Find("hanim_loa3");
  for (int j = 0; j < rig->joints(); ++j) {
    const skel::Vec3 t = rig->rest().translation(j);
    float* const to = &data.pose[wire::kTranslations].values[static_cast<size_t>(j) * 3];
    to[0] = t.x, to[1] = t.y, to[2] = t.z;
  }
  data.pose[wire::kRotations] = keys(header.joints.size(), {0.6f, 0.8f, 0, 0});
  data.pose[wire::kScales] = keys(header.joints.size(), {1, 1, 1});
  data.audio = wire::AudioBuffer{0, std::vector<int16_t>(533, 7)};
  return data;
}

// Runs a session over a header and frames, and counts from the first frame behind the warm-up on.
class Stream {
 public:
  Stream() {
    const wire::StreamHeader header = FullHeader();
    messages_.push_back(wire::SerializeHeader(header));
    wire::DataChunk data = FullFrame(header);
    for (size_t k = 0; k < kWarmUp + kMessages; ++k) {
      const double time_code_s = 100 + static_cast<double>(k) / 30;
      for (wire::KeyBlock& block : data.pose) block.time_codes_s = {time_code_s};
      data.audio->time_code_s = time_code_s;
      messages_.push_back(wire::SerializeData(data));
    }
  }

  double AllocationsOfAMessage(Consumer& consumer) {
    std::optional<AllocationCount> count;
    int64_t allocations = 0;
    const auto next = [&](double, client::PullEvent* event) {
      if (at_ == kWarmUp) count.emplace();
      if (at_ == messages_.size()) {
        allocations = count->count();
        event->kind = client::PullEvent::kEnd;
        return true;
      }
      event->message.bytes = messages_[at_];
      const std::string& bytes = *messages_[at_];
      const absl::Span<const uint8_t> slices[] = {
          {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
      EXPECT_TRUE(reader_.Read(slices, &event->message.chunk).ok());
      event->kind = at_ == 0 ? client::PullEvent::kHeader : client::PullEvent::kData;
      event->receive_time_s = static_cast<double>(at_++) / 30;
      return true;
    };
    StreamStats stats;
    EXPECT_TRUE(RunSession({.until_end = true},
                           {.open = [&] { return next; },
                            .now_s = [] { return 0.0; },
                            .stopped = [] { return false; },
                            .log = {}},
                           consumer, stats)
                    .ok());
    EXPECT_EQ(stats.frames(), static_cast<int64_t>(kWarmUp + kMessages));
    const double each = static_cast<double>(allocations) / kMessages;
    std::printf("%.3f allocations a message of %zu bytes\n", each, messages_.back()->size());
    return each;
  }

 private:
  std::vector<wire::MessageBytes> messages_;
  wire::FrameReader reader_{wire::ClientLimits()};
  size_t at_ = 0;
};

class Quiet : public Consumer {
 public:
  absl::Status OnHeader(const wire::StreamHeader&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    return absl::OkStatus();
  }
  absl::Status Tick(double) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
};

TEST(MessageCost, ARecordingTakesNoMemoryForAMessage) {
  class Recording : public Quiet {
   public:
    Recording() {
      recorder_ = *Recorder::Create(std::make_unique<NullSink>(),
                                    [] { return std::make_unique<NullSink>(); }, {});
    }
    absl::Status OnHeader(const wire::StreamHeader& header,
                          const wire::MessageBytes& bytes) override {
      return recorder_->OnHeader(header, bytes);
    }
    absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                        double receive_s) override {
      return recorder_->OnData(data, bytes, receive_s);
    }

   private:
    std::unique_ptr<Recorder> recorder_;
  } recording;
  EXPECT_LE(Stream().AllocationsOfAMessage(recording), 0.01);
}

TEST(MessageCost, AFrameForViewersTakesItsTwoTexts) {
  class View : public Quiet {
   public:
    absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes&) override {
      layout_ = LayoutOf(header, *skel::RigCatalog::Builtin());
      return absl::OkStatus();
    }
    absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes&, double) override {
      for (const ViewFrame& frame : EncodeView(data, layout_, {})) bytes += frame.whole->size();
      return absl::OkStatus();
    }
    size_t bytes = 0;

   private:
    ViewLayout layout_;
  } view;
  // Each text and its owner, and the list of the two.
  EXPECT_LE(Stream().AllocationsOfAMessage(view), 5.01);
  EXPECT_GT(view.bytes, kMessages * 2000);
}

}  // namespace
}  // namespace posewire::renderer_sink
