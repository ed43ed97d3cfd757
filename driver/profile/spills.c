/* spills.c -- counts what LLVM spills in the innermost loops of each stage.
 *
 * The target program in the text form is compiled once more, with debug information that names its
 * lines, into assembly with LLVM's comments:
 *
 *     .LBB0_5:        # =>This Inner Loop Header: Depth=2
 *             .loc    1 31 0
 *             vmovups %ymm3, 32(%rsp)     # 32-byte Spill
 *
 * A spill or reload counts for the stage of its line, if its block is in an innermost loop, and if its
 * line is in no prologue or epilogue. A line's stage is that of the labels around it, by indentation.
 */
#include "driver/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* A text in memory. */
typedef struct SpillText {
    char *bytes;
    size_t length;
    FILE *file;
} SpillText;

static hlc_status begin(SpillText *text) {
    *text = (SpillText){0};
    text->file = open_memstream(&text->bytes, &text->length);
    return text->file ? HLC_YES : HLC_WORLD;
}

static hlc_status end(SpillText *text, hlc_status status) {
    if (text->file && fclose(text->file) != 0 && status == HLC_YES)
        status = HLC_WORLD;
    return status;
}

/* ---- the target program: the stage of each line ---- */

enum { MOST_NAME = 200, MOST_NEST = 256 };

/* A statement with lines inside. */
typedef struct TargetAround {
    size_t indent;
    char label[MOST_NAME]; /* empty: no label */
    bool is_rare;
} TargetAround;

typedef struct TargetLines {
    StageSpills *spills;
    size_t count;  /* of spills */
    size_t *stage; /* of each line: an index of `spills`, or `count` at the end for none */
    size_t lines;  /* how many; they count from 1 */
} TargetLines;

static bool is_stage(const char *label) {
    return label[0] == 's' && label[1] && !label[1 + strspn(label + 1, "0123456789")];
}

/* Finds or adds a stage; false if memory runs out. */
static bool find_stage(TargetLines *lines, const char *func, const char *stage, size_t *found) {
    for (*found = 0; *found < lines->count; (*found)++)
        if (strcmp(lines->spills[*found].func, func) == 0 &&
            strcmp(lines->spills[*found].stage, stage) == 0)
            return true;
    StageSpills *spills = realloc(lines->spills, (lines->count + 1) * sizeof *spills);
    if (!spills)
        return false;
    lines->spills = spills;
    StageSpills *made = &spills[lines->count++];
    *made = (StageSpills){0};
    snprintf(made->func, sizeof made->func, "%s", func);
    snprintf(made->stage, sizeof made->stage, "%s", stage);
    return true;
}

/* The stage around a line: the innermost label s0, s1, .. and the label of its func. */
static bool stage_around(TargetLines *lines, const TargetAround *around, size_t depth,
                         size_t *found) {
    bool is_rare = false;
    *found = SIZE_MAX;
    for (size_t i = 0; i < depth; i++)
        is_rare |= around[i].is_rare;
    for (size_t i = depth; i > 0 && !is_rare; i--) {
        if (!is_stage(around[i - 1].label))
            continue;
        for (size_t k = i - 1; k > 0; k--)
            if (*around[k - 1].label)
                return find_stage(lines, around[k - 1].label, around[i - 1].label, found);
    }
    return true;
}

static bool read_line(TargetLines *lines, TargetAround *around, size_t *depth, const char *line,
                      size_t length) {
    size_t indent = strspn(line, " ");
    while (*depth > 0 && around[*depth - 1].indent >= indent)
        (*depth)--;
    if (*depth < MOST_NEST) {
        TargetAround *here = &around[(*depth)++];
        *here = (TargetAround){.indent = indent};
        if (strncmp(line + indent, "label ", 6) == 0)
            snprintf(here->label, sizeof here->label, "%.*s", (int)(length - indent - 6),
                     line + indent + 6);
        static const char RARE[] = " rare do";
        size_t tail = sizeof RARE - 1;
        here->is_rare = length > tail && strncmp(line + length - tail, RARE, tail) == 0;
    }
    return stage_around(lines, around, *depth, &lines->stage[++lines->lines]);
}

static hlc_status read_target(TargetLines *lines, const SpillText *target) {
    size_t count = 2;
    for (size_t i = 0; i < target->length; i++)
        count += target->bytes[i] == '\n';
    TargetAround *around = calloc(MOST_NEST, sizeof *around);
    lines->stage = calloc(count, sizeof *lines->stage);
    bool is_read = around && lines->stage;
    size_t depth = 0;
    for (const char *at = target->bytes; is_read && *at;) {
        size_t length = strcspn(at, "\n");
        is_read = read_line(lines, around, &depth, at, length);
        at += length + (at[length] == '\n');
    }
    free(around);
    return is_read ? HLC_YES : HLC_WORLD;
}

/* ---- the assembly ---- */

/* Blocks have numbers: BB3_17 is block 17 of function 3. */
typedef struct SpillListing {
    TargetLines *lines;
    uint64_t *inner; /* the first blocks of innermost loops */
    size_t inner_count;
    uint64_t block; /* at work */
    bool is_inner;  /* it is in an innermost loop */
    unsigned line;  /* of the target program, 0: unknown */
} SpillListing;

