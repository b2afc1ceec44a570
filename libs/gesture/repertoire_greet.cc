// Greetings and answers.
#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

// A wide wave of the whole arm, high.
double Goodbye(Script& s) {
  Reach up;
  up.wrist = {0.440f, 1.690f, 0.090f};
  up.fingers = {0.05f, 1, 0.05f};
  up.palm = {0, 0, 1};
  up.elbow = {1, -0.6f, -0.1f};
  up.clavicle_up = 0.30f;
  s.Arm(Side::kRight, 0.06, 0.46, up, HandShape::kCount5, 0.7f);
  double t = 0.46;
  for (int i = 0; i < 5; ++i, t += 0.20) {
    const float out = i % 2 == 0 ? -1.0f : 1.0f;
    Reach swing = up;
    swing.wrist.x += 0.085f * out;
    swing.wrist.y -= 0.010f;
    swing.fingers.x += 0.45f * out;
    s.Arm(Side::kRight, t, t + 0.20, swing, HandShape::kCount5, 0);
  }
  s.ArmHome(Side::kRight, 1.48, 1.98);
  StayTrunk(s, {0.08, 0.5, 1.45, 1.95}, {0, 2, -6});
  StayLook(s, {0.12, 0.5, 1.45, 1.95}, {-2, -3, 7});
  StaySmile(s, {0.1, 0.4, 1.5, 2.0}, 0.6f);
  StayBrows(s, {0.1, 0.35, 0.9, 1.3}, 0.4f);
  return 2.35;
}

// Both arms open wide, a small bow of the head.
double Welcome(Script& s) {
  Reach in;
  in.wrist = {0.150f, 1.150f, 0.290f};
  in.fingers = {-0.2f, 0.2f, 1};
  in.palm = {-0.45f, 0.9f, -0.1f};
  in.elbow = {0.7f, -1, -0.4f};
  Reach open;
  open.wrist = {0.570f, 1.215f, 0.270f};
  open.fingers = {0.80f, 0.10f, 0.60f};
  open.palm = {-0.35f, 0.75f, 0.60f};
  open.elbow = {0.5f, -1, -0.5f};
  open.clavicle_up = 0.06f;
  for (Side side : kBoth) {
    s.Arm(side, 0.06, 0.46, in, HandShape::kOpen, 0.5f);
    s.Arm(side, 0.50, 0.98, open, HandShape::kOpen);
    s.ArmHome(side, 1.75, 2.35);
  }
  StayTrunk(s, {0.45, 1.0, 1.7, 2.3}, {7, 0, 0});
  s.Look(0.15, 0.5, {-3, 0, 0});
  s.Look(0.6, 1.05, {8, 0, 3});
  s.Look(1.25, 1.6, {-1, 0, 3});
  s.Look(1.75, 2.3, {0, 0, 0});
  StaySmile(s, {0.25, 0.7, 1.8, 2.4}, 0.65f);
  StayBrows(s, {0.3, 0.6, 1.3, 1.8}, 0.35f);
  return 2.75;
}

// The hand on the heart, then open towards the other.
double PersonalStatement(Script& s) {
  Reach heart;
  heart.wrist = {0.165f, 1.245f, 0.160f};
  heart.fingers = {-1, 0.42f, -0.12f};
  heart.palm = {-0.05f, 0, -1};
  heart.elbow = {1, -0.75f, -0.1f};
  s.Arm(Side::kRight, 0.08, 0.62, heart, HandShape::kFlat, 0.6f);
  // A pat.
  Reach off = heart;
  off.wrist.z += 0.045f;
  s.Arm(Side::kRight, 0.95, 1.10, off, HandShape::kFlat, 0);
  s.Arm(Side::kRight, 1.10, 1.26, heart, HandShape::kFlat, 0);
  Reach give;
  give.wrist = {0.280f, 1.165f, 0.380f};
  give.fingers = {0.20f, 0.15f, 1};
  give.palm = {-0.25f, 1, -0.1f};
  give.elbow = {0.6f, -1, -0.5f};
  s.Arm(Side::kRight, 1.75, 2.20, give, HandShape::kOpen);
  s.ArmHome(Side::kRight, 2.80, 3.40);
  StayTrunk(s, {0.1, 0.7, 2.7, 3.4}, {3, 3, 2});
  s.Look(0.2, 0.7, {6, 0, 6});
  s.Look(1.75, 2.2, {-2, 0, 3});
  s.Look(2.8, 3.35, {0, 0, 0});
  StayBrows(s, {0.3, 0.7, 2.5, 3.1}, 0.45f);
  StaySmile(s, {1.6, 2.0, 2.7, 3.2}, 0.35f);
  return 3.8;
}

