// The jobs on poses beside those of ozz-animation, on the same poses of the same rig.
//
// Each round times every job of ours and ozz's one right after the other, and who comes first
// changes from round to round: the ratio is the median of the rounds' own, so that a drift of the
// machine does not reach it; times are the least. Before anything is timed both must say the same,
// as near as ozz's estimated square roots allow. ozz's poses have no shapes: "with shapes" is what
// we do of the whole rig against what ozz does of its joints alone.
#ifndef POSEWIRE_TESTS_BENCH_NEXT_TO_OZZ_COMPARISON_H_
#define POSEWIRE_TESTS_BENCH_NEXT_TO_OZZ_COMPARISON_H_

namespace posewire::bench {

// Prints the table, ours on the instruction set that is chosen. Ends the program, saying why, when
// the two do not agree.
void CompareWithOzz(int rounds);

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_NEXT_TO_OZZ_COMPARISON_H_
