/* Every shipped rule is proved by Z3, from the shipped files, at every type it claims.
 *
 * One `z3 -in` process answers all queries (tools/rulec/smt.c); `unknown` is not proved.  Verdicts are
 * kept in the build folder by the hash of the query, so that only what changed is proved again;
 * `make prove-rules` deletes them and proves everything from nothing.  How each rule was proved
 * must be what simplify/rules/proofs.txt says; BLESS=1 writes that.  With HLC_SHARE=N a rule whose
 * recorded proof is still of the same query is proved again if its name is one in N.  Limits are of
 * Z3's own resources, not of time.  The four wrong rules of "Automatically improving Halide's
 * simplifier with synthesis" must be refuted.  Without Z3 the test is skipped (77).
 */
#include "base/hash.h"
#include "base/context.h"
#include "base/solver_process.h"
#include "tools/rulec/rule_set.h"
#include "tests/unit/share.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Floats are decided by circuits of many gates. */
#define RESOURCES       "(set-option :rlimit 2000000)\n"
#define FLOAT_RESOURCES "(set-option :rlimit 20000000)\n"

typedef struct Solver {
    SolverProcess *process;
    Arena *arena;
} Solver;

/* "unsat", "sat", "unknown", or Z3's complaint. */
static void ask(Solver *solver, const Rule *rule, const char *query, char *answer, size_t size) {
    process_send(solver->process, rule->rule_class == RULES_FLOAT ? FLOAT_RESOURCES : RESOURCES);
    process_send(solver->process, query); /* it resets the solver, but for the resources */
    const char *line = process_receive(solver->process, solver->arena);
    snprintf(answer, size, "%s", line ? line : "");
}

/* ---- verdicts of earlier runs ---- */

typedef struct Verdict {
    uint64_t hash;
    int encoding;
} Verdict;
typedef Vec(Verdict) Verdicts;

#define CACHE TEST_BUILD_DIR "/rule_proofs.txt"

static void load_verdicts(Arena *arena, Verdicts *verdicts) {
    FILE *file = fopen(CACHE, "r");
    unsigned long long hash;
    int encoding;
    while (file && fscanf(file, "%llx %d%*[^\n]", &hash, &encoding) == 2)
        vec_push(arena, verdicts, (Verdict){hash, encoding});
    if (file)
        fclose(file);
}

static bool known_verdict(const Verdicts *verdicts, uint64_t hash) {
    for (size_t i = 0; i < verdicts->length; i++)
        if (verdicts->data[i].hash == hash)
            return true;
    return false;
}

typedef struct Proving {
    Solver solver;
    Verdicts verdicts;
    FILE *cache;
    int proved, cached, failed, recorded;
} Proving;

/* Is it proved by this encoding?  `answer` is Z3's, or what it was where it is known. */
static bool proved_by(Proving *p, const Rule *rule, Type type, int encoding, char *answer,
                      size_t size) {
    char *query = rule_smt_text(rule, type, encoding);
    if (!query)
        return false;
    uint64_t hash = hash_bytes(query, strlen(query));
    bool proved = known_verdict(&p->verdicts, hash);
    p->cached += proved;
    if (!proved) {
        ask(&p->solver, rule, query, answer, size);
        proved = !strcmp(answer, "unsat");
        if (proved)
            fprintf(p->cache, "%016llx %d %s\n", (unsigned long long)hash, encoding, rule->name);
    }
    free(query);
    return proved;
}

static bool prove_at(Proving *p, Rule *rule, Type type, const char *where) {
    static const int encodings[] = {2, 0, 1}; /* the one that decides comes first */
    int recorded = rule->proof == PROOF_BY_NONE ? -1 : rule_proof_encoding((RuleProof)rule->proof);
    char answer[256] = "no encoding";
    for (int i = -1; i < 3; i++) {
        int encoding = i < 0 ? recorded : encodings[i];
        if (encoding < 0 || !proved_by(p, rule, type, encoding, answer, sizeof answer))
            continue;
        p->proved++;
        rule->proof = (uint8_t)rule_proof_by(rule, encoding);
        return true;
    }
    p->failed++;
    fprintf(stderr, "%s:%d: %s is not proved at %s: %s\n  %s\n", rule->file, rule->line, rule->name,
            where, answer, rule->text);
    return false;
}

