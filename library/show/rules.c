/* rules.c -- prints the documentation of the simplifier's rules from the compiled table: the
 * rewriting, its types, the component of the reduction order that decreases, and the proof.
 */
#include "library/compiler.h"
#include "library/json.h"

#include "simplify/rule.h"

#include <string.h>

static const char *const CLASSES[] = {
    [RULES_INTEGERS] = "integers", [RULES_MACHINE] = "machine", [RULES_FLOAT] = "float",
    [RULES_BOOL] = "bool",         [RULES_ANY] = "any",         [RULES_SOLVE] = "solve",
    [RULES_VECTORS] = "vectors"};

static const char *const COMPONENTS[] = {
#define COMPONENT(NAME, SENTENCE) SENTENCE,
#include "simplify/order.def"
#undef COMPONENT
};

static const char *const SOLVE_COMPONENTS[] = {
#define COMPONENT(NAME, SENTENCE) SENTENCE,
#include "simplify/solve_order.def"
#undef COMPONENT
};

/* Returns the component of its order that the rule decreases. */
static const char *witness(const Rule *rule) {
    return rule->rule_class == RULES_SOLVE ? SOLVE_COMPONENTS[rule->witness]
                                           : COMPONENTS[rule->witness];
}

typedef struct ProofRow {
    const char *word, *sentence;
} ProofRow;

static const ProofRow PROOFS[] = {
#define PROOF(NAME, WORD, SENTENCE) {WORD, SENTENCE},
#include "simplify/proof.def"
#undef PROOF
};

/* Returns the rule's source text without its name, with single blanks between words. */
static const char *rule_text(Arena *arena, const Rule *rule) {
    const char *from = rule->text + strlen(rule->name);
    char *text = arena_text(arena, from, strlen(from)), *to = text;
    for (const char *c = text; *c; c++)
        if (*c != ' ' || (to > text && to[-1] != ' '))
            *to++ = *c;
    *to = 0;
    return text;
}

/* "i8, u16": the types for which a machine or float rule is proved; "" for all. */
static const char *type_names(hlc *h, const Rule *rule) {
    NameList names = {0};
    bool all = rule->types == ALL_MACHINE_TYPES || rule->types == ALL_FLOAT_TYPES;
    for (int number = 0; number < TYPE_COUNT && !all; number++)
        if (rule->types >> number & 1)
            vec_push(h->scratch, &names, type_name(type_by_number(number)));
    return names.length ? compiler_list(h, &names) : "";
}

static void print_text(hlc *h, const Rule *rule, FILE *out) {
    const char *types = type_names(h, rule);
    fprintf(out, "%s  (%s:%d, over %s%s%s)\n    %s\n    goes down by: %s\n    proved: %s\n",
            rule->name, rule->file, rule->line, CLASSES[rule->rule_class], *types ? " " : "", types,
            rule_text(h->scratch, rule), witness(rule), PROOFS[rule->proof].sentence);
}

static void print_json(hlc *h, const Rule *rule, FILE *out) {
    fputs("{\"name\":", out);
    json_text(rule->name, out);
    json_member("file", rule->file, out);
    fprintf(out, ",\"line\":%d", rule->line);
    json_member("class", CLASSES[rule->rule_class], out);
    json_member("types", type_names(h, rule), out);
    json_member("rule", rule_text(h->scratch, rule), out);
    json_member("witness", witness(rule), out);
    json_member("proof", PROOFS[rule->proof].word, out);
    json_end(out);
}

/* Counts the rules by class and by proof. */
static void print_summary(FILE *out) {
    int total = 0, classes[RULE_CLASS_COUNT] = {0}, proofs[RULE_PROOF_COUNT] = {0};
    for (size_t i = 0; i < rule_table_count; i++) {
        if (rule_table[i].variant)
            continue;
        total++;
        classes[rule_table[i].rule_class]++;
        proofs[rule_table[i].proof]++;
    }
    fprintf(out, "%d rules:", total);
    for (int i = 0; i < RULE_CLASS_COUNT; i++)
        fprintf(out, "%s %d over %s", i ? "," : "", classes[i], CLASSES[i]);
    for (int i = 0; i < RULE_PROOF_COUNT; i++)
        if (proofs[i])
            fprintf(out, "%s %d proved %s", i ? "," : ";", proofs[i], PROOFS[i].sentence);
    fputc('\n', out);
}

typedef struct RulesQuestion {
    const char *name;
    bool json;
    FILE *out;
} RulesQuestion;

static hlc_status answer(hlc *h, void *data) {
    const RulesQuestion *question = data;
    int found = 0;
    for (size_t i = 0; i < rule_table_count; i++) {
        const Rule *rule = &rule_table[i];
        if (rule->variant || (question->name && strcmp(question->name, rule->name)))
            continue;
        found++;
        (question->json ? print_json : print_text)(h, rule, question->out);
    }
    if (question->name && !found)
        return compiler_rule_exists(h, question->name), HLC_USER;
    if (!question->name && !question->json)
        print_summary(question->out);
    return HLC_YES;
}

bool compiler_rule_exists(hlc *h, const char *name) {
    const char **names = arena_array(h->scratch, const char *, rule_table_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < rule_table_count; i++) {
        if (!strcmp(rule_table[i].name, name))
            return true;
        if (!rule_table[i].variant)
            names[count++] = rule_table[i].name;
    }
    names[count] = NULL;
    const char *nearest = hlc_nearest(name, names);
    diag(h->context, DIAG_RULE_UNKNOWN, NOWHERE, name,
         nearest ? arena_format(h->scratch, "did you mean `%s`?", nearest)
                 : "`hlc rules` lists them");
    return false;
}

hlc_status hlc_rules(hlc *h, const char *name, bool json, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    RulesQuestion question = {.name = name, .json = json, .out = out};
    return compiler_enter(h, answer, &question);
}
