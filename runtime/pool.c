/* pool.c -- runs tasks on a pool of threads: the default parallel-for.
 *
 * One pool serves the process. Its threads are the helpers. A caller puts the state of its tasks, a
 * Crew, into the pool's queue, with the number of helpers that it could use. Then it starts with
 * the tasks itself. The caller and the helpers take the next task in turn. When no task is left,
 * the caller removes the crew from the queue. So the queue holds at most one crew a caller.
 *
 * The caller waits only for tasks that a helper has begun, never for a helper that has not arrived.
 * So callers cannot deadlock, however they call each other, and however busy the machine is. A
 * helper may arrive and find no task, and leave after the caller has returned. The crew lives until
 * its last member leaves.
 *
 * A waiting thread (a helper for the next loop, or the caller for its helpers) polls before it
 * sleeps. It polls for about as long as a wake-up takes: some 50 us if the processor has also gone
 * to sleep. Between two polls it yields the processor, so on a busy machine it takes no time from
 * others.
 *
 * fork() copies only the calling thread. A child has an empty pool, and makes its own helpers.
 * fork() runs with the pool's lock held, so no other thread holds it in the copy.
 */
#include "runtime/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WAKING_NS = 50000, MOST_THREADS = 1024 };

/* ---- the number of threads ---- */

static _Atomic int wanted_threads;     /* 0: the default */
static _Thread_local int call_threads; /* of the call in progress in this thread; 0: none */
static _Atomic int default_threads;    /* 0: not looked up yet */

/* Returns HLC_NUM_THREADS if it is a number from 1 to MOST_THREADS, else the number of processors
 * available to this process. */
static int look_up_threads(void) {
    const char *text = getenv("HLC_NUM_THREADS");
    char *end;
    long count = text ? strtol(text, &end, 10) : 0;
    if (text && end != text && *end == 0 && count >= 1 && count <= MOST_THREADS)
        return (int)count;
    cpu_set_t set;
    count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                        : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (int)count;
}

int hlc_thread_count(void) {
    int count = call_threads ? call_threads : atomic_load(&wanted_threads);
    if (count == 0)
        count = atomic_load(&default_threads);
    if (count == 0) {
        count = look_up_threads();
        atomic_store(&default_threads, count);
    }
    return count;
}

int hlc_pool_set_call_threads(int count) {
    int before = call_threads;
    call_threads = count < 0 ? 0 : count > MOST_THREADS ? MOST_THREADS : count;
    return before;
}

int hlc_set_thread_count(int count) {
    count = count < 0 ? 0 : count > MOST_THREADS ? MOST_THREADS : count;
    return atomic_exchange(&wanted_threads, count);
}

/* ---- one crew ---- */

typedef struct Crew {
    hlc_task *task;
    void *state;
    int64_t count;
    _Atomic int64_t next;       /* the first task not yet taken */
    _Atomic int64_t unfinished; /* tasks */
    _Atomic int members;        /* the caller, and helpers that have not left */
    pthread_mutex_t lock;
    pthread_cond_t finished;
    int wanted;         /* helpers that may still arrive; positive while in the queue */
    struct Crew *later; /* in the queue */
} Crew;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Crew *queue; /* the first one wants the next helper */
    int helpers, asleep;
    _Atomic int64_t wanted; /* the sum over the queue */
} pool = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, .wake = PTHREAD_COND_INITIALIZER};

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

/* Polls for a while until `number` is 0 or, without `zero`, is not 0. */
static void look_for(_Atomic int64_t *number, bool zero) {
    int64_t end = nanoseconds() + WAKING_NS;
    while ((atomic_load(number) == 0) != zero && nanoseconds() < end)
        sched_yield();
}

/* ---- the queue; the caller holds the pool's lock ---- */

static void put_into_queue(Crew *crew, int wanted) {
    Crew **end = &pool.queue;
    while (*end)
        end = &(*end)->later;
    *end = crew;
    crew->wanted = wanted;
    atomic_fetch_add(&pool.wanted, wanted);
}

static void take_out_of_queue(Crew *crew) {
    Crew **link = &pool.queue;
    while (*link != crew)
        link = &(*link)->later;
    *link = crew->later;
    atomic_fetch_sub(&pool.wanted, crew->wanted);
    crew->wanted = 0;
}

/* Joins the crew that has waited longest; null if none waits. */
static Crew *join_crew(void) {
    Crew *crew = pool.queue;
    if (!crew)
        return NULL;
    atomic_fetch_add(&crew->members, 1);
    if (crew->wanted == 1) {
        take_out_of_queue(crew);
    } else {
        crew->wanted--;
        atomic_fetch_sub(&pool.wanted, 1);
    }
    return crew;
}

/* ---- helpers ---- */

static void *help(void *unused) {
    for (;;) {
        look_for(&pool.wanted, false);
        pthread_mutex_lock(&pool.lock);
        Crew *crew;
        while (!(crew = join_crew())) {
            pool.asleep++;
            pthread_cond_wait(&pool.wake, &pool.lock);
            pool.asleep--;
        }
        pthread_mutex_unlock(&pool.lock);
        work(crew);
        leave(crew);
    }
    return unused;
}

static void before_fork(void) {
    pthread_mutex_lock(&pool.lock);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&pool.lock);
}

/* The queued crews belong to threads that do not exist in the child. */
static void after_fork_in_child(void) {
    pool.queue = NULL;
    pool.helpers = pool.asleep = 0;
    atomic_store(&pool.wanted, 0);
    pool.wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pthread_mutex_unlock(&pool.lock);
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Makes helpers until there are `wanted`, or the system refuses. They block the host's signals. The
 * pool never shrinks. The caller holds the pool's lock. */
static void make_helpers(int wanted) {
    if (pool.helpers >= wanted)
        return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    while (pool.helpers < wanted && pthread_create(&thread, NULL, help, NULL) == 0) {
        pthread_detach(thread);
        pool.helpers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the caller ---- */

/* Puts the crew into the queue, for `helpers` helpers, or as many as exist. */
static void call_helpers(Crew *crew, int helpers) {
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
    pthread_mutex_lock(&pool.lock);
    make_helpers(helpers);
    helpers = helpers < pool.helpers ? helpers : pool.helpers;
    if (helpers > 0)
        put_into_queue(crew, helpers);
    int woken = helpers < pool.asleep ? helpers : pool.asleep;
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < woken; i++)
        pthread_cond_signal(&pool.wake);
}

static void call_off(Crew *crew) {
    pthread_mutex_lock(&pool.lock);
    if (crew->wanted > 0)
        take_out_of_queue(crew);
    pthread_mutex_unlock(&pool.lock);
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
    Crew *crew = helpers > 0 ? malloc(sizeof *crew) : NULL;
    if (!crew) {
        for (int64_t i = 0; i < count; i++)
            task(state, i);
        return;
    }
    *crew = (Crew){.task = task, .state = state, .count = count};
    atomic_init(&crew->next, 0);
    atomic_init(&crew->unfinished, count);
    atomic_init(&crew->members, 1);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->finished, NULL);
    call_helpers(crew, helpers);
    work(crew);
    call_off(crew);
    wait_for_helpers(crew);
    leave(crew);
}