/* Leaves the way it was proved in the rule. */
static void prove(Proving *p, Rule *rule) {
    static const char *const names[] = {
        [RULES_INTEGERS] = "integers", [RULES_MACHINE] = "machine", [RULES_FLOAT] = "float",
        [RULES_BOOL] = "bool",         [RULES_ANY] = "any",         [RULES_SOLVE] = "solve",
        [RULES_VECTORS] = "vectors"};
    bool proved = true;
    if (rule->proof != PROOF_BY_NONE &&
        hash_bytes(rule->name, strlen(rule->name)) % (uint64_t)share() != 0) {
        p->recorded++;
        return;
    }
    if (!rule_is_typed(rule))
        proved = prove_at(p, rule, INDEX, names[rule->rule_class]);
    for (int number = 0; number < TYPE_COUNT && rule_is_typed(rule); number++)
        if (rule->types >> number & 1)
            proved &= prove_at(p, rule, type_by_number(number), type_name(type_by_number(number)));
    if (!proved)
        rule->proof = PROOF_BY_NONE;
}

/* ---- the shipped files ---- */

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_rules(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".rules");
}

/* Null where it cannot be read. */
static char *file_text(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    Vec(char) text = {0};
    if (!file)
        return NULL;
    for (int c; (c = fgetc(file)) != EOF;)
        vec_push(arena, &text, (char)c);
    vec_push(arena, &text, 0);
    fclose(file);
    return text.data;
}

#define FOLDER TEST_SOURCE_DIR "/../simplify/rules"
#define RECORD FOLDER "/proofs.txt"

static void read_shipped(RuleSet *set) {
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_rules, by_name);
    for (int i = 0; i < count; i++) {
        const char *path = arena_format(set->arena, "%s/%s", FOLDER, entries[i]->d_name);
        rule_read(set, path, file_text(set->arena, path));
        free(entries[i]);
    }
    free(entries);
    rule_proofs_read(set, RECORD, file_text(set->arena, RECORD));
}

/* Does the record beside the rules say what was found?  With BLESS in the environment it is made
 * to. */
static bool record_holds(const RuleSet *set) {
    char *text = NULL;
    size_t size = 0;
    FILE *found = open_memstream(&text, &size);
    rule_proofs_write(set, found);
    fclose(found);
    bool same = !strcmp(text, file_text(set->arena, RECORD));
    FILE *record = same || !getenv("BLESS") ? NULL : fopen(RECORD, "w");
    if (record) {
        fputs(text, record);
        same = fclose(record) == 0;
    }
    free(text);
    if (!same)
        fprintf(stderr,
                "simplify/rules/proofs.txt says other than Z3: `make prove-rules` writes it\n");
    return same;
}

