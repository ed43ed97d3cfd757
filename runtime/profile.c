/* profile.c -- samples what the threads of profiled pipelines compute.
 *
 * Profiled code stores the address of a site in the word of its thread, at the beginning of each
 * stage. That is all that it pays for. A thread of this file, the sampler, reads the words of all
 * threads at random times, on average once a period. Random times, because a period could be that
 * of a loop.
 *
 * The word of a thread lives in a record, made at the thread's first use. The records of all
 * threads form a list. When its thread ends, a record serves the next new thread: the list has as
 * many as there were threads at once.
 *
 * The sampler reads a word and counts at its site with the lock held. A call takes the lock before
 * it returns. So a site is never used after the call that it belongs to, and the code may be
 * unloaded then. A word without a counted call in progress is not counted.
 *
 * A sample is a point of the time of each call in progress. The threads that compute share it. If
 * none does, the callers that wait for a parallel loop share it. So the shares of all sites add up
 * to the time.
 *
 * profile_report.c reads the counters. fork() copies only the calling thread. A child has no sampler, and no thread but its own.
 */
#include "runtime/profile.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { PERIOD_NS = 2000000, LEAST_PERIOD_NS = 10000 };

typedef struct ThreadRecord {
    hlc_profile_site *word; /* accessed atomically */
    hlc_profile_site *seen; /* in the sample being taken */
    struct ThreadRecord *next;
    bool is_free;
} ThreadRecord;

static struct {
    pthread_mutex_t lock;
    ThreadRecord *threads;
    pthread_t sampler;
    int users;
    _Atomic int64_t period; /* 0: no sampler runs */
} sampling = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t record_key; /* its destructor runs at a thread's end */
static _Thread_local ThreadRecord *own;

/* ---- the records ---- */

static void release_record(void *record) {
    pthread_mutex_lock(&sampling.lock);
    ((ThreadRecord *)record)->is_free = true;
    pthread_mutex_unlock(&sampling.lock);
}

static void before_fork(void) {
    pthread_mutex_lock(&sampling.lock);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&sampling.lock);
}

static void after_fork_in_child(void) {
    for (ThreadRecord *record = sampling.threads; record; record = record->next) {
        record->is_free |= record != own;
        if (record->is_free)
            __atomic_store_n(&record->word, NULL, __ATOMIC_RELAXED);
    }
    sampling.users = 0;
    atomic_store(&sampling.period, 0);
    pthread_mutex_unlock(&sampling.lock);
}

