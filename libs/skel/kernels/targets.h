// Which instruction sets the kernels are made for, and the rules that all kernels keep. Every
// kernel's .cc includes this before Highway.
//
// Highway chooses the best of these once, at run time; a plain x86-64 build runs AVX2 code where
// the CPU has it. Results are the same bits on every one of them: each element is worked out by
// itself, in one order, with sums, products, quotients and square roots, which IEEE 754 rounds in
// one way. So no kernel uses a fused multiply-add, an estimate of a reciprocal or a sum across
// lanes, and these files are compiled with -ffp-contract=off.
#ifndef POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_
#define POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_

// Those whose vectors have no size at compile time, and those that add nothing to their neighbours.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#endif  // POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_