/* Table 1 of the paper, and `(x / y) * y + x % y -> x` for machine integers, wrong where y = 0. */
static const char wrong_rules[] =
    "over integers\n"
    "wrong_1 ((x + c0)/c1)*c1 - x -> x % c1 if c1 > 0 && c0 + 1 == c1\n"
    "wrong_2 x - ((x + c0)/c1)*c1 -> -(x % c1) if c1 > 0 && c0 + 1 == c1\n"
    "wrong_3 min(x, c0) < min(x, c1) + c2 -> false if c0 >= c1 + c2\n"
    "wrong_4 max(x, c0) < max(x, c1) + c2 -> false if c0 >= c1 + c2\n"
    "wrong_9 (x % c0) % c1 -> x % c1 if c1 != 0 && c0 % c1 == 0\n"
    "wrong_10 (x / y) * y + x % y -> x\n"
    "wrong_11 (x * y + z) / y -> z / y + x\n"
    "over machine i8 u8 i16\n"
    "wrong_5 (x + y) - c0 < x -> y < c0\n"
    "wrong_6 (x / y) * y + x % y -> x\n"
    "over bool\n"
    "wrong_7 (x || y) && z -> x || (y && z)\n"
    "over solve\n" /* the rounding of limits, and a divisor that may be negative */
    "wrong_s1 t0 / n0 <= n1 -> t0 <= n1 * n0 if 0 < n0\n"
    "wrong_s2 t0 * n0 <= n1 -> t0 <= n1 / n0 if n0 != 0\n"
    "wrong_s3 n1 <= t0 * n0 -> n1 / n0 <= t0 if 0 < n0\n"
    "over any\n"
    "wrong_8 select(z, x, y) -> y\n"
    "over float\n"
    "wrong_f1 x - x -> 0\n"
    "wrong_f2 x + 0 -> x\n"
    "wrong_f3 x * 0 -> 0\n"
    "wrong_f4 0 - x -> -x\n"
    "wrong_f5 x == x -> true\n"
    "wrong_f6 !(x < y) -> y <= x\n"
    "wrong_f7 min(x, y) -> min(y, x)\n"
    "wrong_f8 min(y, min(x, y)) -> min(x, y)\n"
    "wrong_f9 (x + y) + z -> x + (y + z)\n"
    "wrong_f11 select(x <= y, x, y) -> min(x, y)\n"
    "wrong_f12 x / c0 -> x * fold(1 / c0) if c0 == 3\n"
    "wrong_f13 (x + y) - y -> x\n"
    "over float f64\n"
    "wrong_f10 -(x - y) -> y - x\n"
    "over vectors\n"
    "wrong_v1 ramp(x, y) + ramp(z, w) -> ramp(x + z, y)\n"
    "wrong_v2 ramp(x, c0) / broadcast(c1) -> ramp(x / c1, fold(c0 / c1)) if 0 < c1\n"
    "wrong_v3 ramp(x, c0) % broadcast(c1) -> ramp(x % c1, c0) if 0 < c1 && c0 < c1\n"
    "wrong_v4 ramp(x, y) < broadcast(z) -> broadcast(true) if x < z\n"
    "wrong_v5 ramp(x, y) == broadcast(z) -> broadcast(false) if x < z\n"
    "wrong_v6 min(ramp(x, y), ramp(z, w)) -> ramp(min(x, z), min(y, w))\n";

/* Refuted as they stand, and not proved by any other encoding. */
static int count_not_refuted(Solver *solver, Arena *arena) {
    RuleSet set = {.arena = arena};
    int missed = 0;
    rule_read(&set, "wrong", wrong_rules);
    for (size_t i = 0; i < set.rules.length; i++) {
        const Rule *rule = &set.rules.data[i];
        for (int encoding = 0; encoding < 3; encoding++) {
            char answer[256];
            Type type = rule_is_typed(rule) ? type_by_number(__builtin_ctz(rule->types)) : INDEX;
            char *query = rule_smt_text(rule, type, encoding);
            if (!query)
                continue;
            ask(solver, rule, query, answer, sizeof answer);
            free(query);
            if (encoding == 0 ? strcmp(answer, "sat") : !strcmp(answer, "unsat")) {
                printf("%s should be refuted (%d): %s\n", rule->name, encoding, answer);
                missed++;
            }
        }
    }
    return missed + (set.rules.length != 33);
}

/* The encodings' own lemma about lanes, from nothing. */
static bool lane_lemma_holds(Solver *solver) {
    char answer[256], *query = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&query, &size);
    rule_smt_write_lane_lemma(out);
    fclose(out);
    ask(solver, &(Rule){.rule_class = RULES_VECTORS}, query, answer, sizeof answer);
    free(query);
    if (strcmp(answer, "unsat"))
        printf("the lemma about lanes is not proved: %s\n", answer);
    return !strcmp(answer, "unsat");
}

int main(void) {
    Context *context = context_create();
    RuleSet set = {.arena = context->arena};
    Proving p = {0};
    p.solver = (Solver){process_start(context->arena, "z3"), context->arena};
    if (!p.solver.process || !process_is_ready(p.solver.process, context->arena)) {
        printf("z3 is not installed\n");
        return 77;
    }
    load_verdicts(context->arena, &p.verdicts);
    p.cache = fopen(CACHE, "a");
    read_shipped(&set);
    for (size_t i = 0; i < set.rules.length; i++)
        prove(&p, &set.rules.data[i]);
    int missed = count_not_refuted(&p.solver, context->arena);
    missed += !lane_lemma_holds(&p.solver);
    process_stop(p.solver.process);
    fclose(p.cache);
    bool recorded = record_holds(&set);
    printf(
        "%zu rules; %d proofs, %d of them from earlier runs; %d rules as recorded; %d not proved\n",
        set.rules.length, p.proved, p.cached, p.recorded, p.failed);
    bool good =
        recorded && !p.failed && !missed && !set.errors.length && set.rules.length && p.proved;
    context_destroy(context);
    return !good;
}
