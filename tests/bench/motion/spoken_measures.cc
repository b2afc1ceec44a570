#include "tests/bench/motion/spoken_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/builtin_graphs.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/skel/model_place.h"
#include "libs/wire/speech_gesture.h"
#include "tests/bench/motion/habit_measures.h"

namespace posewire {
namespace {

constexpr double kFps = 60;
constexpr int kAvatars = 5;
// Two units of one clip that overlap cannot always be told apart: so many may seem to be repeated.
constexpr double kRepeats = 0.02;
// What an avatar shows unless it is told otherwise, and the bounds of its habits there.
constexpr const char* kPosture = "Attentive";
constexpr double kActivity = 0.7;
constexpr double kMostElbow_m = 0.05, kLeastHands_m = 0.2, kMostHome = 5, kMostFrozen = 0.04;
constexpr double kLeastHold_deg_s = 4, kLeastFingers_deg_s = 3, kLeastHips_m = 0.05, kMostSteps = 6;
// How exactly the time in a clip is known, and how long another one may hide it.
constexpr double kGoesOn_s = 1.5 / kFps, kCovered_s = 2;
// Units are chosen up to 1.5 s before they are seen.
constexpr double kMostOff_s = 0.08, kFresh_s = 20, kChosen_s = 1.5;
// A stroke and a syllable are looked for so near to where one was announced.
constexpr double kNear_s = 0.3, kSyllable_s = 0.12;
// A hand that moves faster than this may strike; it has when its speed has fallen to this share.
constexpr float kFast_m_s = 0.3f, kStruck = 1.0f / 3;
constexpr double kLoudnessEvery_s = 0.01;
constexpr float kPause_db = -45;
// So long into a pause a hand that was up has come down; and how long it is watched after the end.
constexpr double kDown_s = 1.5, kAfter_s = 6;

struct Spoken {
  std::shared_ptr<const clip::Clip> face;
  double first_s = std::numeric_limits<double>::infinity();
  int rate_hz = 0;
  std::vector<float> samples;
  std::map<double, wire::SpeechGesture> gestures;  // by when they are announced
  std::vector<float> loudness_db;                  // one a kLoudnessEvery_s

  double duration_s() const { return face->duration_s(); }
  // Silent for so long before.
  bool PausesSince(double t_s, double for_s) const {
    const auto size = static_cast<int64_t>(loudness_db.size());
    const auto from = std::max<int64_t>(std::llround((t_s - for_s) / kLoudnessEvery_s), 0);
    const auto to = std::min<int64_t>(std::llround(t_s / kLoudnessEvery_s), size - 1);
    if (from > to) return true;
    return std::none_of(loudness_db.begin() + from, loudness_db.begin() + to + 1,
                        [](float db) { return db > kPause_db; });
  }
};

// dB of full scale of 50 ms about each moment.
std::vector<float> LoudnessOf(const std::vector<float>& samples, int rate_hz) {
  std::vector<float> out;
  const auto step = static_cast<size_t>(kLoudnessEvery_s * rate_hz);
  const size_t half = rate_hz * 25u / 1000;
  for (size_t at = 0; at < samples.size(); at += step) {
    const size_t from = at > half ? at - half : 0, to = std::min(at + half, samples.size());
    double sum = 1e-12;
    for (size_t i = from; i < to; ++i) sum += samples[i] * samples[i];
    out.push_back(static_cast<float>(10 * std::log10(sum / static_cast<double>(to - from))));
  }
  return out;
}

absl::StatusOr<Spoken> Read(const std::string& path, const skel::RigCatalog& catalog,
                            const std::shared_ptr<const skel::Rig>& rig) {
  Spoken out;
  auto clip = clipio::LoadClip(path, rig, catalog);
  if (!clip.ok()) return clip.status();
  out.face = *std::move(clip);
  auto reader = clipio::OpenClip(path);
  if (!reader.ok()) return reader.status();
  double last_s = 0;
  while (true) {
    auto message = (*reader)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    if (const auto* header = std::get_if<wire::StreamHeader>(&(*message)->chunk)) {
      out.rate_hz = header->audio_rate_hz.value_or(0);
    }
    const wire::DataChunk* const data = (*message)->data();
    if (data == nullptr) continue;
    if (std::isfinite(data->earliest_time_code_s)) last_s = data->earliest_time_code_s;
    out.first_s = std::min(out.first_s, last_s);
    for (const wire::MetadataEntry& entry : data->metadata) {
      if (const auto gesture = wire::ReadSpeechGesture(entry)) {
        out.gestures[last_s - out.first_s] = *gesture;
      }
    }
    if (!data->audio) continue;
    const auto at = static_cast<size_t>(
        std::max(std::llround((data->audio->time_code_s - out.first_s) * out.rate_hz), 0LL));
    out.samples.resize(std::max(out.samples.size(), at + data->audio->samples.size()));
    for (size_t i = 0; i < data->audio->samples.size(); ++i) {
      out.samples[at + i] = static_cast<float>(data->audio->samples[i]) / 32768;
    }
  }
  if (out.samples.empty() || out.gestures.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": it has no voice or announces no gestures; a2f_source say TEXT --out writes both"));
  }
  out.loudness_db = LoudnessOf(out.samples, out.rate_hz);
  return out;
}

