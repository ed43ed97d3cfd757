/* index.c -- computes the sets of rules by symbol and place (rule_index.h), and writes them as C
 * tables. */
#include "simplify/rule_index.h"
#include "tools/rulec/rule_set.h"

/* The operand numbers on the path from the root to a place; -1 ends it. */
static const int paths[RULE_PLACES][2] = {
    [PLACE_FIRST] = {0, -1},       [PLACE_SECOND] = {1, -1},      [PLACE_THIRD] = {2, -1},
    [PLACE_FIRST_FIRST] = {0, 0},  [PLACE_FIRST_SECOND] = {0, 1}, [PLACE_SECOND_FIRST] = {1, 0},
    [PLACE_SECOND_SECOND] = {1, 1}};

static const RuleTerm *operand(const RuleTerm *term, int number) {
    for (term++; number > 0; number--)
        term = rule_term_end(term);
    return term;
}

/* Can the term match a node with this symbol? */
static bool can_be(const RuleTerm *term, int symbol) {
    switch (term->op) {
    case TERM_WILDCARD:
        return symbol != SYMBOL_ABSENT;
    case TERM_CONSTANT:
    case TERM_LITERAL:
    case TERM_LANES:
        return symbol == OP_CONSTANT;
    case TERM_TRUTH:
        return symbol == OP_CONSTANT || symbol == OP_BROADCAST;
    case OP_ADD:
        return symbol == OP_ADD || (term->pick && symbol == OP_SUB);
    default:
        return symbol == term->op;
    }
}

/* Returns the term of the left side at a place; null if there is none. `*is_free`: any symbol is
 * allowed there, because the place belongs to a wildcard, to a sum whose terms the matcher chooses,
 * or to `true` in all lanes. */
static const RuleTerm *term_at(const Rule *rule, int place, bool *is_free) {
    const RuleTerm *term = rule->left;
    *is_free = false;
    for (int i = 0; i < 2 && paths[place][i] >= 0; i++) {
        *is_free = term->op == TERM_WILDCARD || term->op == TERM_TRUTH || (i > 0 && term->pick);
        if (*is_free || paths[place][i] >= rule_term_arity(term))
            return NULL;
        term = operand(term, paths[place][i]);
    }
    return term;
}

static bool class_allows(RuleClass class, int kind) {
    switch (class) {
    case RULES_INTEGERS:
    case RULES_SOLVE:
        return kind == TYPE_INDEX;
    case RULES_MACHINE:
        return kind == TYPE_INT || kind == TYPE_UINT;
    case RULES_FLOAT:
        return kind == TYPE_FLOAT; /* no rule is proved for bf16 */
    case RULES_BOOL:
        return kind == TYPE_BOOL;
    case RULES_ANY:
    case RULES_VECTORS:
    case RULE_CLASS_COUNT:
        break;
    }
    return true;
}

/* May the last operand be of a type of this kind? */
static bool allows_kind(const Rule *rule, int kind) {
    const RuleTerm *last = operand(rule->left, rule_term_arity(rule->left) - 1);
    if (last->op == TERM_WILDCARD || last->op == TERM_CONSTANT)
        return rule->bool_slots >> last->value & 1 ? kind == TYPE_BOOL
                                                   : class_allows(rule->rule_class, kind);
    if (last->op == TERM_LITERAL)
        return class_allows(rule->rule_class, kind);
    if (last->op == TERM_TRUTH)
        return kind == TYPE_BOOL;
    if (last->op >= OP_COUNT)
        return true; /* a vector */
    OpTypes types = op_info((Op)last->op)->types;
    if (types == TYPES_COMPARE || types == TYPES_LOGIC)
        return kind == TYPE_BOOL;
    return types != TYPES_SAME || class_allows(rule->rule_class, kind);
}

/* (y + x) / y and (x * y + z) / y, for any chosen term of the sum, have no constant divisor:
 * divide.c has already removed its multiples from the dividend. */
static bool divides_term(const Rule *rule) {
    const RuleTerm *root = rule->left, *sum = root + 1, *term = sum + 1;
    bool divides = root->op == OP_DIV || root->op == OP_MOD;
    if (rule->rule_class != RULES_INTEGERS || !divides || !sum->pick)
        return false;
    const RuleTerm *divisor = operand(root, 1), *end = rule_term_end(term);
    if (divisor->op != TERM_WILDCARD || (term->op != OP_MUL && term->op != TERM_WILDCARD))
        return false;
    for (; term < end; term++)
        if (term->op == TERM_WILDCARD && term->value == divisor->value)
            return true;
    return false;
}