// The hand forward, palm up; the fingers call twice.
double ComeHere(Script& s) {
  Reach out;
  out.wrist = {0.235f, 1.190f, 0.380f};
  out.fingers = {-0.05f, 0.10f, 1};
  out.palm = {-0.30f, 1, 0};
  out.elbow = {0.6f, -1, -0.4f};
  Reach call = out;
  call.wrist = {0.205f, 1.240f, 0.300f};
  call.fingers = {-0.32f, 0.75f, 0.62f};
  call.palm = {-0.45f, 0.35f, -0.75f};
  s.Arm(Side::kRight, 0.06, 0.46, out, HandShape::kOpen, 0.6f);
  s.Arm(Side::kRight, 0.48, 0.72, call, HandShape::kHook, 0.3f);
  s.Arm(Side::kRight, 0.74, 0.98, out, HandShape::kOpen, 0.3f);
  s.Arm(Side::kRight, 1.00, 1.24, call, HandShape::kHook, 0.3f);
  s.ArmHome(Side::kRight, 1.42, 1.95);
  s.Look(0.45, 0.75, {-7, 0, 3}, 0);
  s.Look(0.75, 0.98, {2, 0, 3}, 0);
  s.Look(0.98, 1.25, {-7, 0, 3}, 0);
  s.Look(1.4, 1.9, {0, 0, 0});
  StayTrunk(s, {0.1, 0.5, 1.35, 1.9}, {4, 4, 0});
  StayBrows(s, {0.3, 0.55, 1.2, 1.6}, 0.5f);
  StaySmile(s, {0.2, 0.5, 1.4, 1.9}, 0.4f);
  return 2.35;
}

// A fist held out and kept there, with two small invitations.
double FistbumpOffer(Script& s) {
  Reach fist;
  fist.wrist = {0.175f, 1.270f, 0.400f};
  fist.fingers = {-0.12f, 0.04f, 1};
  fist.palm = {-0.45f, -0.9f, 0};
  fist.elbow = {0.9f, -1, -0.2f};
  s.Arm(Side::kRight, 0.15, 0.80, fist, HandShape::kFist);
  Reach out = fist;
  out.wrist.z += 0.045f;
  out.wrist.y += 0.015f;
  for (double t : {3.2, 6.2}) {
    s.Arm(Side::kRight, t, t + 0.25, out, HandShape::kFist, 0.4f);
    s.Arm(Side::kRight, t + 0.6, t + 1.0, fist, HandShape::kFist, 0.2f);
    StayBrows(s, {t, t + 0.3, t + 1.0, t + 1.6}, 0.5f);
    s.Look(t, t + 0.3, {-4, 2, 6});
    s.Look(t + 1.2, t + 1.8, {1, 1, 3});
  }
  s.ArmHome(Side::kRight, 9.10, 9.80);
  s.Look(9.1, 9.7, {0, 0, 0});
  StayTrunk(s, {0.15, 0.85, 9.1, 9.8}, {4, 7, 0});
  StaySmile(s, {0.5, 0.9, 9.0, 9.7}, 0.45f);
  return 10.2;
}

// Both arms up into the air.
double RaiseBothArms(Script& s) {
  Reach up;
  up.wrist = {0.420f, 1.900f, 0.060f};
  up.fingers = {0.30f, 1, 0.05f};
  up.palm = {-0.1f, 0, 1};
  up.elbow = {1, -0.2f, 0.1f};
  up.clavicle_up = 0.45f;
  for (Side side : kBoth) {
    s.Arm(side, 0.12, 0.78, up, HandShape::kCount5, 0.7f);
    Reach pump = up;
    pump.wrist.y -= 0.070f;
    s.Arm(side, 1.15, 1.38, pump, HandShape::kCount5, 0);
    s.Arm(side, 1.40, 1.66, up, HandShape::kCount5, 0.3f);
    s.ArmHome(side, 2.55, 3.25);
  }
  StayTrunk(s, {0.15, 0.8, 2.5, 3.2}, {-6, 0, 0});
  StayLook(s, {0.2, 0.85, 2.45, 3.2}, {-14, 0, 0});
  StaySmile(s, {0.2, 0.7, 2.5, 3.2}, 0.85f);
  StayPair(s, "mouthUpperUp", {0.2, 0.7, 2.4, 3.0}, 0.3f);
  StayShape(s, "jawOpen", {0.2, 0.7, 2.3, 2.9}, 0.22f);
  StayBrows(s, {0.2, 0.6, 2.0, 2.8}, 0.45f);
  return 3.65;
}