struct Result {
  std::vector<double> off_s;  // from a syllable's peak to a stroke
  int gestures = 0, repeated = 0;
  std::vector<float> in_pauses, in_speech;  // speeds of the faster hand

  void AddAll(const Result& r) {
    off_s.insert(off_s.end(), r.off_s.begin(), r.off_s.end());
    gestures += r.gestures, repeated += r.repeated;
    in_pauses.insert(in_pauses.end(), r.in_pauses.begin(), r.in_pauses.end());
    in_speech.insert(in_speech.end(), r.in_speech.begin(), r.in_speech.end());
  }
};

double PeakOfLoudness(const Spoken& spoken, double about_s) {
  const auto at = [&](double t_s) {
    return std::clamp<int64_t>(std::llround(t_s / kLoudnessEvery_s), 0,
                               static_cast<int64_t>(spoken.loudness_db.size()) - 1);
  };
  const auto begin = spoken.loudness_db.begin();
  const auto top =
      std::max_element(begin + at(about_s - kSyllable_s), begin + at(about_s + kSyllable_s) + 1);
  return static_cast<double>(top - begin) * kLoudnessEvery_s;
}

// Where the faster hand has come to the end of its fast way; below 0: nothing strikes there.
double StrokeNear(const std::array<std::vector<float>, 2>& speeds, double about_s) {
  const auto size = static_cast<int64_t>(speeds[0].size());
  const int64_t from = std::clamp<int64_t>(std::llround((about_s - kNear_s) * kFps), 0, size - 1);
  const int64_t to = std::clamp<int64_t>(std::llround((about_s + kNear_s) * kFps), 0, size - 1);
  float peak = kFast_m_s;
  int64_t peak_at = -1;
  size_t hand = 0;
  for (size_t side = 0; side < 2; ++side) {
    for (int64_t i = from; i <= to; ++i) {
      if (const float v = speeds[side][static_cast<size_t>(i)]; v > peak) {
        peak = v, peak_at = i, hand = side;
      }
    }
  }
  if (peak_at < 0) return -1;
  int64_t i = peak_at;
  while (i < size - 1 && speeds[hand][static_cast<size_t>(i)] > kStruck * peak) ++i;
  return static_cast<double>(i) / kFps;
}

// The clips that move the arms of an avatar that talks, told by name and arms, and when each began.
class Units {
  struct Unit {
    const clip::Clip* clip;
    double time_s, seen_s;
    std::array<float, 2> part;
  };

 public:
  explicit Units(const skel::Rig& rig)
      : arms_{rig.FindJoint("l_shoulder"), rig.FindJoint("r_shoulder")} {}

