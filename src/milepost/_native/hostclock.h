/* Clocks of this machine's threads. In: a pthread. Out: its kernel id, CPU time and time spent waiting for a core.
 *
 * A sampler must tell a thread that computes from one that sleeps and from one that is ready but has no core; the
 * kernel counts all three. Elsewhere than on Linux the counts are not there and -1 says so. */
#ifndef MILEPOST_HOSTCLOCK_H
#define MILEPOST_HOSTCLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(_WIN32)
#include <windows.h>
static int64_t mp_mono_ns(void) {
    LARGE_INTEGER f, c;
    QueryPerformanceFrequency(&f);
    QueryPerformanceCounter(&c);
    return (int64_t)((double)c.QuadPart * 1e9 / (double)f.QuadPart);
}
static void mp_sleep_until(int64_t deadline) {
    int64_t left = deadline - mp_mono_ns();
    if (left > 0) Sleep((DWORD)((left + 999999) / 1000000));
}
#else
static int64_t mp_mono_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void mp_sleep_until(int64_t deadline) {
    int64_t left = deadline - mp_mono_ns();
    if (left <= 0) return;
    struct timespec t = {(time_t)(left / 1000000000LL), (long)(left % 1000000000LL)};
    nanosleep(&t, 0); /* a signal may cut it short: one early sample does no harm */
}
#endif

#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RUSAGE_THREAD */
#endif
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef RUSAGE_THREAD
#define RUSAGE_THREAD 1
#endif
/* How often the calling thread gave up its core by itself, to wait for something. */
static int64_t mp_blocked(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? -1 : (int64_t)usage.ru_nvcsw;
}

/* The kernel's id of a live thread, taken from its CPU clock's name: ((~tid) << 3) | 6. */
static int64_t mp_kernel_id(unsigned long thread) {
    clockid_t clock;
    if (pthread_getcpuclockid((pthread_t)thread, &clock)) return -1;
    return (int64_t)(uint32_t)(~(clock >> 3));
}
static int64_t mp_thread_cpu_ns(int64_t kernel_id) {
    struct timespec t;
    clockid_t clock = (clockid_t)((~(int32_t)kernel_id) << 3 | 6);
    if (clock_gettime(clock, &t)) return -1;
    return (int64_t)t.tv_sec * 1000000000LL + t.tv_nsec;
}
static int mp_open_schedstat(int64_t kernel_id) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%lld/schedstat", (long long)kernel_id);
    return open(path, O_RDONLY | O_CLOEXEC);
}
/* "run_ns wait_ns slices": the second, time spent runnable without a core. */
static int64_t mp_waited_ns(int fd) {
    char text[96];
    char *next;
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0) return -1;
    text[n] = 0;
    strtoull(text, &next, 10);
    return (int64_t)strtoull(next, 0, 10);
}
static void mp_close(int fd) {
    if (fd >= 0) close(fd);
}
/* CPU time of the whole process without the calling thread's. */
static int64_t mp_others_cpu_ns(void) {
    struct timespec all, own;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all) || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own)) return -1;
    return ((int64_t)all.tv_sec - own.tv_sec) * 1000000000LL + all.tv_nsec - own.tv_nsec;
}
#else
static int64_t mp_blocked(void) { return -1; }
static int64_t mp_others_cpu_ns(void) { return -1; }
static int64_t mp_kernel_id(unsigned long thread) { return (int64_t)(thread & 0x7fffffff); }
static int64_t mp_thread_cpu_ns(int64_t kernel_id) { (void)kernel_id; return -1; }
static int mp_open_schedstat(int64_t kernel_id) { (void)kernel_id; return -1; }
static int64_t mp_waited_ns(int fd) { (void)fd; return -1; }
static void mp_close(int fd) { (void)fd; }
#endif
#endif
