/* find_operators.c -- `find_operators [OPTIONS] BY_HAND.rules OUT.rules PROOFS.txt`: searches for
 * elementary operators, proves them, and writes them with the record of their proofs;
 * docs/associativity.md.
 *
 * The journal keeps what came of each candidate, `OPERATOR <tab> SECTION <tab> ENTRY` or `OPERATOR
 * <tab>`, so that a run that was stopped goes on, and one with larger limits proves only what is
 * new.  --collect writes what the journal has, of a run that goes on or was stopped, and searches
 * for nothing.  What is printed on standard error is what each size cost. */
#include "elementary/elementary.h"
#include "elementary/search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Options {
    const char *by_hand, *out, *proofs, *journal;
    int single, pairs, mutual;
    bool lists;    /* print the candidates, and prove none */
    bool collects; /* write what the journal has */
} Options;

typedef struct Line {
    const char *section, *entry; /* `x + y -> 0 commutes` */
} Line;

typedef struct Finder {
    Context *context;
    Arena *arena;
    SolverProcess *solver;
    FILE *journal;
    Map outcomes; /* the operator's text, a Symbol -> the rest of the journal's line */
    Vec(Line) lines;
    KnownOperators *known;
    int candidates, derived, open;
    bool lists, collects;
} Finder;

/* ---- entries ---- */

static const char *const SECTIONS[] = {[1] = "machine i8 i16 i32 i64",
                                       [2] = "machine u8 u16 u32 u64",
                                       [3] = "machine",
                                       [4] = "float",
                                       [5] = "number i8 i16 i32 i64 f32 f64",
                                       [6] = "number u8 u16 u32 u64 f32 f64",
                                       [7] = "number"};

/* Null where it is none, of which there should be none. */
static const OperatorEntry *read_entry(Finder *f, Arena *arena, const char *section,
                                       const char *entry) {
    OperatorSet set = {.context = f->context, .arena = arena};
    set.pool = pool_create(f->context, arena);
    operators_read(&set, "candidate",
                   arena_format(arena, "over %s\ncandidate %s\n", section, entry), false);
    return set.entries.length == 1 ? &set.entries.data[0] : NULL;
}

/* ---- the journal ---- */

static void add_line(Finder *f, const char *outcome);

static void read_journal(Finder *f, const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) >= 0) {
        char *tab = strchr(line, '\t');
        size_t length = strlen(line);
        if (!tab || line[length - 1] != '\n') /* cut short by the end of that run */
            continue;
        line[length - 1] = *tab = 0;
        const char *outcome = arena_text(f->arena, tab + 1, strlen(tab + 1));
        map_put(&f->outcomes, context_symbol(f->context, line), (void *)outcome);
        f->open += f->collects && !*outcome;
        if (f->collects)
            add_line(f, outcome);
    }
    free(line);
    if (file)
        fclose(file);
    if (!f->collects)
        f->journal = fopen(path, "a");
}

static void add_line(Finder *f, const char *outcome) {
    const char *tab = strchr(outcome, '\t');
    if (!tab)
        return;
    Line line = {arena_text(f->arena, outcome, (size_t)(tab - outcome)),
                 arena_text(f->arena, tab + 1, strlen(tab + 1))};
    vec_push(f->arena, &f->lines, line);
    known_add(f->known, read_entry(f, f->arena, line.section, line.entry));
}

/* Candidates that are not proved are known, too, while they are listed. */
static void list(Finder *f, const char *operator, unsigned domains) {
    printf("%u %s\n", domains, operator);
    known_add(f->known, read_entry(f, f->arena, SECTIONS[domains],
                                   arena_format(f->arena, "%s -> none", operator)));
}

static void conclude(Finder *f, const char *operator, const char * outcome) {
    if (f->journal) {
        fprintf(f->journal, "%s\t%s\n", operator, outcome);
        fflush(f->journal);
    }
    add_line(f, outcome);
}

/* ---- candidates ---- */

/* Without parentheses around all of it. */
static const char *bare_text(Arena *arena, const Term *term, bool pair) {
    const char *text = term_text(arena, term, pair);
    return *text == '(' ? arena_text(arena, text + 1, strlen(text) - 2) : text;
}

