// Filters of second order for 16 kHz audio, by Robert Bristow-Johnson's "Audio EQ Cookbook".
#ifndef POSEWIRE_LIBS_SPEECH_BIQUAD_H_
#define POSEWIRE_LIBS_SPEECH_BIQUAD_H_

#include <cmath>
#include <numbers>

namespace posewire::speech {

// A Butterworth filter, 12 dB an octave. One thread.
class Biquad {
 public:
  static Biquad LowPass(double cut_hz) { return Biquad(cut_hz, 1); }
  static Biquad HighPass(double cut_hz) { return Biquad(cut_hz, -1); }

  double Step(double sample) {
    const double out = b0_ * sample + b1_ * in1_ + b0_ * in2_ - a1_ * out1_ - a2_ * out2_;
    in2_ = in1_;
    in1_ = sample;
    out2_ = out1_;
    out1_ = out;
    return out;
  }

 private:
  Biquad(double cut_hz, double side) {
    const double w = 2 * std::numbers::pi * cut_hz / 16000;
    const double cosine = std::cos(w);
    const double alpha = std::sin(w) / std::numbers::sqrt2;
    const double a0 = 1 + alpha;
    b1_ = side * (1 - side * cosine) / a0;
    b0_ = side * b1_ / 2;
    a1_ = -2 * cosine / a0;
    a2_ = (1 - alpha) / a0;
  }

  double b0_, b1_, a1_, a2_;
  double in1_ = 0, in2_ = 0, out1_ = 0, out2_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_BIQUAD_H_
