/* lower.h -- lowers an algorithm and a schedule to a target program: the driver of the passes. */
#ifndef HLC_LOWER_LOWER_H
#define HLC_LOWER_LOWER_H

#include "bounds/oracle.h"
#include "schedule/schedule.h"

typedef enum PassId {
#define PASS(NAME, TEXT, SENTENCE) PASS_##NAME,
#include "lower/passes.def"
#undef PASS
    PASS_COUNT
} PassId;

typedef struct PassInfo {
    const char *text, *sentence;
} PassInfo;
const PassInfo *pass_info(PassId pass);
bool pass_from_text(const char *text, PassId *pass);

typedef struct LowerOptions {
    PassId last;       /* stop after this pass */
    size_t directives; /* apply only the first N primitives, SIZE_MAX for all */
    bool verify;       /* run the verifier after each pass */
    bool explains;     /* the bounds can be printed (bounds_print) */
    bool traces;       /* coordinates stay coordinates: PASS_FOLD folds and hoists nothing */
} LowerOptions;

/* Counts of loops by what PASS_PARTITION did with them. */
typedef struct PartitionCounts {
    size_t loops; /* candidates */
    size_t changed, trimmed, prologues, epilogues, both;
} PartitionCounts;

typedef struct Lowered {
    Program *program;
    const Pipeline *pipeline; /* after phase 0, without the funcs that no output reaches */
    Directives primitives;
    BoundsResult *bounds;        /* null before the bounds pass */
    int passes;                  /* how many rows of passes.def have run */
    PartitionCounts partition;   /* of PASS_PARTITION */
    uint64_t eager_instructions; /* of ir/interpret/code.h, which PASS_EAGER ran */
} Lowered;

/* Lowers.  `schedule` null is the empty schedule.  Null after reporting. */
Lowered *lower(const Pipeline *pipeline, const Schedule *schedule, Arena *arena,
               const LowerOptions *options);
/* Runs the passes from where `lower` or this function stopped up to `options->last`.  After
 * PASS_CHECKS a caller may look at the assertions and add some (lower_insist).  False after
 * reporting. */
bool lower_rest(Lowered *lowered, Arena *arena, const LowerOptions *options);

/* Lowers by Figure 9, as semantics.md section 4 restates it.  Puts no startup checks: PASS_CHECKS
 * does. */
Program *lower_initial(const Pipeline *pipeline, Arena *arena);
/* PASS_CHECKS: parameters' ranges, requirements, rdom lengths, split factors, images' regions,
 * coordinates in i32, bounds requests contained.  False after reporting. */
bool lower_checks(Program *program, const Pipeline *pipeline, const BoundsResult *bounds,
                  const BoundRequests *requests, Arena *arena);
/* A condition on startup variables that the program must assert beside its own assertions. */
typedef struct Insistence {
    Expr condition;
    const char *subject; /* of HLC_ERROR_NOT_CERTIFIED; lives as long as the program */
    Place place;
} Insistence;
/* Puts the conditions after the assertions of PASS_CHECKS, which then hold when they are
 * evaluated.  Where the arithmetic of a condition may leave 64 bits, an assertion before it with the
 * same error refuses the run: nothing is known of such a condition. */
void lower_insist(const Lowered *lowered, const Insistence *insistences, size_t count,
                  Arena *arena);
/* Fills Program.needs, as a part of PASS_CHECKS; `has_points`: some output has points. */
void lower_needs(Program *program, const Pipeline *pipeline, const BoundsResult *bounds,
                 Expr has_points, Arena *arena);
/* Fills Program.proposals, as a part of PASS_CHECKS. False after reporting. */
bool lower_proposals(Program *program, const Pipeline *pipeline, Arena *arena);
/* PASS_SIMPLIFY. */
void lower_simplify(Program *program, Arena *arena);
/* PASS_FOLD. */
void lower_fold(Program *program, Arena *arena);
/* PASS_EXTERN. */
void lower_extern(Program *program, Arena *arena);
/* PASS_FOLD for traced code. Each func has memory for all coordinates, where it is allocated. */
void lower_unfold(Program *program);
/* PASS_TABLES. */
void lower_tables(Program *program, Arena *arena);
/* PASS_UNSWITCH. */
void lower_unswitch(Program *program, Arena *arena);
/* PASS_UNROLL. */
void lower_unroll(Program *program, Arena *arena);
/* PASS_PARTITION. */
PartitionCounts lower_partition(Program *program, Arena *arena);
/* PASS_SHORT. */
void lower_short(Program *program, Arena *arena);
/* PASS_SUMS. */
void lower_sums(Program *program, Arena *arena);
/* PASS_LICM. */
void lower_licm(Program *program, Arena *arena);
/* PASS_NARROW. */
void lower_narrow(Program *program, Arena *arena);

#endif