static const char *operator_text(Arena *arena, const Candidate *c) {
    if (c->arity == 1)
        return bare_text(arena, c->terms[0], false);
    return arena_format(arena, "{%s, %s}", bare_text(arena, c->terms[0], true),
                        bare_text(arena, c->terms[1], true));
}

/* Where no identity is found: `unknown`, until it is proved that there is none. */
static const char *entry_text(Arena *arena, const Candidate *c, unsigned domains) {
    const char *texts[2], *identity = "unknown";
    if (candidate_identity(c, domains, texts))
        identity = c->arity == 1 ? texts[0] : arena_format(arena, "{%s, %s}", texts[0], texts[1]);
    bool commutes = candidate_commutes(c, (Domain)__builtin_ctz(domains));
    return arena_format(arena, "%s -> %s%s", operator_text(arena, c), identity,
                        commutes ? " commutes" : "");
}

static ProofResult prove_over(Finder *f, Arena *scratch, const char *text, unsigned domains) {
    const char *failed;
    const OperatorEntry *entry = read_entry(f, scratch, SECTIONS[domains], text);
    return entry ? entry_prove(f->solver, scratch, entry, &failed) : ENTRY_REFUTED;
}

/* `none` in the place of `unknown`, where that is proved. */
static const char *say_none(Finder *f, Arena *scratch, const char *text, unsigned domains) {
    static const char unknown[] = "-> unknown";
    const char *place = strstr(text, unknown);
    const OperatorEntry *entry = read_entry(f, scratch, SECTIONS[domains], text);
    if (!place || !entry_lacks_identity(f->solver, scratch, entry))
        return text;
    return arena_format(scratch, "%.*s-> none%s", (int)(place - text), text,
                        place + strlen(unknown));
}

/* All domains together, or where that is refuted all integers, or else one domain: the first that
 * is proved.  What Z3 leaves open, it leaves open of fewer, too. */
static const char *prove(Finder *f, Arena *scratch, const Candidate *c, unsigned lacking) {
    static const unsigned sets[] = {EVERY_DOMAIN, 3, 1, 2, 4};
    unsigned before = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        unsigned domains = lacking & sets[i];
        if (!domains || domains == before)
            continue;
        before = domains;
        const char *entry = entry_text(scratch, c, domains);
        ProofResult result = prove_over(f, scratch, entry, domains);
        if (result == ENTRY_OPEN)
            break;
        if (result == ENTRY_PROVED)
            return arena_format(scratch, "%s\t%s", SECTIONS[domains],
                                say_none(f, scratch, entry, domains));
    }
    f->open++;
    return "";
}

/* select(a < b, x, y), or with its arms exchanged, where the condition is about one of x and y: of
 * these every one is associative, whatever its condition, and the recogniser proves them so. */
static bool is_choice(const Term *term) {
    if (term->op != OP_SELECT || term->c->op != OP_COUNT || term->d->op != OP_COUNT)
        return false;
    unsigned condition = term->a->has | term->b->has;
    bool of_one = !(condition & HAS_X) || !(condition & HAS_Y);
    return of_one && (term->c->has | term->d->has) == (1u << LEAF_X0 | 1u << LEAF_Y0);
}

static bool term_has(const Term *term, Op op) {
    return term->op == op || (term->op != OP_COUNT &&
                              (term_has(term->a, op) || term_has(term->b, op) ||
                               (term->c && (term_has(term->c, op) || term_has(term->d, op)))));
}

/* Products that are compared: at the width of a type Z3 leaves them open. */
static bool is_beyond_proof(const Candidate *c) {
    enum { TRIED = 5 };
    const Term *term = c->terms[0];
    return c->arity == 1 && term->leaves > TRIED && term_has(term, OP_MUL) &&
           (term_has(term, OP_MIN) || term_has(term, OP_MAX) || term_has(term, OP_SELECT));
}

/* In which domains it is no operator that others make.  By hand are all of two leaves; of three,
 * those with a constant are kept, whatever they are made of: the paper lists them. */