static bool allows(const Rule *rule, int place, int symbol) {
    if (place == PLACE_KIND)
        return allows_kind(rule, symbol);
    if (place == PLACE_SECOND && symbol == OP_CONSTANT && divides_term(rule))
        return false;
    bool is_free;
    const RuleTerm *term = term_at(rule, place, &is_free);
    if (is_free)
        return true;
    return term ? can_be(term, symbol) : symbol == SYMBOL_ABSENT;
}

unsigned rule_index_equal(const Rule *rule) {
    unsigned equal = 0;
    for (int pair = 0; pair < RULE_PAIRS; pair++) {
        bool free[2];
        const RuleTerm *a = term_at(rule, rule_pairs[pair][0], &free[0]);
        const RuleTerm *b = term_at(rule, rule_pairs[pair][1], &free[1]);
        bool slots = a && b && a->op == b->op && (a->op == TERM_WILDCARD || a->op == TERM_CONSTANT);
        equal |= (unsigned)(slots && a->value == b->value) << pair;
    }
    return equal;
}

/* Returns the shape of the simplest node that the left side matches: variables for wildcards. */
static RuleShape plainest(const Rule *rule) {
    RuleShape shape;
    for (int place = 0; place < RULE_PLACES; place++) {
        static const int likely[] = {OP_VARIABLE, OP_CONSTANT, SYMBOL_ABSENT};
        int symbol = 0;
        for (int i = 0; i < 3 && !symbol; i++)
            symbol = place != PLACE_KIND && allows(rule, place, likely[i]) ? likely[i] : 0;
        for (; !symbol || !allows(rule, place, symbol); symbol++)
            if (allows(rule, place, symbol))
                break;
        shape.symbols[place] = (uint8_t)symbol;
    }
    return shape;
}

static bool allows_shape(const Rule *rule, const RuleShape *shape) {
    for (int place = 0; place < RULE_PLACES; place++)
        if (!allows(rule, place, shape->symbols[place]))
            return false;
    return true;
}

static int root_of(const Rule *rule) {
    return rule_root(rule->rule_class == RULES_SOLVE, rule->left[0].op);
}

void rule_index_check(RuleSet *set) {
    for (size_t i = 0; i < set->rules.length; i++) {
        const Rule *rule = &set->rules.data[i];
        RuleShape shape = plainest(rule);
        int tried = 1;
        for (size_t j = 0; j < i; j++)
            tried += root_of(&set->rules.data[j]) == root_of(rule) &&
                     allows_shape(&set->rules.data[j], &shape);
        if (tried == RULE_TRIED_MAX + 1)
            rule_error(set, rule->file, rule->line,
                       "rule %s is one too many for nodes that begin like its left side: a node "
                       "would try more than %d rules",
                       rule->name, RULE_TRIED_MAX);
    }
}

/* The rules of one root, by number. */
typedef Vec(size_t) Numbers;

static Numbers rules_of(const RuleSet *set, int root) {
    Numbers numbers = {0};
    for (size_t i = 0; i < set->rules.length; i++)
        if (root_of(&set->rules.data[i]) == root)
            vec_push(set->arena, &numbers, i);
    return numbers;
}

static void write_sets(const RuleSet *set, const Numbers *numbers, FILE *out) {
    size_t words = (numbers->length + 63) / 64;
    for (int place = 0; place < RULE_PLACES; place++)
        for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++)
            for (size_t word = 0; word < words; word++) {
                uint64_t bits = 0;
                for (size_t i = word * 64; i < numbers->length && i < word * 64 + 64; i++)
                    if (allows(&set->rules.data[numbers->data[i]], place, symbol))
                        bits |= (uint64_t)1 << i % 64;
                fprintf(out, "0x%llx,%s", (unsigned long long)bits, symbol % 8 || word ? "" : "\n");
            }
}

void rule_index_write(const RuleSet *set, FILE *out) {
    fprintf(out, "const uint16_t rule_index_rules[] = {\n");
    for (int root = 0; root < RULE_ROOTS; root++) {
        Numbers numbers = rules_of(set, root);
        for (size_t i = 0; i < numbers.length; i++)
            fprintf(out, "%zu,%s", numbers.data[i], i + 1 < numbers.length ? "" : "\n");
    }
    fprintf(out, "0};\n\nconst uint64_t rule_index_sets[] = {\n");
    for (int root = 0; root < RULE_ROOTS; root++) {
        Numbers numbers = rules_of(set, root);
        write_sets(set, &numbers, out);
    }
    fprintf(out, "0};\n\nconst RuleIndex rule_index[RULE_ROOTS] = {\n");
    size_t first = 0, sets = 0;
    for (int root = 0; root < RULE_ROOTS; root++) {
        size_t count = rules_of(set, root).length, words = (count + 63) / 64;
        fprintf(out, "{%zu, %zu, %zu, %zu},\n", first, count, words, sets);
        first += count;
        sets += words * RULE_PLACES * SYMBOL_COUNT;
    }
    fprintf(out, "};\n");
}