static void prepare(void) {
    pthread_key_create(&record_key, release_record);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static ThreadRecord *find_free(void) {
    ThreadRecord *record = sampling.threads;
    while (record && !record->is_free)
        record = record->next;
    return record;
}

static ThreadRecord *make_record(void) {
    pthread_once(&prepared, prepare);
    pthread_mutex_lock(&sampling.lock);
    ThreadRecord *record = find_free();
    if (!record && (record = calloc(1, sizeof *record))) {
        record->next = sampling.threads;
        sampling.threads = record;
    }
    if (record)
        record->is_free = false;
    pthread_mutex_unlock(&sampling.lock);
    if (record)
        pthread_setspecific(record_key, record);
    return record;
}

/* Without memory for a record, the thread is not sampled. */
hlc_profile_site **hlc_profile_word(void) {
    static _Thread_local hlc_profile_site *unsampled;
    if (!own)
        own = make_record();
    return own ? &own->word : &unsampled;
}

/* ---- a call ---- */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void hlc_profile_enter(hlc_profile_call *call, hlc_profile_site *site) {
    hlc_profile_site **word = hlc_profile_word();
    *call = (hlc_profile_call){.around = __atomic_load_n(word, __ATOMIC_RELAXED)};
    if (atomic_load(&sampling.period)) {
        pthread_mutex_lock(&sampling.lock);
        site->profile->active++;
        pthread_mutex_unlock(&sampling.lock);
        call->begin = now();
    }
    __atomic_store_n(word, site, __ATOMIC_RELAXED);
}

void hlc_profile_leave(hlc_profile_call *call, hlc_profile_site *site) {
    int64_t end = call->begin ? now() : 0;
    __atomic_store_n(hlc_profile_word(), call->around, __ATOMIC_RELAXED);
    if (!call->begin)
        return;
    pthread_mutex_lock(&sampling.lock);
    site->profile->active--;
    site->profile->calls++;
    site->profile->nanoseconds += end - call->begin;
    pthread_mutex_unlock(&sampling.lock);
}

/* ---- the sampler ---- */

/* Reads the word of each thread. Returns the profiles that are seen. */
static hlc_profile *look(void) {
    hlc_profile *seen = NULL;
    for (ThreadRecord *thread = sampling.threads; thread; thread = thread->next) {
        hlc_profile_site *site =
            thread->is_free ? NULL : __atomic_load_n(&thread->word, __ATOMIC_RELAXED);
        hlc_profile *profile = site ? site->profile : NULL;
        thread->seen = profile && profile->active > 0 ? site : NULL;
        if (!thread->seen)
            continue;
        if (profile->now_busy + profile->now_waiting == 0) {
            profile->next_seen = seen;
            seen = profile;
        }
        profile->now_busy += site->kind != HLC_PROFILE_WAIT;
        profile->now_waiting += site->kind == HLC_PROFILE_WAIT;
        profile->now_parallel |= site->is_parallel || site->kind == HLC_PROFILE_WAIT;
    }
    return seen;
}

static void count_site(hlc_profile_site *site) {
    const hlc_profile *profile = site->profile;
    bool is_waiting = site->kind == HLC_PROFILE_WAIT;
    site->samples++;
    if (!is_waiting)
        site->share += (double)profile->active / profile->now_busy;
    else if (profile->now_busy == 0)
        site->share += (double)profile->active / profile->now_waiting;
}

static void count_profile(hlc_profile *profile) {
    uint64_t calls = (uint64_t)profile->active, busy = (uint64_t)profile->now_busy;
    profile->samples += calls;
    profile->busy += busy;
    if (profile->now_parallel) {
        profile->parallel_samples += calls;
        profile->parallel_busy += busy;
    }
    profile->now_busy = profile->now_waiting = profile->now_parallel = 0;
}

static void take_sample(void) {
    pthread_mutex_lock(&sampling.lock);
    hlc_profile *seen = look();
    for (ThreadRecord *thread = sampling.threads; thread; thread = thread->next)
        if (thread->seen)
            count_site(thread->seen);
    for (; seen; seen = seen->next_seen)
        count_profile(seen);
    pthread_mutex_unlock(&sampling.lock);
}

static void *sample(void *unused) {
    uint64_t random = 1;
    int64_t period;
    prctl(PR_SET_TIMERSLACK, 1UL);
    while ((period = atomic_load(&sampling.period))) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t pause = period / 2 + (int64_t)((random >> 33) % (uint64_t)period);
        nanosleep(&(struct timespec){pause / 1000000000, pause % 1000000000}, NULL);
        take_sample();
    }
    return unused;
}

/* The sampler blocks the host's signals. */
static int start_sampler(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&sampling.sampler, NULL, sample, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Starting and stopping wait for one another. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

int hlc_profile_start(int64_t period) {
    int result = 0;
    pthread_once(&prepared, prepare);
    pthread_mutex_lock(&starting);
    if (sampling.users++ == 0) {
        atomic_store(&sampling.period, period <= 0                ? PERIOD_NS
                                       : period < LEAST_PERIOD_NS ? LEAST_PERIOD_NS
                                                                  : period);
        if (start_sampler()) {
            atomic_store(&sampling.period, 0);
            sampling.users = 0;
            result = -1;
        }
    }
    pthread_mutex_unlock(&starting);
    return result;
}

void hlc_profile_stop(void) {
    pthread_mutex_lock(&starting);
    if (sampling.users > 0 && --sampling.users == 0) {
        atomic_store(&sampling.period, 0);
        pthread_join(sampling.sampler, NULL);
    }
    pthread_mutex_unlock(&starting);
}

/* ---- what was counted ---- */

void hlc_profile_reset(hlc_profile *profile) {
    pthread_mutex_lock(&sampling.lock);
    profile->calls = profile->samples = profile->busy = 0;
    profile->parallel_samples = profile->parallel_busy = 0;
    profile->nanoseconds = 0;
    for (int64_t i = 0; i < profile->site_count; i++) {
        profile->sites[i]->samples = 0;
        profile->sites[i]->share = 0;
    }
    pthread_mutex_unlock(&sampling.lock);
}

void profile_lock(void) {
    pthread_mutex_lock(&sampling.lock);
}

void profile_unlock(void) {
    pthread_mutex_unlock(&sampling.lock);
}
