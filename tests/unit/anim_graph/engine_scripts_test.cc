// Ten thousand random scripts of pushes, interruptions, stops, disconnects, variables, events and
// reloads of the graph: nothing pops, and time only goes forward.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "libs/graph_loader/graph_file.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

constexpr double kDegrees = 180 / 3.14159265358979;
constexpr double kSettled_s = 0.5;  // after the last switch: hold and transition are over

// Remembers when something was last switched.
class Switches : public Observer {
 public:
  void On(const EngineEvent& event) override {
    if (event.kind != EngineEvent::kPullOverdue) At(now_ns);
  }
  void At(int64_t ns) { last_ns = std::max(last_ns, ns); }
  int64_t now_ns = 0;
  int64_t last_ns = 0;
};

struct Call {
  uint64_t id;
  std::unique_ptr<FakePeer> peer;
  std::string request;
  int64_t next_key;
  double phase;
};

class Script {
 public:
  Script(Harness& h, Switches& switches, std::shared_ptr<const graph::GraphAsset>& other_asset,
         uint32_t seed)
      : h_(h),
        switches_(switches),
        other_asset_(other_asset),
        rng_(seed),
        with_live_(seed % 2 == 1),
        stream_(absl::StrCat("s", seed)) {
    sink_.keep_parsed = false;
    CallContext c{"", {"", stream_, ""}, ""};
    EXPECT_TRUE(h_.engine->OpenPull(c, {}, &sink_, h_.now).ok());
  }

  void Run() {
    switches_.last_ns = 0;
    const int steps = 6 + static_cast<int>(rng_() % 10);
    for (int i = 0; i < steps; ++i) {
      Act();
      Pass(0.02 + 0.3 * Uniform());
    }
    Pass(0.4);
    EXPECT_TRUE(h_.engine->RemoveStream(stream_, h_.now).ok());
  }

  double worst_turn = 0, worst_shape = 0, worst_settled_turn = 0;
  int frames = 0;

 private:
  double Uniform() { return std::uniform_real_distribution<double>(0, 1)(rng_); }

  // Smooth by itself, but each call has a phase of its own: switching jumps.
  wire::DataChunk Keys(Call& call, int64_t count) {
    wire::DataChunk c = Harness::Keys(call.next_key, call.next_key + count, 16000);
    for (int64_t i = 0; i < count; ++i) {
      const double t = static_cast<double>(call.next_key + i) / 30 + call.phase;
      const auto at = static_cast<size_t>(i);
      c.pose[wire::kWeights].values[2 * at] = static_cast<float>(0.5 + 0.5 * std::sin(4 * t));
      c.pose[wire::kWeights].values[2 * at + 1] = static_cast<float>(0.5 + 0.5 * std::sin(3 * t));
      const skel::Quat q = skel::Mul(
          skel::FromAxisAngle({0, 1, 0}, static_cast<float>(1.5 * std::sin(t))),
          skel::FromAxisAngle({1, 0, 0}, static_cast<float>(1.5 * std::sin(1.3 * t + 1))));
      const float v[4] = {q.w, q.x, q.y, q.z};
      for (size_t k = 0; k < 4; ++k) {
        c.pose[wire::kRotations].values[8 * at + k] = v[k];
        c.pose[wire::kRotations].values[8 * at + 4 + k] = v[k];
      }
    }
    call.next_key += count;
    return c;
  }

