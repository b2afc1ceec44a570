#include "libs/speech/face_track.h"

#include <algorithm>
#include <iterator>

namespace posewire::speech {
namespace {

enum Shape : size_t {
  kEyeBlinkLeft,
  kEyeLookDownLeft,
  kEyeLookInLeft,
  kEyeLookOutLeft,
  kEyeLookUpLeft,
  kEyeSquintLeft,
  kEyeBlinkRight,
  kEyeLookDownRight,
  kEyeLookInRight,
  kEyeLookOutRight,
  kEyeLookUpRight,
  kEyeSquintRight,
  kJawForwardShape,
  kJawOpenShape,
  kMouthCloseShape,
  kMouthFunnelShape,
  kMouthPuckerShape,
  kMouthSmileLeft,
  kMouthSmileRight,
  kMouthDimpleLeft,
  kMouthDimpleRight,
  kMouthStretchLeft,
  kMouthStretchRight,
  kMouthRollLowerShape,
  kMouthRollUpperShape,
  kMouthShrugLowerShape,
  kMouthPressLeft,
  kMouthPressRight,
  kMouthLowerDownLeft,
  kMouthLowerDownRight,
  kMouthUpperUpLeft,
  kMouthUpperUpRight,
  kBrowDownLeft,
  kBrowDownRight,
  kBrowInnerUp,
  kBrowOuterUpLeft,
  kBrowOuterUpRight,
  kCheekSquintLeft,
  kCheekSquintRight,
  kTongueOutShape
};

constexpr absl::string_view kNames[] = {"eyeBlinkLeft",       "eyeLookDownLeft",
                                        "eyeLookInLeft",      "eyeLookOutLeft",
                                        "eyeLookUpLeft",      "eyeSquintLeft",
                                        "eyeBlinkRight",      "eyeLookDownRight",
                                        "eyeLookInRight",     "eyeLookOutRight",
                                        "eyeLookUpRight",     "eyeSquintRight",
                                        "jawForward",         "jawOpen",
                                        "mouthClose",         "mouthFunnel",
                                        "mouthPucker",        "mouthSmileLeft",
                                        "mouthSmileRight",    "mouthDimpleLeft",
                                        "mouthDimpleRight",   "mouthStretchLeft",
                                        "mouthStretchRight",  "mouthRollLower",
                                        "mouthRollUpper",     "mouthShrugLower",
                                        "mouthPressLeft",     "mouthPressRight",
                                        "mouthLowerDownLeft", "mouthLowerDownRight",
                                        "mouthUpperUpLeft",   "mouthUpperUpRight",
                                        "browDownLeft",       "browDownRight",
                                        "browInnerUp",        "browOuterUpLeft",
                                        "browOuterUpRight",   "cheekSquintLeft",
                                        "cheekSquintRight",   "tongueOut"};
static_assert(std::size(kNames) == kFaceShapes && kTongueOutShape == kFaceShapes - 1);

constexpr double kFaceRest_s = 0.5;  // time to come to rest

// A blink closes faster than it opens.
constexpr double kBlinkClose_s = 0.125, kBlinkShut_s = 0.04, kBlinkOpen_s = 0.19;
constexpr float kBlinkMin_s = 2.0f, kBlinkMax_s = 6.0f;

constexpr float kLookFull_rad = 0.55f;  // the rotation of the eye at a weight of 1

void SetMouth(const MouthPose& m, FaceWeights& out) {
  out[kJawOpenShape] = m[kJawOpen];
  out[kJawForwardShape] = m[kJawForward];
  out[kMouthCloseShape] = m[kMouthClose];
  out[kMouthFunnelShape] = m[kMouthFunnel];
  out[kMouthPuckerShape] = m[kMouthPucker];
  out[kMouthRollLowerShape] = m[kMouthRollLower];
  out[kMouthRollUpperShape] = m[kMouthRollUpper];
  out[kMouthShrugLowerShape] = m[kMouthShrugLower];
  out[kTongueOutShape] = m[kTongueOut];
  out[kMouthDimpleLeft] = out[kMouthDimpleRight] = m[kMouthDimple];
  out[kMouthStretchLeft] = out[kMouthStretchRight] = m[kMouthStretch];
  out[kMouthPressLeft] = out[kMouthPressRight] = m[kMouthPress];
  out[kMouthLowerDownLeft] = out[kMouthLowerDownRight] = m[kMouthLowerDown];
  out[kMouthUpperUpLeft] = out[kMouthUpperUpRight] = m[kMouthUpperUp];
  out[kMouthSmileLeft] = out[kMouthSmileRight] = m[kMouthSmile];
}

}  // namespace

absl::Span<const absl::string_view> FaceShapeNames() { return kNames; }

FaceTrack::FaceTrack(uint64_t seed) : random_(seed) {
  smile_right_ = random_.Uniform(0.86f, 0.98f);
  next_blink_s_ = random_.Uniform(0.8f, 3.0f);
}

void FaceTrack::Add(const Phrase& phrase) {
  PlanBlinks(phrase);
  PlanBrows(phrase);
  PlanGaze(phrase);
  PlanSmile(phrase);
}

void FaceTrack::Finish(double end_s) { end_s_ = end_s; }

void FaceTrack::Blink(double t_s) {
  blinks_.Add({t_s, t_s + kBlinkClose_s, t_s + kBlinkClose_s + kBlinkShut_s,
               t_s + kBlinkClose_s + kBlinkShut_s + kBlinkOpen_s, 1});
  last_blink_s_ = t_s;
  next_blink_s_ = t_s + random_.Uniform(kBlinkMin_s, kBlinkMax_s);
}

void FaceTrack::PlanBlinks(const Phrase& phrase) {
  const bool sentence_ends = EndsSentence(phrase.ending);
  const double at_end_s = phrase.speech_end_s + 0.03;
  const double until_s = sentence_ends ? at_end_s - 1.0 : phrase.end_s;
  while (next_blink_s_ < until_s) Blink(std::max(next_blink_s_, phrase.start_s));
  const bool at_end = random_.Uniform() < 0.8f;
  if (sentence_ends && at_end && at_end_s - last_blink_s_ > 1.2) Blink(at_end_s);
}

void FaceTrack::RaiseBrows(double from_s, double hold_s, float amount) {
  const Pulse pulse{from_s, from_s + 0.18, from_s + 0.18 + hold_s, from_s + 0.18 + hold_s + 0.36,
                    amount};
  brow_outer_.Add(pulse);
  // Brows that rise most at their inner ends look worried.
  brow_inner_.Add({pulse.from_s, pulse.top_s, pulse.top_end_s, pulse.to_s,
                   amount * random_.Uniform(0.45f, 0.75f)});
}

void FaceTrack::Look(double at_s, float x, float y) {
  gaze_x_.MoveTo(at_s, 0.06, x);
  gaze_y_.MoveTo(at_s, 0.06, y);
}

void FaceTrack::PlanBrows(const Phrase& phrase) {
  double last_s = phrase.start_s - 0.3;
  for (const Word& w : phrase.words) {
    if (IsNegation(w.text))
      brow_down_.Add({w.start_s - 0.1, w.beat_s, w.end_s, w.end_s + 0.4, 0.2f});
    const float dice = random_.Uniform();
    const bool raises = w.accented && dice < 0.55f && w.beat_s - last_s > 0.7;
    if (!raises) continue;
    RaiseBrows(w.beat_s - 0.2, 0.06 + 0.1 * dice, random_.Uniform(0.14f, 0.34f));
    last_s = w.beat_s;
  }
  if (phrase.ending == SpeechEnding::kQuestion && !phrase.words.empty()) {
    const bool open_question = IsQuestionWord(phrase.words.front().text);
    const double from_s = std::max(phrase.speech_end_s - 0.8, phrase.speech_start_s - 0.1);
    const double hold_s = std::max(0.0, phrase.speech_end_s - 0.03 - from_s);
    RaiseBrows(from_s, hold_s, open_question ? 0.28f : 0.46f);
  }
}

void FaceTrack::PlanGaze(const Phrase& phrase) {
  double t = std::max(gaze_planned_s_, phrase.start_s);
  // A speaker looks away while thinking of the next phrase, and then back at the listener.
  if (phrase.end_s - phrase.start_s > 2.6 && random_.Uniform() < 0.4f) {
    const float side = random_.Uniform() < 0.5f ? -1.0f : 1.0f;
    const float x = side * random_.Uniform(0.16f, 0.28f);
    Look(t + 0.05, x, random_.Uniform(-0.08f, 0.16f));
    t += 0.05 + random_.Uniform(0.5f, 0.9f);
    Look(t, 0, 0);
  }
  t += random_.Uniform(0.4f, 1.2f);
  while (t < phrase.end_s - 0.2) {
    const float x = random_.Uniform(-0.06f, 0.06f);
    Look(t, x, random_.Uniform(-0.04f, 0.04f));
    t += random_.Uniform(0.5f, 1.8f);
  }
  gaze_planned_s_ = phrase.end_s;
}

void FaceTrack::PlanSmile(const Phrase& phrase) {
  const double from_s = phrase.speech_start_s - 0.2;
  if (phrase.ending == SpeechEnding::kExclamation) {
    smiles_.Add(
        {from_s, from_s + 0.7, phrase.speech_end_s + 0.2, phrase.speech_end_s + 0.9, 0.24f});
  } else if (EndsSentence(phrase.ending) && random_.Uniform() < 0.5f) {
    smiles_.Add({phrase.speech_end_s - 0.35, phrase.speech_end_s + 0.05, phrase.speech_end_s + 0.25,
                 phrase.speech_end_s + 0.9, random_.Uniform(0.08f, 0.18f)});
  }
}

void FaceTrack::SetGaze(double t_s, const HeadLook& head, float presence, FaceWeights& out) const {
  const float x = gaze_x_.At(t_s) * presence - head.yaw_rad / kLookFull_rad;
  const float y = gaze_y_.At(t_s) * presence + head.pitch_rad / kLookFull_rad;
  out[kEyeLookOutLeft] = out[kEyeLookInRight] = std::clamp(x, 0.0f, 1.0f);
  out[kEyeLookInLeft] = out[kEyeLookOutRight] = std::clamp(-x, 0.0f, 1.0f);
  out[kEyeLookUpLeft] = out[kEyeLookUpRight] = std::clamp(y, 0.0f, 1.0f);
  out[kEyeLookDownLeft] = out[kEyeLookDownRight] = std::clamp(-y, 0.0f, 1.0f);
}

void FaceTrack::At(double t_s, const MouthPose& mouth, const HeadLook& head, FaceWeights& out) {
  for (PulseTrack* p : {&blinks_, &brow_inner_, &brow_outer_, &brow_down_, &smiles_}) {
    p->DropBefore(t_s);
  }
  gaze_x_.DropBefore(t_s);
  gaze_y_.DropBefore(t_s);

  const float presence =
      EaseInOut(t_s, 0, 0.4) * (1 - EaseInOut(t_s, end_s_ - kFaceRest_s, end_s_));
  out.fill(0);
  SetMouth(mouth, out);
  SetGaze(t_s, head, presence, out);

  // Rounded or pressed lips cannot smile.
  const float free = 1 - std::min(1.0f, mouth[kMouthPucker] + mouth[kMouthFunnel] * 0.6f +
                                            mouth[kMouthPress] * 0.4f);
  const float smile = presence * std::min(0.06f + smiles_.Sum(t_s), 0.32f);
  out[kMouthSmileLeft] += smile * free;
  out[kMouthSmileRight] += smile * free * smile_right_;
  out[kCheekSquintLeft] = out[kCheekSquintRight] = 0.45f * smile;
  out[kEyeSquintLeft] = out[kEyeSquintRight] = 0.25f * smile;

  out[kBrowInnerUp] = presence * std::min(0.45f, brow_inner_.Sum(t_s));
  out[kBrowOuterUpLeft] = presence * std::min(0.6f, brow_outer_.Sum(t_s));
  out[kBrowOuterUpRight] = out[kBrowOuterUpLeft] * (2 - 1 / smile_right_);
  out[kBrowDownLeft] = out[kBrowDownRight] = presence * brow_down_.Max(t_s);
  const float blink = blinks_.Max(t_s);
  out[kEyeBlinkLeft] = out[kEyeBlinkRight] = blink;
  for (float& w : out) w = std::clamp(w, 0.0f, 1.0f);
}

}  // namespace posewire::speech