  // Notes what is seen at this tick. The same clip with other arms is another unit; where two of
  // them overlap, they are told as one, and the new one's arms are those of which there is more.
  void Add(const graph::ContributionList& list, const std::set<std::string>& of_speech,
           double t_s) {
    for (size_t i = 0; i < list.size(); ++i) {
      const graph::ClipContribution& c = list.at(i);
      if (c.clip == nullptr || c.additive || c.frozen || !of_speech.contains(c.clip->name())) {
        continue;
      }
      const auto row = list.row(i);
      const std::array<float, 2> part{row[static_cast<size_t>(arms_[0])],
                                      row[static_cast<size_t>(arms_[1])]};
      if (part[0] <= 0 && part[1] <= 0) continue;
      // One that goes on is where it was in its clip, or as much later as it was covered.
      std::array<float, 2> before{};
      bool goes_on = false;
      for (Unit& unit : shown_) {
        if (unit.clip != c.clip) continue;
        const double later_s = c.time_s - unit.time_s;
        if (later_s > -kGoesOn_s && later_s < t_s - unit.seen_s + kGoesOn_s) {
          unit = {c.clip, c.time_s, t_s, part}, goes_on = true;
          break;
        }
        for (size_t arm = 0; arm < 2; ++arm) before[arm] = std::max(before[arm], unit.part[arm]);
      }
      if (goes_on) continue;
      // Units of one clip wait for their strokes at different places in it.
      begun_.emplace(t_s, absl::StrCat(c.clip->name(), " ", std::lround(100 * c.time_s),
                                       part[0] > before[0] ? " left" : "",
                                       part[1] > before[1] ? " right" : ""));
      shown_.push_back({c.clip, c.time_s, t_s, part});
    }
    const auto gone = [&](const Unit& unit) { return t_s - unit.seen_s > kCovered_s; };
    shown_.erase(std::remove_if(shown_.begin(), shown_.end(), gone), shown_.end());
  }
  void Finish(Result* result) {
    std::map<std::string, double> before_s;
    for (const auto& [begun_s, unit] : begun_) {
      const auto before = before_s.find(unit);
      if (before != before_s.end() && begun_s - before->second < kFresh_s - kChosen_s) {
        ++result->repeated;
      }
      before_s[unit] = begun_s;
      ++result->gestures;
    }
  }
  // Whether one has begun between these times.
  bool BegunWithin(double from_s, double to_s) const {
    const auto it = begun_.lower_bound(from_s);
    return it != begun_.end() && it->first <= to_s;
  }

 private:
  int arms_[2];
  std::vector<Unit> shown_;
  std::multimap<double, std::string> begun_;
};

