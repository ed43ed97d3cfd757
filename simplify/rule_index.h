/* rule_index.h -- finds the rules that may match a node, without trying each.
 *
 * The index looks at eight places of a node: its operands, four operands of those, and the kind of
 * its type. The symbols at these places are the node's *shape*. For each root operator, place and
 * symbol, the rule compiler writes a set of bits (tools/rulec/index.c): the rules, in file order,
 * whose left side allows that symbol at that place. The intersection over the places is the set of
 * rules to try. It also excludes rules that require one expression at two places (Rule.equal) if
 * the node has two different ones. A wildcard allows every symbol, so no matching rule is lost. A
 * further rule adds one bit to each set, so there may be many rules.
 */
#ifndef HLC_SIMPLIFY_RULE_INDEX_H
#define HLC_SIMPLIFY_RULE_INDEX_H

#include "ir/ops.h"

typedef enum RulePlace {
    PLACE_FIRST,
    PLACE_SECOND,
    PLACE_THIRD,
    PLACE_FIRST_FIRST,
    PLACE_FIRST_SECOND,
    PLACE_SECOND_FIRST,
    PLACE_SECOND_SECOND,
    PLACE_KIND, /* TypeKind of the last operand */
    RULE_PLACES
} RulePlace;

/* At a place: an operator or a leaf (Op), or that there is no such operand; a TypeKind at
 * PLACE_KIND. */
#define SYMBOL_ABSENT OP_END
#define SYMBOL_COUNT  (OP_END + 1)

/* Places at which a left side may ask for the same expression twice. */
#define RULE_PAIRS 10
static const uint8_t rule_pairs[RULE_PAIRS][2] = {
    {PLACE_FIRST, PLACE_SECOND},
    {PLACE_FIRST, PLACE_SECOND_FIRST},
    {PLACE_FIRST, PLACE_SECOND_SECOND},
    {PLACE_FIRST_FIRST, PLACE_SECOND},
    {PLACE_FIRST_SECOND, PLACE_SECOND},
    {PLACE_FIRST_FIRST, PLACE_SECOND_FIRST},
    {PLACE_FIRST_FIRST, PLACE_SECOND_SECOND},
    {PLACE_FIRST_SECOND, PLACE_SECOND_FIRST},
    {PLACE_FIRST_SECOND, PLACE_SECOND_SECOND},
    {PLACE_SECOND, PLACE_THIRD},
};

typedef struct RuleShape {
    uint8_t symbols[RULE_PLACES];
} RuleShape;

/* The simplifier's rules with one operator at the root, then the solver's. */
#define RULE_ROOTS (2 * OP_COUNT)
static inline int rule_root(bool solving, int op) {
    return (solving ? OP_COUNT : 0) + op;
}

/* The rules for one root: `count` of them from rule_index_rules[first] on, numbers
 * of rule_table in file order; the sets, of `words` words each, from rule_index_sets[sets] on, by
 * place and symbol. */
typedef struct RuleIndex {
    uint16_t first, count, words;
    uint32_t sets;
} RuleIndex;

/* The generated tables. */
extern const RuleIndex rule_index[RULE_ROOTS];
extern const uint16_t rule_index_rules[];
extern const uint64_t rule_index_sets[];

static inline uint32_t rule_index_row(const RuleIndex *index, int place, int symbol) {
    return index->sets + (uint32_t)(place * SYMBOL_COUNT + symbol) * index->words;
}

/* Returns word number `word` of the set of rules that may match a node of this shape. */
static inline uint64_t rule_index_candidates(const RuleIndex *index, const RuleShape *shape,
                                             int word) {
    uint64_t set = ~(uint64_t)0;
    for (int place = 0; set && place < RULE_PLACES; place++)
        set &=
            rule_index_sets[rule_index_row(index, place, shape->symbols[place]) + (uint32_t)word];
    return set;
}

#endif
