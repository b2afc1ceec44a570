// Comparison of poses: presence alike, and of what is present the values.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SAME_POSE_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SAME_POSE_H_

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/skel/pose.h"

namespace posewire::skel {

// What of `a` and `b` differs by more than `most`, "" for nothing; 0 asks for the same bits, a NaN
// is never right.
inline std::string Difference(const PoseView& a, const PoseView& b, float most) {
  const auto differ = [most](float x, float y) { return !(std::fabs(x - y) <= most); };
  for (int j = 0; j < a.joints; ++j) {
    if (a.has_t[j] != b.has_t[j] || a.has_r[j] != b.has_r[j] || a.has_s[j] != b.has_s[j]) {
      return absl::StrCat("presence of joint ", j);
    }
    const Vec3 t = a.translation(j), u = b.translation(j), s = a.scale(j), v = b.scale(j);
    const Quat q = a.rotation(j), p = b.rotation(j);
    if (a.has_t[j] && (differ(t.x, u.x) || differ(t.y, u.y) || differ(t.z, u.z))) {
      return absl::StrCat("translation of joint ", j, ": ", t.x, " ", u.x);
    }
    if (a.has_r[j] &&
        (differ(q.w, p.w) || differ(q.x, p.x) || differ(q.y, p.y) || differ(q.z, p.z))) {
      return absl::StrCat("rotation of joint ", j, ": ", q.w, " ", p.w);
    }
    if (a.has_s[j] && (differ(s.x, v.x) || differ(s.y, v.y) || differ(s.z, v.z))) {
      return absl::StrCat("scale of joint ", j, ": ", s.x, " ", v.x);
    }
  }
  for (int s = 0; s < a.shapes; ++s) {
    if (a.has_w[s] != b.has_w[s]) return absl::StrCat("presence of shape ", s);
    if (a.has_w[s] && differ(a.weights[s], b.weights[s])) {
      return absl::StrCat("weight of shape ", s, ": ", a.weights[s], " ", b.weights[s]);
    }
  }
  return "";
}

}  // namespace posewire::skel

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SAME_POSE_H_