// A fist goes up and pulls down: it worked.
double Success(Script& s) {
  Reach up;
  up.wrist = {0.285f, 1.525f, 0.255f};
  up.fingers = {-0.05f, 1, 0.15f};
  up.palm = {-0.75f, 0, -0.65f};
  up.elbow = {0.7f, -1, 0.1f};
  up.clavicle_up = 0.12f;
  Reach down = up;
  down.wrist = {0.255f, 1.215f, 0.200f};
  down.fingers = {-0.25f, 0.55f, 0.9f};
  down.palm = {-0.75f, 0.55f, -0.5f};
  down.elbow = {0.35f, -1, -1};
  s.Arm(Side::kRight, 0.06, 0.46, up, HandShape::kFist);
  s.Arm(Side::kRight, 0.52, 0.74, down, HandShape::kFist, 1.2f);
  s.ArmHome(Side::kRight, 1.35, 1.90);
  s.Turn(Run::kPelvisShift, 0.1, 0.5, {0, 0, 0.005f}, 0);
  s.Turn(Run::kPelvisShift, 0.5, 0.76, {0, -0.035f, 0}, 0.05f);
  s.Turn(Run::kPelvisShift, 1.1, 1.7, {0, 0, 0}, 0);
  StayTrunk(s, {0.5, 0.76, 1.2, 1.8}, {9, 5, 0});
  s.Look(0.1, 0.45, {-6, 0, 0});
  s.Look(0.5, 0.76, {9, 0, 0});
  s.Look(1.25, 1.8, {0, 0, 0});
  StaySmile(s, {0.3, 0.6, 1.4, 1.9}, 0.8f);
  StayPair(s, "eyeSquint", {0.4, 0.7, 1.0, 1.4}, 0.6f);
  StayShape(s, "jawOpen", {0.4, 0.65, 0.95, 1.4}, 0.2f);
  return 2.3;
}

// On the one hand; on the other.
double PresentingOptions(Script& s) {
  Reach open;
  open.wrist = {0.440f, 1.165f, 0.290f};
  open.fingers = {0.70f, 0.15f, 0.75f};
  open.palm = {-0.15f, 1, 0.15f};
  open.elbow = {0.5f, -1, -0.5f};
  Reach weigh = open;
  weigh.wrist.y -= 0.050f;
  s.Arm(Side::kRight, 0.08, 0.58, open, HandShape::kOpen);
  s.Arm(Side::kLeft, 1.00, 1.50, open, HandShape::kOpen);
  // One is weighed against the other.
  s.Arm(Side::kRight, 1.85, 2.12, weigh, HandShape::kOpen, 0.2f);
  s.Arm(Side::kRight, 2.14, 2.42, open, HandShape::kOpen, 0.2f);
  s.Arm(Side::kLeft, 2.14, 2.42, weigh, HandShape::kOpen, 0.2f);
  for (Side side : kBoth) s.ArmHome(side, 2.75, 3.35);
  s.Look(0.15, 0.6, {6, -24, 4});
  s.Look(1.05, 1.5, {6, 24, -4});
  s.Look(1.85, 2.2, {-1, 0, 5});
  s.Look(2.7, 3.3, {0, 0, 0});
  s.Turn(Run::kThorax, 0.1, 0.6, {1, -7, 2});
  s.Turn(Run::kThorax, 1.0, 1.5, {1, 7, -2});
  s.Turn(Run::kThorax, 1.85, 2.3, {0, 0, 0});
  StayBrows(s, {1.75, 2.1, 2.6, 3.1}, 0.5f);
  return 3.75;
}

constexpr Recipe kRecipes[] = {{"goodbye", Goodbye},
                               {"welcome", Welcome},
                               {"personal_statement", PersonalStatement},
                               {"come_here", ComeHere},
                               {"fistbump_offer", FistbumpOffer},
                               {"raise_both_arms", RaiseBothArms},
                               {"success", Success},
                               {"presenting_options", PresentingOptions}};

}  // namespace

absl::Span<const Recipe> GreetRecipes() { return kRecipes; }

}  // namespace posewire::gesture