Result Play(const Spoken& spoken, const std::shared_ptr<const graph::GraphAsset>& asset,
            const std::set<std::string>& of_speech, double activity, uint64_t seed,
            const char* posture_name, const std::function<void(const skel::PoseView&)>& show) {
  Result result;
  const skel::Rig& rig = *asset->rig();
  const auto avatar = asset->Instantiate(asset, seed);
  avatar->TellContributions(true);
  graph::Variables& variables = avatar->variables();
  variables.Set(variables.set().Find("activity"), {activity, {}});
  const int posture = variables.set().Find("posture_state");
  variables.Set(posture, *variables.set().spec(posture).Parse(posture_name));
  skel::Pose face(rig.joints(), rig.shapes()), pose(rig.joints(), rig.shapes());
  const int hands[2] = {rig.FindJoint("l_wrist"), rig.FindJoint("r_wrist")};
  const int chest = rig.humanoid().joint(skel::HumanBone::kChest);
  std::array<std::vector<float>, 2> speeds;
  std::array<skel::Vec3, 2> last;
  std::array<graph::ProviderInput, 1> provider;
  provider[0].playback_id = 1;
  provider[0].source_service_id = "bench";
  provider[0].owns_mouth = true;
  graph::Inputs inputs;
  Units units(rig);
  // The posture is there before the first word.
  constexpr int kBefore = static_cast<int>(2 * kFps);
  auto next = spoken.gestures.begin();
  for (int tick = -kBefore; tick < static_cast<int>((spoken.duration_s() + kAfter_s) * kFps);
       ++tick) {
    const double t = tick / kFps;
    graph::SpeechGestureInput gesture;
    provider[0].gesture = nullptr;
    if (t >= spoken.duration_s()) inputs.providers = {};
    if (tick >= 0 && t < spoken.duration_s()) {
      inputs.providers = provider;
      spoken.face->Sample(t, face.span());
      provider[0].pose = face.view();
      if (next != spoken.gestures.end() && next->first <= t) {
        const wire::SpeechGesture& g = next->second;
        const double late = t - next->first;
        gesture = {g.kind, g.number, g.strength, g.stroke_in_s - late, g.end_in_s - late};
        provider[0].gesture = &gesture;
        ++next;
      }
    }
    avatar->Tick(tick + kBefore, t + kBefore / kFps, tick == -kBefore ? 0 : 1 / kFps, inputs,
                 pose.span());
    const skel::Placement body = PlaceOf(rig, pose.view(), chest);
    float fastest = 0;
    for (size_t side = 0; side < 2; ++side) {
      const skel::Vec3 at =
          Rotate(Conjugate(body.turn), PlaceOf(rig, pose.view(), hands[side]).at - body.at);
      const float v = Length(at - last[side]) * static_cast<float>(kFps);
      last[side] = at;
      if (tick >= 0) speeds[side].push_back(v);
      fastest = std::max(fastest, v);
    }
    if (tick < 0) continue;
    if (show) show(pose.view());
    units.Add(*avatar->contributions(), of_speech, t);
    (spoken.PausesSince(t, kDown_s) ? result.in_pauses : result.in_speech).push_back(fastest);
  }
  units.Finish(&result);
  for (const auto& [announced_s, g] : spoken.gestures) {
    // Not each is taken: activity says how many.
    if (!units.BegunWithin(announced_s - 0.02, announced_s + g.stroke_in_s)) continue;
    const double about = announced_s + g.stroke_in_s;
    const double stroke = StrokeNear(speeds, about);
    if (stroke >= 0) result.off_s.push_back(stroke - PeakOfLoudness(spoken, about));
  }
  return result;
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

// At 30 frames a second, of 60 that are played.
std::function<void(const skel::PoseView&)> EveryOther(
    std::function<void(const skel::PoseView&)> show) {
  return [show = std::move(show), shows = true](const skel::PoseView& pose) mutable {
    if (shows) show(pose);
    shows = !shows;
  };
}

// Of the default posture at the default activity.
bool MeasureHabits(const Spoken& spoken, const std::shared_ptr<const graph::GraphAsset>& asset) {
  MotionHabits::Numbers all;
  for (int i = 0; i < kAvatars; ++i) {
    MotionHabits habits(asset->rig());
    Play(spoken, asset, {}, kActivity, static_cast<uint64_t>(i) * 77 + 5, kPosture,
         EveryOther([&](const skel::PoseView& pose) { habits.Add(pose); }));
    all.Add(habits.Count(), 1.0 / kAvatars);
  }
  MotionHabits::PrintHead();
  MotionHabits::PrintRow(kPosture, all);
  const bool passes = all.elbow_m <= kMostElbow_m && all.hands_up_m >= kLeastHands_m &&
                      all.home_a_minute <= kMostHome && all.frozen <= kMostFrozen &&
                      all.hold_deg_s >= kLeastHold_deg_s &&
                      all.fingers_deg_s >= kLeastFingers_deg_s && all.hips_m >= kLeastHips_m &&
                      all.steps_a_minute > 0 && all.steps_a_minute <= kMostSteps;
  std::printf(
      "\n%s: elbows at most %.0f cm out, hands at least %.0f cm above the hips, both home at most "
      "%.0f times a minute, at most %.0f %% frozen, a held hand turns by at least %.0f and its "
      "fingers by %.0f deg/s, hips at least %.0f cm, some steps and at most %.0f a minute\n",
      passes ? "pass" : "FAIL", 100 * kMostElbow_m, 100 * kLeastHands_m, kMostHome,
      100 * kMostFrozen, kLeastHold_deg_s, kLeastFingers_deg_s, 100 * kLeastHips_m, kMostSteps);
  return passes;
}

}  // namespace

