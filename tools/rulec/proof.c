/* proof.c -- the record of the proofs of rules.
 *
 * A test (tests/unit/simplify_proof.c) repeats the proofs; it needs Z3 and a minute.
 * simplify/rules/proofs.txt records how each went, for the documentation of `hlc rules`, and so
 * that the test starts with the successful encoding. The record proves nothing by itself: the test
 * runs Z3 in every fresh build folder, and fails if the record disagrees.
 */
#include "base/hash.h"
#include "tools/rulec/rule_set.h"

#include <stdlib.h>
#include <string.h>

static const char *const WORDS[] = {
#define PROOF(NAME, WORD, SENTENCE) WORD,
#include "simplify/proof.def"
#undef PROOF
};

int rule_proof_encoding(RuleProof proof) {
    return proof == PROOF_BY_VECTORS || proof == PROOF_BY_FLOATS ? 0 : (int)proof;
}

RuleProof rule_proof_by(const Rule *rule, int encoding) {
    if (rule->rule_class == RULES_FLOAT)
        return PROOF_BY_FLOATS;
    return rule->rule_class == RULES_MACHINE ? PROOF_BY_VECTORS : (RuleProof)encoding;
}

char *rule_smt_text(const Rule *rule, Type type, int encoding) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool written = out && rule_smt_write(out, rule, type, encoding);
    if (out)
        fclose(out);
    if (written)
        return text;
    free(text);
    return NULL;
}

/* Hashes all queries that prove the rule; 0 if there is no such encoding. */
static uint64_t query_hash(const Rule *rule, RuleProof proof) {
    uint64_t hash = HASH_SEED;
    for (int number = 0; number < TYPE_COUNT; number++) {
        bool typed = rule_is_typed(rule);
        if (typed ? !(rule->types >> number & 1) : number > 0)
            continue;
        char *text =
            rule_smt_text(rule, typed ? type_by_number(number) : INDEX, rule_proof_encoding(proof));
        if (!text)
            return 0;
        hash = hash_mix(hash, hash_bytes(text, strlen(text)));
        free(text);
    }
    return hash;
}

static RuleProof proof_named(const char *word) {
    int proof = 0;
    while (proof < PROOF_BY_NONE && strcmp(WORDS[proof], word))
        proof++;
    return (RuleProof)proof;
}

/* Can a rule of this class have this proof? */
static bool suits(const Rule *rule, RuleProof proof) {
    return proof != PROOF_BY_NONE && rule_proof_by(rule, rule_proof_encoding(proof)) == proof;
}

static Rule *rule_named(RuleSet *set, const char *name) {
    for (size_t i = 0; i < set->rules.length; i++)
        if (!strcmp(set->rules.data[i].name, name))
            return &set->rules.data[i];
    return NULL;
}

/* Ignores lines about removed or changed rules. */
void rule_proofs_read(RuleSet *set, const char *file, const char *text) {
    for (int line = 1; *text; line++) {
        char name[100], word[20];
        unsigned long long hash;
        if (sscanf(text, "%99s %19s %llx", name, word, &hash) != 3) {
            rule_error(set, file, line, "a line is NAME WORD HASH");
            return;
        }
        RuleProof proof = proof_named(word);
        Rule *rule = rule_named(set, name);
        if (rule && suits(rule, proof) && query_hash(rule, proof) == hash)
            rule->proof = (uint8_t)proof;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

void rule_proofs_write(const RuleSet *set, FILE *out) {
    for (size_t i = 0; i < set->rules.length; i++) {
        const Rule *rule = &set->rules.data[i];
        RuleProof proof = (RuleProof)rule->proof;
        if (proof != PROOF_BY_NONE)
            fprintf(out, "%s %s %016llx\n", rule->name, WORDS[proof],
                    (unsigned long long)query_hash(rule, proof));
    }
}
