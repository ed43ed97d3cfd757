/* synthesis.h -- new rewrite rules from goals that are true and that the rules leave open.
 *
 * An offline tool (synthesize.c): it reads goals, and prints rules of the rule language that it has
 * proved.  What it does is told in docs/synthesis.md; one file is one step:
 *
 *   pattern.c     sides of rules as expressions: their text, their values at points; rules of them
 *   goals.c       goals, and those of them that stay open
 *   candidates.c  left sides: fragments of what open goals simplify to
 *   guard.c       the weakest guard that excludes the points where the sides differ
 *   search.c      right sides, equal at points
 *   propose.c     one candidate: right side, guard, proof, and again with one more point
 *   verify.c      the proof by Z3, or a point where the sides differ
 *   generalise.c  subterms of the left side that the proof does not need become wildcards
 *   subsume.c     what other rules do already; which rules are worth their place
 *   emit.c        the rules as text, with their goals; the journal of a run
 *
 * A pattern is an expression over slot variables.  Wildcards are named W0 .. W5 and constants c0 ..
 * c9, so that the structural order puts constants last, as the rule language asks.  What is proved
 * is always the rule as read back from its text.
 */
#ifndef HLC_SYNTHESIS_SYNTHESIS_H
#define HLC_SYNTHESIS_SYNTHESIS_H

#include "ir/walk.h"
#include "base/solver_process.h"
#include "tools/rulec/rule_set.h"
#include "simplify/simplify.h"

#define WILDCARDS 6
#define CONSTANTS 4
#define SLOTS     (WILDCARDS + CONSTANTS) /* a slot's number: wildcards first */

#define SMALL 3

/* Limits, all of them counts: the same goals give the same rules. */
typedef struct SynthesisLimits {
    int condition_operators; /* of a left side that is a condition */
    int number_operators;    /* of a left side that is a number */
    int goals;               /* in so many a left side of more than SMALL operators must occur */
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
/* In the rule language; constants computed at application are in `fold` where `folds`. */
char *pattern_text(Arena *arena, Expr expr, bool folds);
/* Operators of the pattern, as a tree. */
int pattern_operators(Expr expr);
/* Which slots occur: bit i for slot i. */
unsigned pattern_slots(Expr expr);

#define BLOCK 256

/* Values of the slots at some points, by slot. */
typedef struct PatternPoints {
    size_t count, capacity;
    Bits *slots[SLOTS];
} PatternPoints;
PatternPoints points_create(Arena *arena, size_t capacity);
/* Leaves a point out where they are full. */
void points_add(PatternPoints *points, const Bits *slots);
/* out[i] is the pattern's value at point i. */
void pattern_values(Expr expr, const PatternPoints *points, Bits *out);

typedef struct Proposal {
    Expr left, right, guard; /* guard null: none */
} Proposal;
/* `left -> right if guard` in the rule language. */
char *proposal_text(Arena *arena, Proposal proposal);
/* Reads `text` as the only rule of a set in `arena`, with its variants; false where the rule
 * compiler would refuse it. */
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
    Expr stuck; /* what the rules make of it; null where that is `true` */
} Goal;
typedef Vec(Goal) Goals;

/* ---- the run ---- */

/* What a candidate's slots stand for in one goal; null: it has no such slot. */
typedef struct GoalInstance {
    Expr slots[SLOTS];
} GoalInstance;

#define INSTANCES 4

typedef struct Candidate {
    Expr left;
    int operators;
    int goals; /* in how many it occurs */
    int last_goal;
    int instance_count;
    GoalInstance instances[INSTANCES]; /* of different goals */
} Candidate;
typedef Vec(Candidate) Candidates;

typedef struct FoundRule {
    Rule rule;
    const char *text; /* `left -> right if guard` */
    int size;         /* terms of all three */
    Vec(int) goals;   /* that it helps to settle */
} FoundRule;

typedef struct Journal Journal;

