// Interpolates between two keys of a track.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_KEY_BETWEEN_H_
#define POSEWIRE_TOOLS_ANIMCLIP_KEY_BETWEEN_H_

#include <algorithm>

#include "libs/skel/math.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::animclip {

// Time codes closer than this are the same instant.
inline constexpr double kSameInstant_s = 1e-6;

// At `t` from 0 to 1 between a and b: rotations the short way round, everything else linearly.
inline float Between(float a, float b, float t) { return a + (b - a) * t; }

inline nvidia_ace::animation_data::v1::Float3 Between(
    const nvidia_ace::animation_data::v1::Float3& a,
    const nvidia_ace::animation_data::v1::Float3& b, float t) {
  nvidia_ace::animation_data::v1::Float3 out;
  out.set_x(Between(a.x(), b.x(), t));
  out.set_y(Between(a.y(), b.y(), t));
  out.set_z(Between(a.z(), b.z(), t));
  return out;
}

// An all-zero value counts as no rotation.
inline skel::Quat ToQuat(const nvidia_ace::animation_data::v1::QuatF& q) {
  return skel::Normalized(skel::Quat{q.real(), q.i(), q.j(), q.k()});
}

inline void Set(const skel::Vec3& v, nvidia_ace::animation_data::v1::Float3* to) {
  to->set_x(v.x), to->set_y(v.y), to->set_z(v.z);
}

inline void Set(const skel::Quat& q, nvidia_ace::animation_data::v1::QuatF* to) {
  to->set_real(q.w), to->set_i(q.x), to->set_j(q.y), to->set_k(q.z);
}

inline nvidia_ace::animation_data::v1::QuatF FromQuat(const skel::Quat& q) {
  nvidia_ace::animation_data::v1::QuatF out;
  Set(q, &out);
  return out;
}

inline nvidia_ace::animation_data::v1::QuatF Between(const nvidia_ace::animation_data::v1::QuatF& a,
                                                     const nvidia_ace::animation_data::v1::QuatF& b,
                                                     float t) {
  return FromQuat(skel::Normalized(skel::Slerp(ToQuat(a), ToQuat(b), t)));
}

// The same for whole keys, with one value or many. The caller sets the time code.
template <typename Key>
Key KeyBetween(const Key& a, const Key& b, float t) {
  Key out;
  if constexpr (requires { a.values(0); }) {
    for (int i = 0; i < std::min(a.values_size(), b.values_size()); ++i) {
      out.mutable_values()->Add(Between(a.values(i), b.values(i), t));
    }
  } else if constexpr (requires { out.mutable_value(); }) {
    *out.mutable_value() = Between(a.value(), b.value(), t);
  } else {
    out.set_value(Between(a.value(), b.value(), t));
  }
  return out;
}

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_KEY_BETWEEN_H_