absl::StatusOr<bool> MeasureSpoken(const std::string& path,
                                   const std::shared_ptr<const graph::GraphAsset>& asset,
                                   const skel::RigCatalog& catalog) {
  const auto spoken = Read(path, catalog, asset->rig());
  if (!spoken.ok()) return spoken.status();
  const auto graph = graph::ParseGraph(graph::BuiltinGraph("default.graph.txtpb"));
  if (!graph.ok()) return graph.status();
  std::set<std::string> of_speech;
  for (const auto& node : graph->nodes()) {
    for (const auto& unit : node.speech_gesture().units()) of_speech.insert(unit.clip());
  }
  std::printf(
      "\n%s, %.0f s, %d gestures announced, %d avatars\n\n"
      "| activity | gestures a minute | again within 20 s | strokes | from syllable to stroke, ms: "
      "median, of its size, 90th | hands in pauses m/s: median, 95th | in speech |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n",
      path.c_str(), spoken->duration_s(), static_cast<int>(spoken->gestures.size()), kAvatars);
  bool passes = true;
  int before = -1;
  for (const double activity : {0.0, 0.5, 1.0}) {
    Result all;
    for (int i = 0; i < kAvatars; ++i) {
      all.AddAll(Play(*spoken, asset, of_speech, activity, static_cast<uint64_t>(i) * 77 + 5,
                      "Talking", nullptr));
    }
    std::vector<double> size = all.off_s;
    for (double& off : size) off = std::fabs(off);
    const auto as_double = [](const std::vector<float>& v) {
      return std::vector<double>(v.begin(), v.end());
    };
    const auto pauses = as_double(all.in_pauses), speech = as_double(all.in_speech);
    std::printf("| %.1f | %.1f | %d of %d | %d | %.0f, %.0f, %.0f | %.3f, %.2f | %.3f, %.2f |\n",
                activity, all.gestures * 60 / spoken->duration_s() / kAvatars, all.repeated,
                all.gestures, static_cast<int>(all.off_s.size()), 1000 * Quantile(all.off_s, 0.5),
                1000 * Quantile(size, 0.5), 1000 * Quantile(size, 0.9), Quantile(pauses, 0.5),
                Quantile(pauses, 0.95), Quantile(speech, 0.5), Quantile(speech, 0.95));
    passes = passes && Quantile(size, 0.5) < kMostOff_s &&
             all.repeated <= kRepeats * all.gestures && all.gestures >= before &&
             Quantile(pauses, 0.5) <= Quantile(speech, 0.5);
    before = all.gestures;
  }
  std::printf(
      "\n%s: strokes within %.0f ms of the syllable, no unit again within %.0f s, more gestures "
      "with "
      "more activity, hands stiller in pauses\n",
      passes ? "pass" : "FAIL", 1000 * kMostOff_s, kFresh_s);
  return MeasureHabits(*spoken, asset) && passes;
}

absl::Status WriteTake(const std::string& spoken_path, const std::string& out,
                       const std::shared_ptr<const graph::GraphAsset>& asset,
                       const skel::RigCatalog& catalog) {
  const auto spoken = Read(spoken_path, catalog, asset->rig());
  if (!spoken.ok()) return spoken.status();
  std::vector<skel::Pose> poses;
  Play(*spoken, asset, {}, kActivity, 5, kPosture, EveryOther([&](const skel::PoseView& pose) {
    poses.emplace_back(pose.joints, pose.shapes);
    poses.back().span().CopyFrom(pose);
  }));
  const clip::Clip take("take", asset->rig(), timecode::FrameRate{30, 1}, std::move(poses), false);
  return clipio::WriteClip(take, out);
}

}  // namespace posewire
