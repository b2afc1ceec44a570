// What film characters cost a picture: decoding offsets, skinning with them, normals, subdivision.
//
// The built-in woman plays two seconds with muscles, belly and smoothing; her offsets are decoded
// and drawn by the way that `renderer_sink render` goes. All characters play apart from each other,
// shared among threads; each step is timed alone, too, on one core, beside a copy of as many bytes
// as it reads and writes.
#ifndef POSEWIRE_TESTS_BENCH_FILM_FILM_MEASURES_H_
#define POSEWIRE_TESTS_BENCH_FILM_FILM_MEASURES_H_

namespace posewire {

// Prints tables; the exit code. `seconds` of all characters together.
int RunFilm(int characters, int threads, double seconds);

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_FILM_FILM_MEASURES_H_