typedef void ReadLine(SpillListing *listing, const char *line, size_t length);

/* Returns what follows a piece in the line; null if it is not there. */
static const char *behind(const char *line, size_t length, const char *piece) {
    const char *at = memmem(line, length, piece, strlen(piece));
    return at ? at + strlen(piece) : NULL;
}

static bool read_block(const char *at, uint64_t *block) {
    unsigned function, number;
    bool is_block = at && sscanf(at, "BB%u_%u", &function, &number) == 2;
    if (is_block)
        *block = (uint64_t)function << 32 | number;
    return is_block;
}

/* Does a block begin in this line? One that is no target of a jump is a comment, `# %bb.17:`. */
static bool begins_block(SpillListing *listing, const char *line, size_t length) {
    unsigned number;
    const char *fallthrough = behind(line, length, "%bb.");
    if (length > 2 && strncmp(line, ".L", 2) == 0)
        return read_block(line + 2, &listing->block);
    if (!fallthrough || line[0] == '\t' || sscanf(fallthrough, "%u", &number) != 1)
        return false;
    listing->block = (listing->block >> 32) << 32 | number;
    return true;
}

static void find_inner(SpillListing *listing, const char *line, size_t length) {
    begins_block(listing, line, length);
    if (behind(line, length, "This Inner Loop Header"))
        listing->inner[listing->inner_count++] = listing->block;
}

static bool is_inner(const SpillListing *listing, uint64_t block) {
    size_t i = 0;
    while (i < listing->inner_count && listing->inner[i] != block)
        i++;
    return i < listing->inner_count;
}

static void count_spills(SpillListing *listing, const char *line, size_t length) {
    TargetLines *lines = listing->lines;
    unsigned number;
    uint64_t header;
    if (begins_block(listing, line, length))
        listing->is_inner = is_inner(listing, listing->block);
    if (read_block(behind(line, length, "in Loop: Header="), &header))
        listing->is_inner = is_inner(listing, header);
    if (sscanf(line, "\t.loc %*u %u", &number) == 1 && number)
        listing->line = number;
    bool is_spill = behind(line, length, " Spill") || behind(line, length, " Reload");
    if (!is_spill || !listing->is_inner || listing->line == 0 || listing->line > lines->lines)
        return;
    size_t stage = lines->stage[listing->line];
    if (stage < lines->count)
        lines->spills[stage].count++;
}

static void each_line(SpillListing *listing, const SpillText *text, ReadLine *read) {
    for (const char *at = text->bytes; *at;) {
        size_t length = strcspn(at, "\n");
        read(listing, at, length);
        at += length + (at[length] == '\n');
    }
}

static hlc_status read_listing(TargetLines *lines, const SpillText *text) {
    size_t count = 1;
    for (size_t i = 0; i < text->length; i++)
        count += text->bytes[i] == '\n';
    SpillListing listing = {.lines = lines, .inner = malloc(count * sizeof *listing.inner)};
    if (!listing.inner)
        return HLC_WORLD;
    each_line(&listing, text, find_inner);
    each_line(&listing, text, count_spills);
    free(listing.inner);
    return HLC_YES;
}

/* ---- both ---- */

static hlc_status make_listing(const ProfileReport *report, const SpillText *target,
                               SpillText *listing) {
    Command command = *report->command;
    hlc_code code;
    hlc_status status = options_code(&command, &code);
    hlc_compile_options options = {.emit = "listing", .optimize = code.optimize, .debug = true};
    command.h = hlc_create();
    if (!command.h)
        return HLC_WORLD;
    if (status == HLC_YES)
        status = options_compiler(&command, true);
    if (status == HLC_YES)
        status = hlc_load_text(command.h, "target.ir", target->bytes, target->length, NULL, NULL);
    if (status == HLC_YES)
        status = begin(listing);
    if (status == HLC_YES)
        status = end(listing, hlc_compile(command.h, NULL, NULL, &options, listing->file));
    hlc_destroy(command.h);
    return status;
}

hlc_status profile_spills(ProfileReport *report) {
    hlc_lower_options options = {.until = -1};
    SpillText target, listing = {0};
    TargetLines lines = {0};
    hlc_status status = begin(&target);
    if (status == HLC_YES)
        status = hlc_lower(report->command->h, report->pipeline, report->schedule, &options,
                           target.file);
    status = end(&target, status);
    /* Without a listing, spills are unknown. */
    if (status == HLC_YES && make_listing(report, &target, &listing) == HLC_YES) {
        status = read_target(&lines, &target);
        if (status == HLC_YES)
            status = read_listing(&lines, &listing);
        report->spills = lines.spills;
        report->spill_count = lines.count;
        lines.spills = NULL;
    }
    free(lines.spills);
    free(lines.stage);
    free(target.bytes);
    free(listing.bytes);
    return status;
}

int64_t profile_spills_of(const ProfileReport *report, const hlc_profile_row *row) {
    int64_t count = -1;
    for (size_t i = 0; i < report->spill_count && row->kind == HLC_PROFILE_STAGE; i++) {
        const StageSpills *spills = &report->spills[i];
        if (strcmp(spills->func, row->func) == 0 &&
            (!*row->stage || strcmp(spills->stage, row->stage) == 0))
            count = (count < 0 ? 0 : count) + spills->count;
    }
    return count;
}
