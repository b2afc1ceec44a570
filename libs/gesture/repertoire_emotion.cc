#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

double Smile(Script& s) {
  const Stay t{0.07, 0.50, 1.55, 2.15};
  StayPair(s, "mouthSmile", t, 0.62f);
  StayPair(s, "cheekSquint", {0.12, 0.55, 1.45, 2.0}, 0.40f);
  StayPair(s, "eyeSquint", {0.15, 0.55, 1.4, 1.95}, 0.18f);
  StayPair(s, "mouthDimple", t, 0.15f);
  return 2.3;
}

double BigSmile(Script& s) {
  const Stay t{0.07, 0.45, 1.75, 2.35};
  StayPair(s, "mouthSmile", t, 0.95f);
  StayPair(s, "mouthUpperUp", t, 0.35f);
  StayPair(s, "mouthLowerDown", t, 0.25f);
  StayShape(s, "jawOpen", {0.08, 0.5, 1.65, 2.2}, 0.16f);
  StayPair(s, "cheekSquint", {0.10, 0.5, 1.7, 2.25}, 0.75f);
  StayPair(s, "eyeSquint", {0.12, 0.5, 1.6, 2.15}, 0.40f);
  StayShape(s, "browInnerUp", {0.07, 0.35, 1.2, 1.8}, 0.25f);
  StayPair(s, "browOuterUp", {0.07, 0.35, 1.2, 1.8}, 0.25f);
  StayLook(s, {0.08, 0.5, 1.7, 2.35}, {-3, 0, 4});
  return 2.6;
}

double Laugh(Script& s) {
  const Stay t{0.07, 0.35, 2.0, 2.7};
  StayPair(s, "mouthSmile", t, 0.9f);
  StayPair(s, "mouthUpperUp", t, 0.35f);
  StayPair(s, "cheekSquint", t, 0.85f);
  StayPair(s, "eyeSquint", t, 0.65f);
  s.Shape("jawOpen", 0.08, 0.32, 0.48f);
  // Each "ha" closes the jaw a little and shakes the head.
  double at = 0.40;
  for (int i = 0; i < 6; ++i, at += 0.27) {
    const float fade = 1 - 0.11f * static_cast<float>(i);
    s.Shape("jawOpen", at, at + 0.11, 0.24f * fade);
    s.Shape("jawOpen", at + 0.12, at + 0.25, 0.48f * fade);
    s.Look(at, at + 0.11, {-4 - 3 * fade, 2, 3}, 0);
    s.Look(at + 0.12, at + 0.25, {-4 + 3 * fade, 2, 3}, 0);
  }
  s.Shape("jawOpen", 2.1, 2.6, 0);
  s.Look(2.1, 2.8, {0, 0, 0}, 0.03f);
  return 3.0;
}

double Smirk(Script& s) {
  const Stay t{0.08, 0.50, 1.35, 1.85};
  StayShape(s, "mouthSmileRight", t, 0.72f);
  StayShape(s, "mouthDimpleRight", t, 0.35f);
  StayShape(s, "cheekSquintRight", t, 0.35f);
  StayShape(s, "mouthRight", t, 0.12f);
  StayShape(s, "browOuterUpLeft", t, 0.30f);
  StayPair(s, "eyeSquint", t, 0.20f);
  StayLook(s, {0.1, 0.6, 1.35, 1.9}, {0, 4, 4});
  return 2.1;
}

double Surprise(Script& s) {
  const Stay t{0.07, 0.24, 1.10, 1.70};
  StayShape(s, "browInnerUp", t, 0.90f);
  StayPair(s, "browOuterUp", t, 0.85f);
  StayPair(s, "eyeWide", {0.07, 0.20, 1.0, 1.5}, 0.90f);
  StayShape(s, "jawOpen", {0.08, 0.32, 1.0, 1.6}, 0.45f);
  StayShape(s, "mouthFunnel", {0.08, 0.32, 1.0, 1.6}, 0.25f);
  StayLook(s, {0.07, 0.28, 1.1, 1.75}, {-7, 0, 0});
  return 2.0;
}

double Frown(Script& s) {
  const Stay t{0.07, 0.55, 1.55, 2.15};
  StayPair(s, "browDown", t, 0.75f);
  StayPair(s, "mouthFrown", t, 0.55f);
  StayShape(s, "mouthShrugLower", t, 0.20f);
  StayPair(s, "eyeSquint", t, 0.22f);
  return 2.3;
}

double Sad(Script& s) {
  const Stay t{0.08, 0.90, 2.10, 2.85};
  StayShape(s, "browInnerUp", t, 0.85f);
  StayPair(s, "mouthFrown", t, 0.65f);
  StayShape(s, "mouthShrugLower", {0.2, 0.9, 2.0, 2.7}, 0.40f);
  StayPair(s, "eyeLookDown", {0.3, 0.8, 2.1, 2.6}, 0.40f);
  StayPair(s, "eyeBlink", {0.2, 0.9, 2.0, 2.6}, 0.22f);
  StayPair(s, "eyeSquint", t, 0.18f);
  StayLook(s, {0.1, 1.0, 2.1, 2.9}, {10, 0, 6});
  return 3.0;
}

double Angry(Script& s) {
  const Stay t{0.07, 0.40, 1.60, 2.20};
  StayPair(s, "browDown", t, 1.0f);
  StayPair(s, "eyeSquint", t, 0.40f);
  StayPair(s, "noseSneer", t, 0.55f);
  StayPair(s, "mouthPress", t, 0.60f);
  StayPair(s, "mouthFrown", t, 0.40f);
  StayShape(s, "jawForward", t, 0.30f);
  StayLook(s, {0.08, 0.5, 1.6, 2.2}, {6, 0, 0});
  return 2.4;
}

