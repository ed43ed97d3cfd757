/* files.c -- writes files completely or not at all. The contents go to a file beside the path,
 * which is then renamed. For a symbolic link this is the file behind it. A target that is no
 * regular file, such as /dev/null or a pipe, is written directly.
 *
 * A signal that ends the command first removes the unfinished files. They are in a table for the
 * signal handler, which gets no argument: the only data of this program outside a context. A path
 * is complete before it is counted, and an entry never moves. */
#include "driver/driver.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PENDING = 16 };
static char pending[MOST_PENDING][PATH_MAX];
static volatile sig_atomic_t is_pending[MOST_PENDING];
static const int ENDING[] = {SIGHUP, SIGINT, SIGTERM};

static void end_by_signal(int number) {
    for (int i = 0; i < MOST_PENDING; i++)
        if (is_pending[i])
            unlink(pending[i]);
    raise(
        number); /* the signal is blocked until the handler returns, and then has its default effect
                    */
}

void files_watch_signals(void) {
    struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_RESETHAND}, before;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ENDING / sizeof *ENDING; i++)
        if (sigaction(ENDING[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ENDING[i], &action, NULL);
}

static void block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ENDING / sizeof *ENDING; i++)
        sigaddset(&set, ENDING[i]);
    sigprocmask(how, &set, NULL);
}

/* Like mkstemp, but the handler knows the file from the start. */
static int make_beside(char *path) {
    int i = 0;
    block_signals(SIG_BLOCK);
    int descriptor = mkstemp(path);
    while (i < MOST_PENDING && is_pending[i])
        i++;
    if (descriptor >= 0 && i < MOST_PENDING) {
        snprintf(pending[i], sizeof pending[i], "%s", path);
        is_pending[i] = 1;
    }
    block_signals(SIG_UNBLOCK);
    return descriptor;
}

/* The file beside is no longer there. */
static void forget_beside(const NewFile *new_file) {
    for (int i = 0; i < MOST_PENDING; i++)
        if (is_pending[i] && strcmp(pending[i], new_file->beside) == 0)
            is_pending[i] = 0;
}

/* `there` is the previous file, or null: the new file gets its permissions. */
static void open_beside(NewFile *new_file, const struct stat *there) {
    char resolved[PATH_MAX];
    int descriptor = -1;
    if (!realpath(new_file->path, resolved)) /* it is not there yet */
        snprintf(resolved, sizeof resolved, "%s", new_file->path);
    snprintf(new_file->place, sizeof new_file->place, "%s", resolved);
    int length = snprintf(new_file->beside, sizeof new_file->beside, "%s.XXXXXX", resolved);
    errno = ENAMETOOLONG;
    if (length < (int)sizeof new_file->beside && strlen(new_file->path) < sizeof new_file->place)
        descriptor = make_beside(new_file->beside);
    if (descriptor < 0)
        return;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = there ? there->st_mode & 0777 : 0666 & ~mask;
    if (there && fchown(descriptor, there->st_uid, there->st_gid) != 0)
        mode &= 0707; /* its group may be another one */
    fchmod(descriptor, mode);
    new_file->file = fdopen(descriptor, "wb");
}

hlc_status file_begin(const Command *command, const char *path, NewFile *new_file) {
    struct stat there;
    *new_file = (NewFile){.path = path};
    bool exists = stat(path, &there) == 0;
    if (exists && !S_ISREG(there.st_mode))
        new_file->file = fopen(path, "wb");
    else if (!exists || access(path, W_OK) == 0)
        open_beside(new_file, exists ? &there : NULL);
    if (new_file->file)
        return HLC_YES;
    diagnose(command, "E0802", path, strerror(errno));
    return HLC_WORLD;
}

/* Removes nothing if the bytes were written directly. */
static void remove_beside(const NewFile *new_file) {
    if (*new_file->beside)
        unlink(new_file->beside);
    forget_beside(new_file);
}

hlc_status file_end(const Command *command, NewFile *new_file, const char *failure) {
    bool is_written = !ferror(new_file->file);
    is_written = fclose(new_file->file) == 0 && is_written;
    if (is_written && !failure &&
        (!*new_file->beside || rename(new_file->beside, new_file->place) == 0)) {
        forget_beside(new_file);
        return HLC_YES;
    }
    diagnose(command, "E0802", new_file->path, failure ? failure : strerror(errno));
    remove_beside(new_file);
    return HLC_WORLD;
}

void file_abandon(NewFile *new_file) {
    fclose(new_file->file);
    remove_beside(new_file);
}