static unsigned lacking(Finder *f, Arena *scratch, const Candidate *c) {
    enum { BY_HAND = 2, LISTED = 3, CHOICE = 4 };
    const Term *first = c->terms[0];
    if (c->arity == 1 && first->leaves <= BY_HAND)
        return 0;
    if (c->arity == 1 && first->leaves == LISTED && first->has & HAS_K)
        return c->domains;
    if (c->arity == 1 && first->leaves > CHOICE && is_choice(first))
        return 0;
    const char *text = arena_format(scratch, "%s -> none", operator_text(scratch, c));
    const OperatorEntry *entry = read_entry(f, scratch, SECTIONS[c->domains], text);
    return entry ? known_lacks(f->known, entry, c->domains, scratch) : 0;
}

/* Those over the reals alone are many, and of no use to integers. */
static bool is_dropped(const Candidate *c, unsigned domains) {
    enum { MOST = 4 };
    return !domains ||
           (domains == 1u << DOMAIN_REALS && (c->arity > 1 || c->terms[0]->leaves > MOST));
}

static void visit_candidate(void *data, const Candidate *c) {
    Finder *f = data;
    f->candidates++;
    if (is_dropped(c, c->domains))
        return;
    if (is_beyond_proof(c)) {
        f->open++;
        return;
    }
    Arena *scratch = arena_create(&f->context->memory);
    const char *operator= operator_text(scratch, c);
    const char *before = map_get(&f->outcomes, context_symbol(f->context, operator));
    unsigned domains = lacking(f, scratch, c);
    if (domains)
        domains = refutation_exhaust(c, domains);
    if (is_dropped(c, domains))
        f->derived++;
    else if (f->lists)
        list(f, operator, domains);
    else if (before)
        add_line(f, before);
    else
        conclude(f, operator, prove(f, scratch, c, domains));
    arena_destroy(scratch);
}

/* ---- results ---- */

/* The entries by section, in the order in which they were found. */
static char *rules_text(Finder *f) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(
        "# found.rules: operators found by enumeration (find_operators, docs/associativity.md).\n",
        out);
    int number = 0;
    for (int domains = EVERY_DOMAIN; domains > 0; domains--) {
        bool is_first = true;
        for (size_t i = 0; i < f->lines.length; i++) {
            if (strcmp(f->lines.data[i].section, SECTIONS[domains]) != 0)
                continue;
            if (is_first)
                fprintf(out, "\nover %s\n", SECTIONS[domains]);
            is_first = false;
            fprintf(out, "found_%d  %s\n", ++number, f->lines.data[i].entry);
        }
    }
    fclose(out);
    return text;
}

/* The record keeps what it says of other entries. */
static bool write_record(Finder *f, const Options *options, const char *rules) {
    OperatorSet set = {.context = f->context, .arena = f->arena};
    set.pool = pool_create(f->context, f->arena);
    operators_read(&set, options->out, rules, false);
    char *before = NULL, *line = NULL;
    size_t size = 0, kept_size = 0;
    FILE *kept = open_memstream(&before, &kept_size), *in = fopen(options->proofs, "r");
    while (in && getline(&line, &size, in) >= 0)
        if (strncmp(line, "found_", 6) != 0)
            fputs(line, kept);
    free(line);
    if (in)
        fclose(in);
    fclose(kept);
    FILE *out = fopen(options->proofs, "w");
    if (!out)
        return false;
    fputs(before, out);
    free(before);
    for (size_t i = 0; i < set.entries.length; i++)
        fprintf(out, "%s proved %016llx\n", set.entries.data[i].name,
                (unsigned long long)operator_hash(&set.entries.data[i]));
    return !fclose(out) && !set.errors.length;
}

static bool write_results(Finder *f, const Options *options) {
    char *rules = rules_text(f);
    FILE *out = fopen(options->out, "w");
    bool written = out && fputs(rules, out) >= 0;
    if (out)
        written = !fclose(out) && written;
    written = written && write_record(f, options, rules);
    free(rules);
    return written;
}

