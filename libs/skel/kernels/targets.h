// The instruction sets for which the kernels are built, and the rules for all kernels. Every
// kernel's .cc includes this before Highway.
//
// Highway chooses the best instruction set once, at run time; a plain x86-64 build runs AVX2 code
// if the CPU has it. Results are bit-identical on all of them: each element is computed separately,
// in one order, with sums, products, quotients and square roots, whose rounding IEEE 754 defines
// uniquely. Therefore kernels use no fused multiply-add, no reciprocal estimate and no sum across
// lanes, and these files are compiled with -ffp-contract=off.
#ifndef POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_
#define POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_

// Targets whose vector size is unknown at compile time, and targets without benefit over others.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#endif  // POSEWIRE_LIBS_SKEL_KERNELS_TARGETS_H_
