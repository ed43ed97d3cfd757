/* pool.c -- tasks on GLib's GThreadPool: what runs parallel loops unless the host replaces it.
 *
 * One pool serves the process.  A caller puts its tasks' state, a Crew, into the pool's queue once
 * for each helper that it could use, and begins with the tasks itself; whoever comes takes the next
 * one.  The caller waits only for tasks that a helper has begun, never for a helper that has not
 * come: so callers cannot deadlock, whatever calls whom and however busy the machine is, and a
 * helper that comes late finds nothing to do and goes.  The Crew lives until the last of them has
 * seen it.  Where helpers are far behind, as on a busy machine in a sequence of short loops, none
 * are asked, so that the queue stays short.
 *
 * Who waits, a helper for the next loop or the caller for its helpers, looks for what it waits for
 * a while before it sleeps, about as long as waking takes: some 50 us where the processor has gone
 * to sleep, too.  Between two looks it lets go of the processor, so that on a busy machine it takes
 * nobody's time.
 *
 * In a child after fork() there are no helpers; the caller does all the tasks.
 */
#include "runtime/pool.h"

#include <glib.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* GLib synchronises by futexes that ThreadSanitizer does not see. */
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define HAND_OVER(address) __tsan_release(address)
#define TAKE_OVER(address) __tsan_acquire(address)
#else
#define HAND_OVER(address) ((void)(address))
#define TAKE_OVER(address) ((void)(address))
#endif

enum { QUEUED_PER_HELPER = 64, WAKING_NS = 50000 };

typedef struct Crew {
    hlc_task *task;
    void *state;
    int64_t count;
    _Atomic int64_t next;       /* the first task that nobody has taken */
    _Atomic int64_t unfinished; /* tasks */
    _Atomic int members;        /* the caller, and helpers that came or may come */
    pthread_mutex_t lock;
    pthread_cond_t finished;
} Crew;

/* The process-wide pool, made by the first loop that needs it. */
static struct {
    pthread_mutex_t lock;
    GThreadPool *threads;
    int size;
    _Atomic int64_t queued; /* crews in the queue, each as often as it wants helpers */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void leave(Crew *crew) {
    if (atomic_fetch_sub(&crew->members, 1) > 1)
        return;
    pthread_cond_destroy(&crew->finished);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

static void work(Crew *crew) {
    int64_t mine;
    while ((mine = atomic_fetch_add(&crew->next, 1)) < crew->count) {
        crew->task(crew->state, mine);
        if (atomic_fetch_sub(&crew->unfinished, 1) > 1)
            continue;
        pthread_mutex_lock(&crew->lock);
        pthread_cond_signal(&crew->finished);
        pthread_mutex_unlock(&crew->lock);
    }
}

static int64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Looks for a while whether `number` is what is waited for: 0, or anything but 0. */
static void look_for(_Atomic int64_t *number, bool zero) {
    int64_t end = nanoseconds() + WAKING_NS;
    while ((atomic_load(number) == 0) != zero && nanoseconds() < end)
        sched_yield();
}

static void help(gpointer data, gpointer unused) {
    Crew *crew = data;
    (void)unused;
    TAKE_OVER(crew);
    atomic_fetch_sub(&pool.queued, 1);
    work(crew);
    leave(crew);
    look_for(&pool.queued, false);
}

/* The pool with at least `helpers` threads, which take no signals of the host's.  It never shrinks:
 * how many help in one loop is the number of times that its crew is put into the queue. */
static GThreadPool *threads_for(int helpers) {
    pthread_mutex_lock(&pool.lock);
    if (pool.size < helpers) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (pool.threads)
            g_thread_pool_set_max_threads(pool.threads, helpers, NULL);
        else
            pool.threads = g_thread_pool_new(help, NULL, helpers, TRUE, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pool.size = helpers;
    }
    GThreadPool *threads = pool.threads;
    pthread_mutex_unlock(&pool.lock);
    return threads;
}

/* Crews wait in the queue that no helper has come to, some of them long done. */
static int helpers_are_behind(GThreadPool *threads) {
    return g_thread_pool_unprocessed(threads) >=
           (guint)g_thread_pool_get_max_threads(threads) * QUEUED_PER_HELPER;
}

static void wait_for_helpers(Crew *crew) {
    look_for(&crew->unfinished, true);
    if (atomic_load(&crew->unfinished) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    while (atomic_load(&crew->unfinished) > 0)
        pthread_cond_wait(&crew->finished, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void hlc_pool_run(hlc_task *task, void *state, int64_t count) {
    int helpers = hlc_thread_count() - 1;
    helpers = count - 1 < helpers ? (int)(count - 1) : helpers;
    GThreadPool *threads = helpers > 0 ? threads_for(helpers) : NULL;
    Crew *crew = threads && !helpers_are_behind(threads) ? malloc(sizeof *crew) : NULL;
    if (!crew) {
        for (int64_t i = 0; i < count; i++)
            task(state, i);
        return;
    }
    *crew = (Crew){.task = task, .state = state, .count = count};
    atomic_init(&crew->next, 0);
    atomic_init(&crew->unfinished, count);
    atomic_init(&crew->members, helpers + 1);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->finished, NULL);
    HAND_OVER(crew);
    atomic_fetch_add(&pool.queued, helpers);
    for (int i = 0; i < helpers; i++)
        g_thread_pool_push(threads, crew, NULL);
    work(crew);
    wait_for_helpers(crew);
    leave(crew);
}
