#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

double Wink(Script& s) {
  const Stay lid{0.18, 0.32, 0.58, 0.76};
  StayShape(s, "eyeBlinkRight", lid, 1.0f);
  StayShape(s, "eyeSquintRight", lid, 0.6f);
  StayShape(s, "browDownRight", lid, 0.35f);
  StayShape(s, "cheekSquintRight", {0.12, 0.32, 0.6, 0.9}, 0.75f);
  StayShape(s, "mouthSmileRight", {0.10, 0.35, 0.75, 1.15}, 0.70f);
  StayShape(s, "mouthSmileLeft", {0.10, 0.35, 0.75, 1.15}, 0.35f);
  StayLook(s, {0.08, 0.36, 0.7, 1.2}, {2, 0, 6});
  return 1.4;
}

double RaiseBrows(Script& s) {
  const Stay t{0.07, 0.25, 0.80, 1.20};
  StayShape(s, "browInnerUp", t, 0.75f);
  StayPair(s, "browOuterUp", t, 0.85f);
  StayPair(s, "eyeWide", t, 0.22f);
  StayLook(s, {0.07, 0.28, 0.8, 1.25}, {-2, 0, 0});
  return 1.4;
}

double Squint(Script& s) {
  const Stay t{0.08, 0.50, 1.45, 1.90};
  StayPair(s, "eyeSquint", t, 0.95f);
  StayPair(s, "eyeBlink", t, 0.35f);
  StayPair(s, "browDown", t, 0.45f);
  StayPair(s, "cheekSquint", t, 0.45f);
  StayPair(s, "mouthUpperUp", t, 0.12f);
  StayLook(s, {0.1, 0.6, 1.45, 1.95}, {4, 0, 0});
  return 2.1;
}

double Pout(Script& s) {
  const Stay t{0.08, 0.50, 1.55, 2.05};
  StayShape(s, "mouthPucker", t, 0.55f);
  StayShape(s, "mouthShrugLower", t, 0.85f);
  StayPair(s, "mouthFrown", t, 0.50f);
  StayShape(s, "browInnerUp", t, 0.50f);
  StayPair(s, "browDown", t, 0.20f);
  StayLook(s, {0.1, 0.6, 1.55, 2.1}, {7, 0, 3});
  return 2.2;
}

// Down on one side, up over the top and down on the other, with a tired lid.
double EyeRoll(Script& s) {
  for (const char* up : {"eyeLookUpLeft", "eyeLookUpRight"}) {
    s.Shape(up, 0.30, 0.70, 0.95f);
    s.Shape(up, 1.00, 1.35, 0);
  }
  const auto sweep = [&](const char* first, const char* second) {
    s.Shape(first, 0.12, 0.36, 0.70f);
    s.Shape(first, 0.50, 0.80, 0);
    s.Shape(second, 0.80, 1.10, 0.70f);
    s.Shape(second, 1.35, 1.60, 0);
  };
  sweep("eyeLookOutRight", "eyeLookInRight");
  sweep("eyeLookInLeft", "eyeLookOutLeft");
  StayPair(s, "eyeBlink", {1.05, 1.30, 1.45, 1.75}, 0.45f);
  StayPair(s, "browOuterUp", {0.2, 0.6, 1.0, 1.5}, 0.50f);
  StayShape(s, "browInnerUp", {0.2, 0.6, 1.0, 1.5}, 0.35f);
  StayPair(s, "mouthPress", {0.3, 0.7, 1.4, 1.9}, 0.45f);
  StayPair(s, "mouthDimple", {0.3, 0.7, 1.4, 1.9}, 0.35f);
  s.Look(0.20, 0.75, {-5, -5, 3}, 0.02f);
  s.Look(0.75, 1.25, {-2, 6, 2}, 0.02f);
  s.Look(1.35, 1.95, {0, 0, 0}, 0.02f);
  return 2.2;
}

double Kiss(Script& s) {
  StayShape(s, "mouthPucker", {0.10, 0.45, 0.75, 1.05}, 0.95f);
  StayShape(s, "mouthFunnel", {0.62, 0.76, 0.85, 1.1}, 0.30f);
  StayPair(s, "eyeBlink", {0.15, 0.45, 0.7, 0.95}, 0.80f);
  StayPair(s, "cheekSquint", {0.1, 0.4, 0.7, 1.0}, 0.25f);
  StayLook(s, {0.1, 0.5, 0.85, 1.3}, {-3, 0, 3});
  return 1.5;
}