double Disgust(Script& s) {
  const Stay t{0.07, 0.45, 1.35, 1.95};
  StayPair(s, "noseSneer", t, 0.95f);
  StayPair(s, "mouthUpperUp", t, 0.55f);
  StayPair(s, "browDown", t, 0.55f);
  StayPair(s, "eyeSquint", t, 0.55f);
  StayPair(s, "cheekSquint", t, 0.35f);
  StayPair(s, "mouthFrown", t, 0.45f);
  StayShape(s, "mouthShrugLower", t, 0.3f);
  StayLook(s, {0.1, 0.55, 1.35, 2.0}, {-5, 9, -4});
  return 2.2;
}

double Fear(Script& s) {
  const Stay t{0.07, 0.26, 1.55, 2.15};
  StayShape(s, "browInnerUp", t, 1.0f);
  StayPair(s, "browOuterUp", t, 0.25f);
  StayPair(s, "eyeWide", t, 1.0f);
  StayPair(s, "mouthStretch", t, 0.80f);
  StayPair(s, "mouthFrown", t, 0.25f);
  StayShape(s, "jawOpen", t, 0.22f);
  StayLook(s, {0.07, 0.32, 1.55, 2.2}, {-4, -5, 0});
  return 2.4;
}

// The chin goes up, one side sneers, and the head wags at the other.
double Taunt(Script& s) {
  const Stay t{0.08, 0.42, 1.75, 2.25};
  StayShape(s, "mouthSmileLeft", t, 0.80f);
  StayShape(s, "mouthSmileRight", t, 0.20f);
  StayShape(s, "mouthUpperUpLeft", t, 0.45f);
  StayShape(s, "noseSneerLeft", t, 0.65f);
  StayShape(s, "cheekSquintLeft", t, 0.60f);
  StayPair(s, "eyeSquint", t, 0.55f);
  StayPair(s, "eyeLookDown", t, 0.35f);
  StayShape(s, "browDownLeft", t, 0.45f);
  StayShape(s, "browOuterUpRight", t, 0.85f);
  s.Look(0.08, 0.45, {-10, 0, -5});
  double at = 0.55;
  for (const float way : {1.0f, -1.0f, 1.0f, -1.0f}) {
    s.Look(at, at + 0.24, {-10, 3 * way, -9 * way}, 0);
    at += 0.26;
  }
  s.Look(1.7, 2.25, {0, 0, 0}, 0.03f);
  return 2.5;
}

// The eyes go up and aside, then down; the lips are pressed to one side.
double Pensive(Script& s) {
  const Stay t{0.10, 0.80, 2.20, 2.80};
  StayShape(s, "browInnerUp", t, 0.35f);
  StayPair(s, "browDown", t, 0.50f);
  StayPair(s, "eyeSquint", t, 0.40f);
  StayPair(s, "mouthPress", t, 0.55f);
  StayShape(s, "mouthRight", t, 0.30f);
  StayShape(s, "mouthShrugLower", t, 0.30f);
  StayPair(s, "eyeLookUp", {0.20, 0.50, 1.02, 1.30}, 0.70f);
  StayShape(s, "eyeLookOutLeft", {0.20, 0.50, 2.20, 2.60}, 0.55f);
  StayShape(s, "eyeLookInRight", {0.20, 0.50, 2.20, 2.60}, 0.55f);
  StayPair(s, "eyeLookDown", {1.15, 1.45, 2.20, 2.60}, 0.45f);
  StayPair(s, "eyeBlink", {1.02, 1.16, 1.20, 1.36}, 0.80f);
  s.Look(0.20, 0.90, {-6, 8, 6}, 0.03f);
  s.Look(1.05, 1.55, {7, 6, 7}, 0.03f);
  s.Look(2.20, 2.85, {0, 0, 0}, 0.03f);
  return 3.0;
}

// Wide eyes and an open smile, and the head cannot keep still.
double Excited(Script& s) {
  const Stay t{0.07, 0.30, 1.85, 2.40};
  StayPair(s, "mouthSmile", t, 0.90f);
  StayPair(s, "mouthUpperUp", t, 0.25f);
  StayShape(s, "jawOpen", {0.08, 0.34, 1.70, 2.20}, 0.38f);
  StayPair(s, "cheekSquint", t, 0.45f);
  StayPair(s, "eyeWide", {0.07, 0.25, 1.60, 2.10}, 0.75f);
  StayShape(s, "browInnerUp", t, 0.70f);
  StayPair(s, "browOuterUp", t, 0.80f);
  s.Look(0.07, 0.30, {-9, 0, 4});
  double at = 0.40;
  for (int i = 0; i < 5; ++i) {
    const float side = i % 2 == 0 ? 1.0f : -1.0f;
    s.Look(at, at + 0.12, {3, 2 * side, 4 * side}, 0);
    s.Look(at + 0.13, at + 0.25, {-8, 2 * side, 4 * side}, 0);
    at += 0.27;
  }
  s.Look(1.85, 2.40, {0, 0, 0}, 0.03f);
  return 2.6;
}

constexpr Recipe kRecipes[] = {{"smile", Smile},    {"big_smile", BigSmile}, {"laugh", Laugh},
                               {"smirk", Smirk},    {"surprise", Surprise},  {"frown", Frown},
                               {"sad", Sad},        {"angry", Angry},        {"disgust", Disgust},
                               {"fear", Fear},      {"taunt", Taunt},        {"pensive", Pensive},
                               {"excited", Excited}};

}  // namespace

absl::Span<const Recipe> EmotionRecipes() { return kRecipes; }

}  // namespace posewire::gesture
