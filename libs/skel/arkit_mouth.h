// The two definitions of the face shape mouthClose. Apple's (ARKit) brings the lips together and
// leaves the jaw to jawOpen. ACE's, used in streams and by our own avatar, includes the opening of
// the jaw: with J the offsets of jawOpen and C those of Apple's mouthClose, ACE's are C + k J.
// Equal faces therefore have the same mouthClose, and their jawOpen weights differ by k *
// mouthClose. In ACE's weights, jawOpen is how far the lips are apart, and both shapes lower the
// jaw.
#ifndef POSEWIRE_LIBS_SKEL_ARKIT_MOUTH_H_
#define POSEWIRE_LIBS_SKEL_ARKIT_MOUTH_H_

namespace posewire::skel {

// Returns Apple's jawOpen from ACE's weights. `jaw_share` is k. The result is not clamped, because
// that could not be undone; clamp at the last consumer.
constexpr float ArkitJawOpen(float ace_jaw_open, float mouth_close, float jaw_share = 1) {
  return ace_jaw_open + jaw_share * mouth_close;
}

// The inverse. Below 0 if Apple's lips are closed further than the jaw is open.
constexpr float AceJawOpen(float arkit_jaw_open, float mouth_close, float jaw_share = 1) {
  return arkit_jaw_open - jaw_share * mouth_close;
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_ARKIT_MOUTH_H_
