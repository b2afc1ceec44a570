// A frame of the standard rig to bytes and back, against copying the same bytes: of one stream
// whose memory lies in the first cache, and of many in turn, as a server meets them.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/wire/frame_reader.h"
#include "libs/wire/frame_writer.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/bench/micro/poses.h"

namespace posewire::bench {
namespace {

namespace ace = nvidia_ace::animation_data::v1;

// A code whose eight bytes are found nowhere else in a message.
constexpr double kSentinel = 1234.56789012345;

std::string Join(const wire::EncodedFrame& frame) {
  std::string bytes;
  for (const auto& slice : frame.Whole()) {
    bytes.append(reinterpret_cast<const char*>(slice.data()), slice.size());
  }
  return bytes;
}

// A full pose and the audio of one frame at 16 kHz.
struct Frame {
  std::shared_ptr<const skel::Rig> rig = StandardRig();
  skel::Pose pose = MovingPose(*rig, 1, 0.5);
  std::vector<int16_t> audio = std::vector<int16_t>(533, 1234);
  wire::OutputFrame out;

  Frame() {
    out.pose = pose.view();
    out.audio = audio;
    SetCode(kSentinel);
  }
  void SetCode(double time_code_s) { out.time_code_s = out.audio_time_code_s = time_code_s; }
  std::string HeaderBytes() const { return Join(wire::EncodeHeader(Header())); }
  std::string Bytes() const {
    wire::FrameWriter writer(rig->joints(), rig->shapes());
    return Join(writer.Write(out));
  }
  wire::StreamHeader Header() const {
    wire::StreamHeader header;
    header.ids = {"request", "stream", ""};
    header.audio_rate_hz = 16000;
    header.shapes.assign(rig->shape_names().begin(), rig->shape_names().end());
    header.joints.assign(rig->joint_paths().begin(), rig->joint_paths().end());
    return header;
  }
};

// The frame as a stock sender says it: scales are left to the rest, and no field that is zero
// stands on the wire. A third of the joints is at rest.
std::string StockBytes(const Frame& frame) {
  ace::AnimationDataStream message;
  auto& skel = *message.mutable_animation_data()->mutable_skel_animation();
  auto& weights = *skel.add_blend_shape_weights();
  auto& translations = *skel.add_translations();
  auto& rotations = *skel.add_rotations();
  auto& scales = *skel.add_scales();
  for (auto* track : {&translations, &scales}) track->set_time_code(kSentinel);
  weights.set_time_code(kSentinel);
  rotations.set_time_code(kSentinel);
  const skel::PoseView pose = frame.out.pose;
  for (int s = 0; s < pose.shapes; ++s) weights.add_values(s % 2 == 0 ? pose.weights[s] : 0);
  for (int j = 0; j < pose.joints; ++j) {
    auto& t = *translations.add_values();
    t.set_x(pose.tx[j]), t.set_y(pose.ty[j]), t.set_z(pose.tz[j]);
    auto& r = *rotations.add_values();
    r.set_real(1);
    if (j % 3 != 0) r.set_real(pose.qw[j]), r.set_i(pose.qx[j]), r.set_j(pose.qy[j]);
    if (j % 3 != 0) r.set_k(pose.qz[j]);
    auto& s = *scales.add_values();
    s.set_x(1), s.set_y(1), s.set_z(1);
  }
  auto& audio = *message.mutable_animation_data()->mutable_audio();
  audio.set_time_code(kSentinel);
  audio.set_audio_buffer(frame.audio.data(), frame.audio.size() * sizeof(int16_t));
  return message.SerializeAsString();
}

// Puts new codes into the bytes of one message, so that a reader takes it again and again.
class Recoder {
 public:
  explicit Recoder(std::string* bytes) : bytes_(bytes) {
    char pattern[sizeof kSentinel];
    std::memcpy(pattern, &kSentinel, sizeof pattern);
    const std::string wanted(pattern, sizeof pattern);
    for (size_t at = 0; (at = bytes->find(wanted, at)) != std::string::npos; at += 8) {
      places_.push_back(at);
    }
  }
  void Next() {
    const double time_code_s = static_cast<double>(++ticks_) / 30;
    for (size_t at : places_) std::memcpy(bytes_->data() + at, &time_code_s, sizeof time_code_s);
  }