typedef struct Synthesis {
    Context *context;
    Pool *pool;
    Arena *arena;
    SynthesisLimits limits;
    const char *without_rule; /* a rule of the table that is left out; null */
    Goals goals;
    Candidates candidates;
    Vec(FoundRule) found;
    RuleSet variants; /* of all that was found: what the simplifier applies */
    Arena *simplifier_arena;
    Simplifier *simplifier; /* with the rules found so far */
    SolverProcess *solver;
    Journal *journal; /* null: none is kept */
    FILE *progress;   /* null: none */
} Synthesis;

/* A simplifier with these rules beside the table's; it lives in `arena`. */
Simplifier *synthesis_simplifier(Synthesis *synthesis, Arena *arena, const RuleSet *variants);

/* goals.c: reads a condition a line; those that are not shown to hold for all values are left out,
 * with a line to `progress`.  Returns how many stay open. */
size_t goals_read(Synthesis *synthesis, FILE *in);
/* How many the simplifier makes `true`; `settled` (null: not wanted) says which. */
size_t goals_settled(Synthesis *synthesis, Simplifier *simplifier, bool *settled);

/* candidates.c: fills in `candidates`, smallest first, among those the most frequent first. */
void candidates_enumerate(Synthesis *synthesis);

/* ---- guard.c ---- */

/* What is known of the slots of a left side in one instance, as patterns. */
typedef struct Relations {
    Exprs of_constants; /* conditions of constants alone, which their values satisfy */
    Exprs sums;         /* sums of wildcards .. */
    Vec(int64_t) most;  /* .. that are at most so much, as intervals show */
} Relations;
Relations relations_find(Synthesis *synthesis, Arena *scratch, Expr left,
                         const GoalInstance *instance);

/* The conjunction of few conditions that excludes all points where `wrong` and as few of the others
 * as can be; conditions of constants alone are preferred.  `*guard` null: none is needed.  False
 * where there is none. */
bool guard_find(Synthesis *synthesis, Arena *scratch, const Relations *relations,
                const GoalInstance *instance, const PatternPoints *points, const Bits *wrong,
                Expr *guard);

/* ---- search.c ---- */

typedef bool ProposalTry(void *data, Expr right);
/* Offers right sides that equal the left side at all points where the relations of the instance
 * hold, the smallest first, until `offer` says that one is good; true then. */
bool search_right_sides(Synthesis *synthesis, Arena *scratch, Expr left,
                        const GoalInstance *instance, const Relations *relations,
                        ProposalTry *offer, void *data);

/* ---- verify.c ---- */

typedef enum Verification { VERIFIED, REFUTED, NOT_DECIDED } Verification;

/* Proves the rule by one of the encodings of tools/rulec/smt.c.  REFUTED: `slots` are values of the
 * rule's slots, by their place in the rule, where its sides differ. */
Verification verify_rule(SolverProcess *solver, Arena *arena, const Rule *rule, Bits *slots);

/* ---- propose.c ---- */

/* Searches all candidates; what is found goes to `found`. */
void candidates_search(Synthesis *synthesis);

/* ---- generalise.c ---- */

/* A proposal that is proved and useful; the result is too, and matches at least as much. */
Proposal proposal_generalise(Synthesis *synthesis, Arena *scratch, Proposal proposal);

/* ---- subsume.c ---- */

/* Does a rule of the table, or one that was found, do already what this one does? */
bool is_subsumed(const Synthesis *synthesis, const Rule *rule);
/* Do open goals become smaller with these rules beside those found, and none larger, and is what
 * they become in normal form? */
bool is_useful(Synthesis *synthesis, const RuleSet *variants);
/* From here on the simplifier applies the rule. */
void found_add(Synthesis *synthesis, const char *text);
/* Drops what is not needed: the bulkiest first, each rule without which no fewer goals are settled.
 */
void found_select(Synthesis *synthesis);

/* ---- emit.c ---- */

void found_emit(const Synthesis *synthesis, FILE *out);

/* The journal of a run: the outcome of each candidate, so that a run that was stopped goes on. */
Journal *journal_open(Synthesis *synthesis, const char *path);
/* Null where the left side has not been searched; "" where nothing was found. */
const char *journal_outcome(const Journal *journal, const char *left);
void journal_add(Journal *journal, const char *left, const char *outcome);

#endif
