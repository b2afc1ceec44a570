#include "libs/gesture/stay.h"

#include "absl/strings/str_cat.h"

namespace posewire::gesture {

void StayShape(Script& s, absl::string_view shape, const Stay& t, float weight) {
  s.Shape(shape, t.t0, t.t1, weight);
  s.Shape(shape, t.t2, t.t3, 0);
}

void StayPair(Script& s, absl::string_view shape, const Stay& t, float weight) {
  StayShape(s, absl::StrCat(shape, "Left"), t, weight);
  StayShape(s, absl::StrCat(shape, "Right"), t, weight);
}

void StayBrows(Script& s, const Stay& t, float weight) {
  StayShape(s, "browInnerUp", t, weight);
  StayPair(s, "browOuterUp", t, weight);
}

void StaySmile(Script& s, const Stay& t, float weight) {
  StayPair(s, "mouthSmile", t, weight);
  StayPair(s, "cheekSquint", t, weight * 0.5f);
}

void StayLook(Script& s, const Stay& t, skel::Vec3 degrees) {
  s.Look(t.t0, t.t1, degrees, 0.03f);
  s.Look(t.t2, t.t3, {0, 0, 0}, 0.03f);
}

void StayTrunk(Script& s, const Stay& t, skel::Vec3 degrees) {
  for (Run run : {Run::kThorax, Run::kLumbar}) {
    s.Turn(run, t.t0, t.t1, degrees * 0.5f, 0.03f);
    s.Turn(run, t.t2, t.t3, {0, 0, 0}, 0.03f);
  }
}

}  // namespace posewire::gesture
