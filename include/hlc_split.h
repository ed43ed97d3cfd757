/* hlc_split.h -- cutting a pipeline into parts that can be computed in windows.
 *
 * The window form (hlc_use_windows) computes any window of an output from the windows of the images
 * that it needs. A histogram, a sum or a scan needs all of an image. hlc_split cuts it into parts, and
 * prints a plan: which part runs on what, and in which order (docs/large-split.md). Whoever runs the
 * plan gets the bytes of the whole, in whatever windows and blocks.
 */
#ifndef HLC_SPLIT_H
#define HLC_SPLIT_H

#ifndef HLC_H
#error "include hlc.h before hlc_split.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

typedef struct hlc_split_options {
    const char *pipeline; /* null: the only one */
    const char *schedule; /* whose directives go along with the parts; null or "": none */
    const char *at; /* funcs to cut, "f,g"; "auto": each that needs the whole, and "auto,f" more;
                             null: list those that need the whole, and cut nothing */
    bool json;      /* print the plan as JSON; else for people */
} hlc_split_options;

/* Prints the list, or the plan. `options` may be null. HLC_USER if a func cannot be cut (E0981,
 * E0982, E0983), or if a part has no text in the language or cannot be compiled (E0980). */
hlc_status hlc_split(hlc *h, const hlc_split_options *options, FILE *out);

/* Compares the plan with the whole: in each round runs both by the reference interpreter on the
 * same random arguments, the plan in random windows and blocks. `options->at` null means "auto".
 * Prints the first difference, or a line that counts what was compared. `rounds` 0: the default. The
 * same seed gives the same rounds. HLC_YES: equal. HLC_NO: a difference, or a part that fails where
 * the whole runs. HLC_USER: refused, or nothing could be compared. */
hlc_status hlc_split_check(hlc *h, const hlc_split_options *options, int rounds, uint64_t seed,
                           FILE *out);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
