/* files.c -- writes files completely or not at all. The contents go to a file without a name in the
 * folder of the path (O_TMPFILE). It disappears with the process, whatever ends that. When all
 * contents of a command are written, each file gets a name beside its path, and is then renamed.
 * For a symbolic link the path is the file behind it. A target that is no regular file, such as
 * /dev/null or a pipe, is written directly.
 *
 * A file system without such files gets one with a name beside the path from the start. A signal
 * that ends the command first removes the files that have a name beside. They are in a table for
 * the signal handler, which gets no argument: beside the last words of limits.c, the only data of
 * this program outside a context. A path is complete before it is counted, and an entry never
 * moves. */
#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkstemp(3) replaces the letters. */
#define UNIQUE_ENDING ".XXXXXX"

enum { MOST_PENDING = 16 };
static char pending[MOST_PENDING][PATH_MAX];
static volatile sig_atomic_t is_pending[MOST_PENDING];
static const int ENDING[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM};

void files_remove_unfinished(void) {
    for (int i = 0; i < MOST_PENDING; i++)
        if (is_pending[i])
            unlink(pending[i]);
}

static void end_by_signal(int number) {
    files_remove_unfinished();
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

/* The handler removes this file. Signals are blocked. */
static void remember_beside(const char *path) {
    int i = 0;
    while (i < MOST_PENDING && is_pending[i])
        i++;
    if (i == MOST_PENDING)
        return;
    snprintf(pending[i], sizeof pending[i], "%s", path);
    is_pending[i] = 1;
}

/* Like mkstemp, but the handler knows the file from the start. */
static int make_beside(char *path) {
    block_signals(SIG_BLOCK);
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        remember_beside(path);
    block_signals(SIG_UNBLOCK);
    return descriptor;
}

/* The file beside is no longer there. */
static void forget_beside(const NewFile *new_file) {
    for (int i = 0; i < MOST_PENDING; i++)
        if (is_pending[i] && strcmp(pending[i], new_file->beside) == 0)
            is_pending[i] = 0;
}

/* Removes nothing if the file has no name beside. */
static void remove_beside(const NewFile *new_file) {
    if (*new_file->beside)
        unlink(new_file->beside);
    forget_beside(new_file);
}

/* Opens a file without a name in the folder of `place`; -1 if there can be none, or if it could not
 * get a name later. */
static int open_nameless(const char *place) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", place);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    if (access("/proc/self/fd", F_OK) != 0)
        return -1;
    return open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/* Gives a file without a name its name beside the path. */
static bool name_beside(NewFile *new_file) {
    enum { MOST_TRIES = 1000 };
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(new_file->file));
    bool is_linked = false;
    errno = EEXIST;
    block_signals(SIG_BLOCK);
    for (unsigned i = 0; !is_linked && errno == EEXIST && i < MOST_TRIES; i++) {
        snprintf(new_file->beside, sizeof new_file->beside, "%.4080s.%06x", new_file->place,
                 ((unsigned)getpid() * 1000 + i) & 0xffffff);
        is_linked = linkat(AT_FDCWD, self, AT_FDCWD, new_file->beside, AT_SYMLINK_FOLLOW) == 0;
    }
    if (is_linked)
        remember_beside(new_file->beside);
    else
        *new_file->beside = 0;
    block_signals(SIG_UNBLOCK);
    return is_linked;
}

/* `there` is the previous file, or null: the new file gets its permissions. */
static void open_beside(NewFile *new_file, const struct stat *there) {
    char resolved[PATH_MAX];
    int descriptor = -1;
    if (!realpath(new_file->path, resolved)) /* it is not there yet */
        snprintf(resolved, sizeof resolved, "%s", new_file->path);
    errno = ENAMETOOLONG;
    if (strlen(resolved) + sizeof UNIQUE_ENDING > sizeof new_file->place)
        return;
    strcpy(new_file->place, resolved);
    descriptor = open_nameless(resolved);
    new_file->is_nameless = descriptor >= 0;
    if (descriptor < 0) {
        snprintf(new_file->beside, sizeof new_file->beside, "%.4080s%s", resolved, UNIQUE_ENDING);
        descriptor = make_beside(new_file->beside);
    }
    if (descriptor < 0)
        return;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = there ? there->st_mode & 0777 : 0666 & ~mask;
    if (there && fchown(descriptor, there->st_uid, there->st_gid) != 0)
        mode &= 0707; /* its group may be another one */
    fchmod(descriptor, mode);
    new_file->file = fdopen(descriptor, "wb");
    if (!new_file->file) {
        close(descriptor);
        remove_beside(new_file);
    }
}

bool files_allow(const Command *command, const char *path) {
    if (hlc_in_root(command->h, path))
        return true;
    diagnose(command, "E0843", path);
    return false;
}

hlc_status files_spare_source(const Command *command, const char *path) {
    if (!hlc_has_read(command->h, path))
        return HLC_YES;
    diagnose(command, "E0802", path, "it is the source, or the source imports it");
    return HLC_USER;
}

hlc_status file_begin(const Command *command, const char *path, NewFile *new_file) {
    struct stat there;
    *new_file = (NewFile){.path = path};
    if (!files_allow(command, path))
        return HLC_USER;
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

/* Writes the last bytes. Afterwards the file has a name beside its path, unless it is written
 * directly. */
static bool finish(NewFile *new_file) {
    bool is_written = fflush(new_file->file) == 0 && !ferror(new_file->file) &&
                      (!new_file->is_nameless || name_beside(new_file));
    int error = errno;
    bool is_closed = fclose(new_file->file) == 0;
    new_file->file = NULL;
    if (!is_written)
        errno = error;
    return is_written && is_closed;
}

static bool appear(const NewFile *new_file) {
    if (!*new_file->beside)
        return true;
    if (rename(new_file->beside, new_file->place) != 0)
        return false;
    forget_beside(new_file);
    return true;
}

/* Leaves the path unchanged. */
static void abandon(NewFile *new_file) {
    if (new_file->file)
        fclose(new_file->file);
    new_file->file = NULL;
    remove_beside(new_file);
}

hlc_status files_end(const Command *command, NewFile *files, int count, hlc_status status) {
    int finished = 0, appeared = 0;
    while (status == HLC_YES && finished < count && finish(&files[finished]))
        finished++;
    block_signals(SIG_BLOCK); /* which would leave some of the files */
    while (finished == count && appeared < count && appear(&files[appeared]))
        appeared++;
    block_signals(SIG_UNBLOCK);
    if (status == HLC_YES && appeared < count) {
        const NewFile *wrong = &files[finished < count ? finished : appeared];
        diagnose(command, "E0802", wrong->path, strerror(errno));
        status = HLC_WORLD;
    }
    for (int i = appeared; i < count; i++)
        abandon(&files[i]);
    return status;
}
