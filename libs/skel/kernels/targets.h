// Which instruction sets the kernels are built for, and the rules that all kernels follow. Every
// kernel's .cc includes this before Highway.
//
// Highway chooses the best of these once, at run time; a plain x86-64 build runs AVX2 code if the
// CPU has it. Results have the same bits on all of them: each element is computed by itself, in one
// order, with sums, products, quotients and square roots, which IEEE 754 rounds in only one way. So
// no kernel uses a fused multiply-add, a reciprocal estimate or a sum across lanes, and these files
// are compiled with -ffp-contract=off.
#ifndef POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_
#define POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_

// Those whose vectors have no size at compile time, and those that add nothing to their neighbours.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#endif  // POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_
