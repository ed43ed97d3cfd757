/* synthesis.h -- synthesizes rewrite rules from true goals that the rules leave open.
 *
 * An offline tool (synthesize.c) reads goals, and prints proved rules of the rule language.
 * docs/synthesis.md describes the method. Each file is one step:
 *
 *   pattern.c     sides of rules as expressions: their text, their values at points; rules of them
 *   goals.c       the goals, and those that stay open
 *   candidates.c  left sides: fragments of the simplified open goals
 *   guard.c       the weakest guard that excludes the points where the sides differ
 *   search.c      right sides, equal at points
 *   propose.c     one candidate: right side, guard, proof; repeats with one more point
 *   verify.c      the proof by Z3, or a point where the sides differ
 *   generalise.c  subterms of the left side that the proof does not need become wildcards
 *   subsume.c     subsumed rules; the rules worth keeping
 *   emit.c        the rules as text, with their goals; the journal of a run
 *
 * A pattern is an expression over slot variables. Wildcards are named W0 .. W5 and constants c0 ..
 * c9, so the structural order puts constants last, as the rule language requires. The proof is
 * always of the rule as read back from its text.
 */
#ifndef HLC_TOOLS_SYNTHESIS_SYNTHESIS_H
#define HLC_TOOLS_SYNTHESIS_SYNTHESIS_H

#include "ir/walk.h"
#include "base/solver_process.h"
#include "tools/rulec/rule_set.h"
#include "simplify/simplify.h"

#define WILDCARDS 6
#define CONSTANTS 4
#define SLOTS     (WILDCARDS + CONSTANTS) /* a slot's number: wildcards first */

#define SMALL 3

/* Limits. All are counts, so the same goals give the same rules. */
typedef struct SynthesisLimits {
    int condition_operators; /* of a left side that is a condition */
    int number_operators;    /* of a left side that is a number */
    int goals;               /* the fewest goals with a left side of more than SMALL operators */
    int fragments;           /* kept of one term and size */
    int candidates;          /* searched */
    int terms;               /* enumerated for one right side */
    int rounds;              /* of search, proof, and one more point */
} SynthesisLimits;

/* ---- pattern.c ---- */

/* The variable of a slot; `type` is BOOL or INDEX. */
Expr pattern_slot(Pool *pool, int slot, Type type);
/* The slot that the variable stands for; -1 for any other expression. */
int pattern_slot_of(Expr expr);
/* Prints the pattern in the rule language. With `folds`, constants computed at application are in
 * `fold`. */
char *pattern_text(Arena *arena, Expr expr, bool folds);
/* Operators of the pattern, as a tree. */
int pattern_operators(Expr expr);
/* Returns the slots that occur: bit i for slot i. */
unsigned pattern_slots(Expr expr);

#define BLOCK 256

/* Values of the slots at some points, by slot. */
typedef struct PatternPoints {
    size_t count, capacity;
    Bits *slots[SLOTS];
} PatternPoints;
PatternPoints points_create(Arena *arena, size_t capacity);
/* Adds a point, unless the array is full. */
void points_add(PatternPoints *points, const Bits *slots);
/* out[i] is the pattern's value at point i. */
void pattern_values(Expr expr, const PatternPoints *points, Bits *out);

typedef struct Proposal {
    Expr left, right, guard; /* guard null: none */
} Proposal;
/* `left -> right if guard` in the rule language. */
char *proposal_text(Arena *arena, Proposal proposal);
/* Reads `text` as the only rule of a set in `arena`, with its variants. False if the rule compiler
 * would refuse it. */
bool rule_from_text(Arena *arena, const char *name, const char *text, RuleSet *set);

/* A generator of numbers, the same in every run. */
typedef struct SampleRandom {
    uint64_t state;
} SampleRandom;
uint64_t random_next(SampleRandom *random);
int64_t random_between(SampleRandom *random, int64_t least, int64_t most);

/* ---- goals.c ---- */

typedef struct Goal {
    const char *text;
    Expr condition;
    Expr stuck; /* its simplified form; null if that is `true` */
} Goal;
typedef Vec(Goal) Goals;

/* ---- the run ---- */

/* The terms of a candidate's slots in one goal; null: no such slot. */
typedef struct GoalInstance {
    Expr slots[SLOTS];
} GoalInstance;

#define INSTANCES 4

typedef struct Candidate {
    Expr left;
    int operators;
    int goals; /* the number of goals that contain it */
    int last_goal;
    int instance_count;
    GoalInstance instances[INSTANCES]; /* of different goals */
} Candidate;
typedef Vec(Candidate) Candidates;