static void run_size(Finder *f, const char *kind,
                     void search(Arena *, int, CandidateVisit *, void *), int leaves) {
    clock_t begin = clock();
    int before = f->candidates;
    if (leaves < 2)
        return;
    search(f->arena, leaves, visit_candidate, f);
    fprintf(stderr, "%s of up to %d leaves: %d candidates, %.1f s of this process\n", kind, leaves,
            f->candidates - before, (double)(clock() - begin) / CLOCKS_PER_SEC);
}

/* ---- the command line ---- */

static bool know_by_hand(Finder *f, const char *path) {
    OperatorSet set = {.context = f->context, .arena = f->arena};
    set.pool = pool_create(f->context, f->arena);
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file && getdelim(&text, &size, 0, file) >= 0)
        operators_read(&set, path, arena_text(f->arena, text, strlen(text)), true);
    free(text);
    if (file)
        fclose(file);
    for (size_t i = 0; i < set.entries.length; i++)
        known_add(f->known, &set.entries.data[i]);
    return set.entries.length > 0 && !set.errors.length;
}

static bool number_of(const char *argument, const char *name, int *number) {
    size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=')
        return false;
    *number = atoi(argument + length + 1);
    return true;
}

static bool read_argument(Options *options, const char *argument) {
    if (number_of(argument, "--single", &options->single) ||
        number_of(argument, "--pairs", &options->pairs) ||
        number_of(argument, "--mutual", &options->mutual))
        return true;
    if (!strcmp(argument, "--list"))
        options->lists = true;
    else if (!strcmp(argument, "--collect"))
        options->collects = true;
    else if (!strncmp(argument, "--journal=", 10))
        options->journal = argument + 10;
    else if (argument[0] != '-' && !options->by_hand)
        options->by_hand = argument;
    else if (argument[0] != '-' && !options->out)
        options->out = argument;
    else if (argument[0] != '-' && !options->proofs)
        options->proofs = argument;
    else
        return false;
    return true;
}

int main(int count, char **arguments) {
    Options options = {.single = 5, .pairs = 4, .mutual = 4};
    bool good = true;
    for (int i = 1; i < count; i++)
        good = good && read_argument(&options, arguments[i]);
    if (!good || !options.by_hand || (!options.proofs && !options.lists) || options.single > 8 ||
        options.pairs > 6 || options.mutual > 6) {
        fprintf(
            stderr,
            "usage: find_operators [--journal=FILE] [--single=N] [--pairs=N] "
            "[--mutual=N] BY_HAND.rules OUT.rules PROOFS.txt\n"
            "       find_operators --collect --journal=FILE BY_HAND.rules OUT.rules PROOFS.txt\n"
            "       find_operators --list [--single=N] [--pairs=N] [--mutual=N] BY_HAND.rules\n");
        return 2;
    }
    Context *context = context_create();
    Finder f = {.context = context, .arena = context->arena};
    f.outcomes = map_create(f.arena);
    f.known = known_create(f.arena);
    bool has_by_hand = know_by_hand(&f, options.by_hand);
    f.lists = options.lists;
    f.collects = options.collects;
    if (options.journal)
        read_journal(&f, options.journal);
    f.solver = f.collects ? NULL : process_start(f.arena, "z3");
    int status = 3;
    if (has_by_hand && f.solver && process_is_ready(f.solver, f.arena)) {
        run_size(&f, "one element", search_single, options.single);
        run_size(&f, "a pair", search_pairs, options.pairs);
        run_size(&f, "two that need each other", search_mutual, options.mutual);
        fprintf(stderr, "%d candidates: %d made of others, %d not proved, %zu entries\n",
                f.candidates, f.derived, f.open, f.lines.length);
        status = f.lists || write_results(&f, &options) ? 0 : 3;
    } else if (has_by_hand && f.collects) {
        fprintf(stderr, "%d not proved, %zu entries\n", f.open, f.lines.length);
        status = write_results(&f, &options) ? 0 : 3;
    }
    if (status)
        fprintf(stderr,
                "find_operators: z3 is not installed, or a file cannot be read or written\n");
    if (f.solver)
        process_stop(f.solver);
    if (f.journal)
        fclose(f.journal);
    context_destroy(context);
    return status;
}