 private:
  std::string* bytes_;
  std::vector<size_t> places_;
  int64_t ticks_ = 0;
};

// 6.8 MB of messages: more than a second cache holds.
constexpr int kStreams = 1024;

absl::Span<const uint8_t> AsSlice(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

void CopyBytes(benchmark::State& state, const std::string& bytes) {
  std::vector<char> out(bytes.size());
  for (auto _ : state) {
    std::memcpy(out.data(), bytes.data(), bytes.size());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

// From many places to one (`to` is 1), as a reader takes them, or to as many.
void CopyInTurn(benchmark::State& state, const std::string& bytes, size_t to) {
  const std::vector<std::string> from(kStreams, bytes);
  std::vector<std::string> out(to, bytes);
  size_t i = 0, o = 0;
  for (auto _ : state) {
    std::memcpy(out[o].data(), from[i].data(), bytes.size());
    benchmark::DoNotOptimize(out[o].data());
    benchmark::ClobberMemory();
    if (++i == from.size()) i = 0;
    if (++o == to) o = 0;
  }
}

// A reader and the bytes of its newest message.
class Stream {
 public:
  Stream(const std::string& header, std::string message)
      : bytes_(std::make_unique<std::string>(std::move(message))), recoder_(bytes_.get()) {
    if (!reader_.Read({AsSlice(header)}).ok()) std::abort();
  }
  void Recode() { recoder_.Next(); }
  absl::Status Read(wire::Chunk* chunk) { return reader_.Read({AsSlice(*bytes_)}, chunk); }
  absl::StatusOr<wire::Chunk> Read() { return reader_.Read({AsSlice(*bytes_)}); }

 private:
  std::unique_ptr<std::string> bytes_;
  Recoder recoder_;
  wire::FrameReader reader_;
};

void Read(benchmark::State& state, std::string (*message)(const Frame&)) {
  const Frame frame;
  Stream stream(frame.HeaderBytes(), message(frame));
  wire::Chunk chunk;
  for (auto _ : state) {
    stream.Recode();
    if (!stream.Read(&chunk).ok()) return state.SkipWithError("the message was refused");
    benchmark::DoNotOptimize(chunk);
  }
}

std::vector<Stream> MakeStreams(const std::string& message) {
  const std::string header = Frame().HeaderBytes();
  std::vector<Stream> streams;
  for (int i = 0; i < kStreams; ++i) streams.emplace_back(header, message);
  return streams;
}

void ReadInTurn(benchmark::State& state, std::vector<Stream>& streams) {
  wire::Chunk chunk;
  while (state.KeepRunningBatch(kStreams)) {
    state.PauseTiming();
    for (Stream& stream : streams) stream.Recode();
    state.ResumeTiming();
    for (Stream& stream : streams) {
      if (!stream.Read(&chunk).ok()) return state.SkipWithError("the message was refused");
      benchmark::DoNotOptimize(chunk);
    }
  }
}

std::string OwnBytes(const Frame& frame) { return frame.Bytes(); }

void CopyFrame(benchmark::State& state) { CopyBytes(state, Frame().Bytes()); }
BENCHMARK(CopyFrame);

void EncodeFrame(benchmark::State& state) {
  Frame frame;
  wire::FrameWriter writer(frame.rig->joints(), frame.rig->shapes());
  int64_t tick = 0;
  for (auto _ : state) {
    frame.SetCode(static_cast<double>(++tick) / 30);
    wire::EncodedFrame encoded = writer.Write(frame.out);
    benchmark::DoNotOptimize(encoded);
  }
}
BENCHMARK(EncodeFrame);

void ReadFrame(benchmark::State& state) { Read(state, OwnBytes); }
BENCHMARK(ReadFrame);

// As tools read files: each message into memory of its own.
void ReadFrameAfresh(benchmark::State& state) {
  const Frame frame;
  Stream stream(frame.HeaderBytes(), frame.Bytes());
  for (auto _ : state) {
    stream.Recode();
    auto chunk = stream.Read();
    if (!chunk.ok()) return state.SkipWithError("the message was refused");
    benchmark::DoNotOptimize(chunk);
  }
}
BENCHMARK(ReadFrameAfresh);

void CopyStockFrame(benchmark::State& state) { CopyBytes(state, StockBytes(Frame())); }
BENCHMARK(CopyStockFrame);

void ReadStockFrame(benchmark::State& state) { Read(state, StockBytes); }
BENCHMARK(ReadStockFrame);

void CopyFrameInTurn(benchmark::State& state) { CopyInTurn(state, Frame().Bytes(), kStreams); }
BENCHMARK(CopyFrameInTurn);

// A writer and the frame that it is to write.
struct Writing {
  std::unique_ptr<Frame> frame = std::make_unique<Frame>();
  wire::FrameWriter writer{frame->rig->joints(), frame->rig->shapes()};
};

void EncodeFrameInTurn(benchmark::State& state) {
  static std::vector<Writing> writings(kStreams);
  for (Writing& w : writings) benchmark::DoNotOptimize(w.writer.Write(w.frame->out));
  size_t i = 0;
  for (auto _ : state) {
    wire::EncodedFrame encoded = writings[i].writer.Write(writings[i].frame->out);
    benchmark::DoNotOptimize(encoded);
    if (++i == writings.size()) i = 0;
  }
}
BENCHMARK(EncodeFrameInTurn);

void CopyFrameInTurnToOne(benchmark::State& state) { CopyInTurn(state, Frame().Bytes(), 1); }
BENCHMARK(CopyFrameInTurnToOne);

// Streams are made once a program: that takes longer than what is timed.
void ReadFrameInTurn(benchmark::State& state) {
  static std::vector<Stream> streams = MakeStreams(OwnBytes(Frame()));
  ReadInTurn(state, streams);
}
BENCHMARK(ReadFrameInTurn);

void CopyStockFrameInTurnToOne(benchmark::State& state) {
  CopyInTurn(state, StockBytes(Frame()), 1);
}
BENCHMARK(CopyStockFrameInTurnToOne);

void ReadStockFrameInTurn(benchmark::State& state) {
  static std::vector<Stream> streams = MakeStreams(StockBytes(Frame()));
  ReadInTurn(state, streams);
}
BENCHMARK(ReadStockFrameInTurn);

// What protobuf takes for the same, into a message that is used again; it checks nothing.
void ProtobufParseFrame(benchmark::State& state) {
  const std::string bytes = Frame().Bytes();
  ace::AnimationDataStream message;
  for (auto _ : state) {
    if (!message.ParseFromString(bytes)) return state.SkipWithError("not a message");
    benchmark::DoNotOptimize(message);
  }
}
BENCHMARK(ProtobufParseFrame);

void ProtobufSerializeFrame(benchmark::State& state) {
  ace::AnimationDataStream message;
  message.ParseFromString(Frame().Bytes());
  std::string bytes;
  for (auto _ : state) {
    message.SerializeToString(&bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
}
BENCHMARK(ProtobufSerializeFrame);

}  // namespace
}  // namespace posewire::bench