  void Act() {
    const double what = Uniform();
    if (calls_.empty() || what < 0.35) {
      Open();
    } else if (what < 0.7) {
      Call& c = calls_[rng_() % calls_.size()];
      h_.engine->Offer(c.id, Keys(c, 1 + static_cast<int64_t>(rng_() % 30)), h_.now);
    } else if (what < 0.8) {
      End(PushEnd::kHalfClosed);
    } else if (what < 0.88) {
      End(PushEnd::kCancelled);
    } else if (what < 0.94) {
      (void)h_.engine->StopRequest(stream_, calls_[rng_() % calls_.size()].request, h_.now);
      switches_.At(h_.now.ns);
    } else {
      Direct();
      switches_.At(h_.now.ns + 4'000'000'000);  // it ends by itself some time
    }
  }

  // Variables, events and reloads.
  void Direct() {
    const graph::GraphAsset& asset = *h_.parts.asset;
    const uint32_t what = static_cast<uint32_t>(rng_()) % 8;
    if (what == 0) {
      std::swap(h_.parts.asset, other_asset_);
      h_.engine->SetGraphAsset(h_.parts.asset);
    } else if (what == 1 && !asset.events().empty()) {
      EXPECT_TRUE(h_.engine->control().FireEvent(stream_, "", asset.events()[0]).ok());
    } else {
      const graph::VariableSet& variables = *asset.variables();
      const auto& v =
          variables.spec(static_cast<int>(rng_() % static_cast<uint64_t>(variables.size())));
      std::string value = absl::StrCat(Uniform());
      if (v.type == graph::VariableType::kChoice) value = v.values[rng_() % v.values.size()];
      EXPECT_TRUE(h_.engine->control().SetVariable(stream_, "", v.name, value, h_.now).ok());
    }
  }

  void Open() {
    Call call{0, std::make_unique<FakePeer>(), absl::StrCat("r", ++opened_), 0, 20 * Uniform()};
    auto header = Harness::Header(call.request);
    header.ids.stream_id = stream_;
    header.source_service_id = rng_() % 2 == 0 ? "one" : "two";
    PushCallOptions options;
    options.policy = rng_() % 2 == 0 ? Policy::kQueue : Policy::kInterrupt;
    options.mode = with_live_ && rng_() % 3 == 0 ? Mode::kLive : Mode::kStall;
    const auto push = h_.Push(header, call.peer.get(), options);
    if (!push.ok()) return;  // too many are queued
    call.id = push->call;
    h_.engine->Offer(call.id, Keys(call, 1 + static_cast<int64_t>(rng_() % 40)), h_.now);
    calls_.push_back(std::move(call));
  }

  void End(PushEnd end) {
    const size_t i = rng_() % calls_.size();
    h_.engine->EndPush(calls_[i].id, end, h_.now);
    ended_.push_back(std::move(calls_[i].peer));
    calls_.erase(calls_.begin() + static_cast<ptrdiff_t>(i));
  }

  void Pass(double seconds) {
    const int64_t end = h_.now.ns + static_cast<int64_t>(seconds * 1e9);
    while (h_.engine->NextWake() <= end) {
      h_.Set(std::max(h_.now.ns, h_.engine->NextWake()));
      switches_.now_ns = h_.now.ns;
      h_.engine->Advance(h_.now);
      Look();
    }
    h_.Set(end);
  }

  void Look() {
    for (const std::string& raw : sink_.raw) {
      pb::AnimationDataStream m;
      ASSERT_TRUE(m.ParseFromString(raw));
      if (!m.has_animation_data()) continue;
      const auto& anim = m.animation_data().skel_animation();
      const auto& rotations = anim.rotations(0).values();
      const auto& weights = anim.blend_shape_weights(0).values();
      const double code = anim.rotations(0).time_code();
      ASSERT_GT(code, last_code_);
      last_code_ = code;
      const bool settled = static_cast<double>(h_.now.ns - switches_.last_ns) * 1e-9 > kSettled_s;
      for (int j = 0; j < rotations.size(); ++j) {
        const skel::Quat q{rotations[j].real(), rotations[j].i(), rotations[j].j(),
                           rotations[j].k()};
        const auto at = static_cast<size_t>(j);
        if (frames == 0) last_rotations_.resize(static_cast<size_t>(rotations.size()));
        if (frames > 0) {
          ASSERT_GE(skel::Dot(q, last_rotations_[at]), 0);
          const double turn = skel::AngleBetween(q, last_rotations_[at]) * kDegrees;
          ASSERT_LE(turn, 40) << stream_ << " joint " << j << " code " << code;
          worst_turn = std::max(worst_turn, turn);
          // The inputs turn by at most 1.5 (1 + 1.3) radians a second: 6.6 degrees a frame.
          if (settled && !with_live_) {
            ASSERT_LE(turn, 7) << stream_ << " joint " << j << " code " << code;
            worst_settled_turn = std::max(worst_settled_turn, turn);
          }
        }
        last_rotations_[at] = q;
      }
      for (int s = 0; s < weights.size(); ++s) {
        const auto at = static_cast<size_t>(s);
        if (frames == 0) last_weights_.resize(static_cast<size_t>(weights.size()));
        const double step = std::fabs(weights[s] - last_weights_[at]);
        if (frames > 0) {
          ASSERT_LE(step, 0.6) << stream_ << " shape " << s << " code " << code;
          worst_shape = std::max(worst_shape, step);
        }
        last_weights_[at] = weights[s];
      }
      ++frames;
    }
    sink_.raw.clear();
  }

  Harness& h_;
  Switches& switches_;
  std::shared_ptr<const graph::GraphAsset>& other_asset_;  // trades places with the harness's
  std::mt19937 rng_;
  // A live source shows its newest key, whatever lies between: what comes in bursts moves in
  // bursts.
  const bool with_live_;
  const std::string stream_;
  FakeSink sink_;
  std::vector<Call> calls_;
  std::vector<std::unique_ptr<FakePeer>> ended_;
  int opened_ = 0;
  double last_code_ = -1;
  std::vector<skel::Quat> last_rotations_;
  std::vector<float> last_weights_;
};

// The default graph without its layer of expressions, and with a state that an event enters.
std::shared_ptr<const graph::GraphAsset> StartledPlan(const HarnessSettings& settings,
                                                      std::shared_ptr<const skel::Rig> rig) {
  auto graph = graph::ParseGraph(*graph::BuiltinGraphText("default")).value();
  graph.set_name("startled");
  std::string below;
  for (const auto& node : graph.nodes()) {
    if (node.name() == "expression") below = node.gesture().below();
  }
  auto* nodes = graph.mutable_nodes();
  for (int i = nodes->size() - 1; i >= 0; --i) {
    if (nodes->Get(i).name() == "expression") nodes->DeleteSubrange(i, 1);
  }
  for (auto& node : *nodes) {
    if (node.has_listen() && node.listen().below() == "expression") {
      node.mutable_listen()->set_below(below);
    }
  }
  graph.add_events("startle");
  auto* clip = graph.add_nodes();
  clip->set_name("hands_up");
  clip->mutable_clip()->set_clip("raise_both_arms");
  auto* top = graph.add_nodes();
  top->set_name("top");
  auto* states = top->mutable_state_machine();
  for (const auto& [name, node] :
       {std::pair{"calm", graph.output().c_str()}, std::pair{"startled", "hands_up"}}) {
    auto* state = states->add_states();
    state->set_name(name);
    state->set_node(node);
  }
  auto* startle = states->add_transitions();
  startle->set_to("startled");
  startle->set_event("startle");
  startle->set_duration_s(0.4);
  auto* calm = states->add_transitions();
  calm->add_from("startled");
  calm->set_to("calm");
  calm->set_at_end(true);
  calm->set_duration_s(0.4);
  graph.set_output("top");
  return graph::MakeGraphAsset(graph, std::move(rig), settings.clips).value();
}

TEST(EngineScripts, NothingPopsAndTimeOnlyGoesForward) {
  const char* count = std::getenv("POSEWIRE_SCRIPTS");
  const uint32_t scripts = count != nullptr ? static_cast<uint32_t>(std::atoi(count)) : 10000;
  HarnessSettings settings;
  settings.start_wait_s = 0;
  settings.clips = *gesture::MakeGestures(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
  Harness h(settings);
  Switches switches;
  h.parts.observer = &switches;
  h.engine = std::make_unique<Engine>(h.parts, h.now);
  auto other_asset = StartledPlan(settings, h.rig);
  double turn = 0, shape = 0, settled = 0;
  int64_t frames = 0;
  for (uint32_t seed = 1; seed <= scripts && !::testing::Test::HasFatalFailure(); ++seed) {
    auto script = std::make_unique<Script>(h, switches, other_asset, seed);
    script->Run();
    turn = std::max(turn, script->worst_turn);
    shape = std::max(shape, script->worst_shape);
    settled = std::max(settled, script->worst_settled_turn);
    frames += script->frames;
  }
  EXPECT_GT(frames, scripts * 30);
  RecordProperty("frames", absl::StrCat(frames));
  std::printf(
      "%lld frames; largest turn %.1f degrees (%.1f once settled), largest shape step %.2f\n",
      static_cast<long long>(frames), turn, settled, shape);
}

}  // namespace
}  // namespace posewire::anim_graph
