// Describes the order of a reactor's callbacks to ThreadSanitizer, because Debian's gRPC is not
// instrumented. Use POSEWIRE_ENTER_CALLBACK first in each callback, and POSEWIRE_BEFORE_START
// before each operation.
#ifndef POSEWIRE_LIBS_RPC_REACTOR_ORDER_H_
#define POSEWIRE_LIBS_RPC_REACTOR_ORDER_H_

#if defined(__SANITIZE_THREAD__)
#define POSEWIRE_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define POSEWIRE_TSAN
#endif
#endif
#ifdef POSEWIRE_TSAN
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#define POSEWIRE_ENTER_CALLBACK() __tsan_acquire(this)
#define POSEWIRE_BEFORE_START() __tsan_release(this)
#else
#define POSEWIRE_ENTER_CALLBACK() (void)0
#define POSEWIRE_BEFORE_START() (void)0
#endif

#endif  // POSEWIRE_LIBS_RPC_REACTOR_ORDER_H_