double PuffCheeks(Script& s) {
  const Stay t{0.08, 0.42, 1.20, 1.50};
  StayShape(s, "cheekPuff", t, 0.95f);
  StayPair(s, "mouthPress", t, 0.45f);
  StayShape(s, "mouthPucker", t, 0.15f);
  StayShape(s, "mouthFunnel", {1.15, 1.32, 1.45, 1.7}, 0.35f);
  StayPair(s, "browOuterUp", t, 0.35f);
  StayShape(s, "browInnerUp", t, 0.30f);
  return 1.9;
}

double TongueOut(Script& s) {
  const Stay t{0.08, 0.35, 1.05, 1.40};
  StayShape(s, "jawOpen", t, 0.32f);
  StayShape(s, "tongueOut", {0.16, 0.42, 1.0, 1.3}, 0.95f);
  StayPair(s, "mouthSmile", t, 0.35f);
  StayPair(s, "eyeSquint", t, 0.50f);
  StayPair(s, "noseSneer", t, 0.25f);
  StayLook(s, {0.1, 0.42, 1.05, 1.5}, {5, 0, -3});
  return 1.7;
}

double Confused(Script& s) {
  const Stay t{0.08, 0.55, 1.60, 2.20};
  StayShape(s, "browDownLeft", t, 0.75f);
  StayShape(s, "browOuterUpRight", t, 0.75f);
  StayShape(s, "browInnerUp", t, 0.30f);
  StayShape(s, "mouthLeft", t, 0.35f);
  StayPair(s, "mouthPress", t, 0.30f);
  StayShape(s, "mouthFrownRight", t, 0.35f);
  StayShape(s, "eyeSquintLeft", t, 0.45f);
  StayLook(s, {0.1, 0.7, 1.6, 2.25}, {-2, 0, 10});
  return 2.4;
}

double Skeptical(Script& s) {
  const Stay t{0.08, 0.45, 1.50, 2.00};
  StayShape(s, "browOuterUpLeft", t, 0.95f);
  StayShape(s, "browDownRight", t, 0.80f);
  StayPair(s, "mouthPress", t, 0.50f);
  StayShape(s, "mouthDimpleLeft", t, 0.40f);
  StayShape(s, "mouthFrownRight", t, 0.30f);
  StayPair(s, "eyeSquint", t, 0.40f);
  StayLook(s, {0.1, 0.6, 1.5, 2.05}, {-4, -7, -3});
  return 2.2;
}

double Bored(Script& s) {
  const Stay t{0.10, 0.80, 2.20, 2.75};
  StayPair(s, "eyeBlink", t, 0.50f);
  StayPair(s, "eyeLookUp", {0.5, 0.9, 1.5, 1.9}, 0.35f);
  StayShape(s, "eyeLookOutLeft", {0.5, 0.9, 1.8, 2.3}, 0.55f);
  StayShape(s, "eyeLookInRight", {0.5, 0.9, 1.8, 2.3}, 0.55f);
  StayPair(s, "mouthPress", t, 0.25f);
  StayPair(s, "mouthFrown", t, 0.30f);
  StayShape(s, "jawLeft", t, 0.20f);
  StayShape(s, "browInnerUp", t, 0.15f);
  StayLook(s, {0.2, 1.1, 2.2, 2.85}, {2, 6, -11});
  return 3.0;
}

double Yawn(Script& s) {
  const Stay t{0.15, 1.00, 1.80, 2.45};
  StayShape(s, "jawOpen", t, 0.95f);
  StayShape(s, "mouthFunnel", {0.15, 0.8, 1.8, 2.4}, 0.25f);
  StayPair(s, "mouthStretch", {0.8, 1.3, 1.8, 2.3}, 0.30f);
  StayPair(s, "eyeBlink", {0.5, 1.15, 1.85, 2.5}, 0.95f);
  StayPair(s, "eyeSquint", {0.5, 1.15, 1.85, 2.5}, 0.60f);
  StayPair(s, "noseSneer", {0.5, 1.15, 1.8, 2.3}, 0.35f);
  StayShape(s, "browInnerUp", {0.15, 0.9, 1.9, 2.6}, 0.60f);
  StayLook(s, {0.2, 1.2, 1.9, 2.75}, {-11, 0, 3});
  return 3.0;
}

constexpr Recipe kRecipes[] = {{"wink", Wink},
                               {"raise_brows", RaiseBrows},
                               {"squint", Squint},
                               {"pout", Pout},
                               {"eye_roll", EyeRoll},
                               {"kiss", Kiss},
                               {"puff_cheeks", PuffCheeks},
                               {"tongue_out", TongueOut},
                               {"confused", Confused},
                               {"skeptical", Skeptical},
                               {"bored", Bored},
                               {"yawn", Yawn}};

}  // namespace

absl::Span<const Recipe> FaceRecipes() { return kRecipes; }

}  // namespace posewire::gesture