typedef struct FoundRule {
    Rule rule;
    const char *text; /* `left -> right if guard` */
    int size;         /* terms of all three */
    Vec(int) goals;   /* the goals that it helps to settle */
} FoundRule;

typedef struct Journal Journal;

typedef struct Synthesis {
    Context *context;
    Pool *pool;
    Arena *arena;
    SynthesisLimits limits;
    const char *without_rule; /* a rule of the table to leave out; or null */
    Goals goals;
    Candidates candidates;
    Vec(FoundRule) found;
    RuleSet variants; /* of all rules found: the simplifier applies them */
    Arena *simplifier_arena;
    Simplifier *simplifier; /* with the rules found so far */
    SolverProcess *solver;
    Journal *journal; /* null: none is kept */
    FILE *progress;   /* null: none */
} Synthesis;

/* Creates a simplifier with these rules and the table's, in `arena`. */
Simplifier *synthesis_simplifier(Synthesis *synthesis, Arena *arena, const RuleSet *variants);

/* goals.c: reads a condition a line. Conditions not shown to hold for all values are dropped, with
 * a line to `progress`. Returns the number of open goals. */
size_t goals_read(Synthesis *synthesis, FILE *in);
/* Counts the goals that the simplifier makes `true`; `settled` (may be null) marks them. */
size_t goals_settled(Synthesis *synthesis, Simplifier *simplifier, bool *settled);

/* candidates.c: fills in `candidates`, smallest first, among those the most frequent first. */
void candidates_enumerate(Synthesis *synthesis);

/* ---- guard.c ---- */

/* The known relations of the slots of a left side in one instance, as patterns. */
typedef struct Relations {
    Exprs of_constants; /* conditions on constants only that hold there */
    Exprs sums;         /* sums of wildcards .. */
    Vec(int64_t) most;  /* .. and their upper bounds, by intervals */
} Relations;
Relations relations_find(Synthesis *synthesis, Arena *scratch, Expr left,
                         const GoalInstance *instance);

/* Finds a conjunction of few conditions that excludes all points with `wrong`, and as few others as
 * possible. Conditions on constants only are preferred. `*guard` null: none is needed. False if
 * there is no such guard. */
bool guard_find(Synthesis *synthesis, Arena *scratch, const Relations *relations,
                const GoalInstance *instance, const PatternPoints *points, const Bits *wrong,
                Expr *guard);

/* ---- search.c ---- */

typedef bool ProposalTry(void *data, Expr right);
/* Offers right sides that equal the left side at all points where the relations of the instance
 * hold, smallest first, until `offer` accepts one. Returns whether it did. */
bool search_right_sides(Synthesis *synthesis, Arena *scratch, Expr left,
                        const GoalInstance *instance, const Relations *relations,
                        ProposalTry *offer, void *data);

/* ---- verify.c ---- */

typedef enum Verification { VERIFIED, REFUTED, NOT_DECIDED } Verification;

/* Proves the rule by one of the encodings of tools/rulec/smt.c. REFUTED: its sides differ at
 * `slots`, the values of the rule's slots. */
Verification verify_rule(SolverProcess *solver, Arena *arena, const Rule *rule, Bits *slots);

/* ---- propose.c ---- */

/* Searches all candidates; appends the rules to `found`. */
void candidates_search(Synthesis *synthesis);

/* ---- generalise.c ---- */

/* Generalises a proved and useful proposal. The result is also proved and useful, and matches at
 * least as much. */
Proposal proposal_generalise(Synthesis *synthesis, Arena *scratch, Proposal proposal);

/* ---- subsume.c ---- */

/* Does a rule of the table, or one found before, subsume this one? */
bool is_subsumed(const Synthesis *synthesis, const Rule *rule);
/* Do these rules, with those found, make open goals smaller and none larger, and are the results in
 * normal form? */
bool is_useful(Synthesis *synthesis, const RuleSet *variants);
/* Adds the rule to the simplifier. */
void found_add(Synthesis *synthesis, const char *text);
/* Drops unneeded rules, bulkiest first: rules without which as many goals are settled. */
void found_select(Synthesis *synthesis);

/* ---- emit.c ---- */

void found_emit(const Synthesis *synthesis, FILE *out);

/* The journal of a run: the outcome of each candidate, so an interrupted run can continue. */
Journal *journal_open(Synthesis *synthesis, const char *path);
/* Returns null if the left side was not searched; "" if nothing was found. */
const char *journal_outcome(const Journal *journal, const char *left);
void journal_add(Journal *journal, const char *left, const char *outcome);

#endif
