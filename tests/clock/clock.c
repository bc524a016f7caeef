// Preloaded into a server, it lets a test set the server's clock: the wall clock is what stands in the file that LEAT_CLOCK
// names, in microseconds, shared with the test. Monotonic clocks are left alone, so that the server's own loop goes on.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t* shared_clock(void) {
    static volatile int64_t* clock = NULL;
    static int tried = 0;
    if (!tried) {
        tried = 1;
        const char* path = getenv("LEAT_CLOCK");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (file >= 0) {
            void* mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
            clock = mapped == MAP_FAILED ? NULL : mapped;
            close(file);
        }
    }
    return clock;
}

int clock_gettime(clockid_t which, struct timespec* now) {
    volatile int64_t* clock = shared_clock();
    if (clock && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
        int64_t micros = *clock;
        now->tv_sec = micros / 1000000;
        now->tv_nsec = micros % 1000000 * 1000;
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, which, now);
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t* where) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (where) {
        *where = precise.tv_sec;
    }
    return precise.tv_sec;
}
