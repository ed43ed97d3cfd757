/* match.c -- applies rules: the matcher, guards, right sides.
 *
 * One pass over the prefix code of a left side matches it, with a stack of nodes still to match. If
 * a sum leaves a choice (tools/rulec/commute.c), the pass is repeated for each term. A guard is
 * evaluated on the known intervals and residues of the bound nodes (value_facts.c): it holds only
 * if it is certain. So `0 < c0` and `0 <= x` are treated alike, and a guard never calls the
 * simplifier. A right side is built from the end of its code backwards. If a `fold` is not a
 * constant (it would exceed 64 bits), the rule does not apply. The solver's rules also know which
 * terms contain its target variable, and their guards may call the prover.
 */
#include "ir/print.h"
#include "simplify/rule_index.h"
#include "simplify/solver.h"

#include <string.h>

typedef struct Match {
    const Rule *rule;
    const EquationSolver *solver; /* of a rule of the solver; null else */
    Expr bound[RULE_SLOTS];
    Type type; /* of the numbers */
    bool has_type;
    int lanes; /* of the root's operands; 1 for scalars */
    int choice[RULE_PICKS], choices[RULE_PICKS];
    int rest_slot[RULE_PICKS]; /* of the wildcard for all terms but the chosen one */
} Match;

static bool number_type(Match *m, Type type) {
    if (m->rule->rule_class == RULES_VECTORS) { /* the lanes fit, as the operators do */
        m->type = INDEX;
        return type_is_index(type);
    }
    if (m->has_type)
        return type_equal(m->type, type);
    switch ((RuleClass)m->rule->rule_class) {
    case RULES_INTEGERS:
    case RULES_SOLVE:
        if (!type_is_index(type))
            return false;
        break;
    case RULES_MACHINE:
    case RULES_FLOAT: /* no other type's bit is set */
        if (type.lanes != 1 || !(m->rule->types >> type_number(type) & 1))
            return false;
        break;
    case RULES_BOOL:
        return false;
    case RULES_ANY:
    case RULES_VECTORS:
    case RULE_CLASS_COUNT:
        break;
    }
    m->type = type;
    m->has_type = true;
    return true;
}

/* A slot of a solver rule may require terms with the target, or terms without it. */
static bool kind_fits(const Match *m, int slot, Expr expr) {
    bool target = m->rule->target_slots >> slot & 1, free = m->rule->free_slots >> slot & 1;
    return !(target || free) || solver_mentions(m->solver, expr) == target;
}

static bool bind(Match *m, int slot, Expr expr) {
    if (m->bound[slot])
        return m->bound[slot] == expr;
    bool is_bool = m->rule->bool_slots >> slot & 1;
    if (is_bool ? !type_is_bool(expr->type) : !number_type(m, expr->type))
        return false;
    if (!kind_fits(m, slot, expr))
        return false;
    m->bound[slot] = expr;
    return true;
}

/* A literal of a rule as a number of the type. */
static Bits literal_bits(Type type, int32_t value) {
    return type_is_float(type) ? bits_from_double(type, value) : bits_wrap(type, value);
}

/* TERM_POWER of a float constant: the fraction is 0, and 1/c has a normal exponent, too. */
static bool is_power(Expr c) {
    int fraction = type_precision(c->type) - 1;
    int64_t exponents = ((int64_t)1 << (c->type.bits - 1 - fraction)) - 1;
    int64_t exponent = c->bits >> fraction & exponents;
    return !(c->bits & (((int64_t)1 << fraction) - 1)) && exponent > 0 && exponent < exponents - 1;
}

static bool leaf_matches(Match *m, const RuleTerm *term, Expr expr) {
    switch (term->op) {
    case TERM_WILDCARD:
        return bind(m, term->value, expr);
    case TERM_CONSTANT:
        return expr->op == OP_CONSTANT && bind(m, term->value, expr);
    case TERM_LITERAL:
        return expr->op == OP_CONSTANT && !type_is_bool(expr->type) && number_type(m, expr->type) &&
               expr->bits == literal_bits(expr->type, term->value);
    case TERM_TRUTH:
        if (expr->op == OP_BROADCAST)
            expr = expr->arguments[0];
        return term->value ? expr_is_true(expr) : expr_is_false(expr);
    case TERM_LANES:
        return expr->op == OP_CONSTANT && type_is_index(expr->type) && expr->bits == m->lanes;
    default:
        return false;
    }
}

/* Can the term match a pattern with this operator, or leaf, at its root? */
static bool begins_with(const SumTerm *term, int wanted) {
    return wanted >= OP_COUNT || wanted == (term->coefficient == 1 ? (int)term->atom->op : OP_MUL);
}

/* Returns the chosen term of the sum `expr`, or the next that may match; null for none. */
static Expr choose(Simplifier *s, Match *m, const RuleTerm *term, Expr expr) {
    int pick = term->pick - 1, wanted = term[1].op;
    Split *split = &s->splits[pick];
    if (split->expr != expr) {
        split->expr = expr;
        sum_split(&split->sum, expr);
    }
    m->choices[pick] = sum_split_count(expr);
    if (split->sum.failed || m->choice[pick] >= split->sum.count)
        return NULL;
    const SumTerm *chosen = &split->sum.terms[m->choice[pick]];
    for (; !begins_with(chosen, wanted); chosen++)
        if (++m->choice[pick] == split->sum.count)
            return NULL;
    m->rest_slot[pick] = rule_term_end(term + 1)->value;
    return sum_term(s->pool, *chosen);
}

/* The rests of sums are built after everything else matches: their wildcards occur once. False if a
 * rest has the wrong kind for its wildcard. */
static bool bind_rests(Simplifier *s, Match *m) {
    for (int pick = 0; pick < m->rule->picks; pick++) {
        int slot = m->rest_slot[pick];
        if (slot < 0)
            continue;
        m->bound[slot] = sum_without(s->pool, &s->splits[pick].sum, m->choice[pick]);
        if (!kind_fits(m, slot, m->bound[slot]))
            return false;
    }
    return true;
}

#define MATCH_STACK (RULE_TERMS + OP_MAX_ARITY)

/* Makes one pass with the current choices. */
static bool match_once(Simplifier *s, Match *m, const Expr *arguments) {
    const Rule *rule = m->rule;
    Expr stack[MATCH_STACK];
    int height = 0;
    for (int slot = 0; slot < rule->slot_count; slot++)
        m->bound[slot] = NULL;
    m->has_type = false;
    for (int pick = 0; pick < rule->picks; pick++)
        m->rest_slot[pick] = -1;
    for (int i = rule_term_arity(&rule->left[0]) - 1; i >= 0; i--)
        stack[height++] = arguments[i];
    for (int at = 1; at < rule->left_length; at++) {
        const RuleTerm *term = &rule->left[at];
        Expr expr = stack[--height];
        if (!expr) { /* the rest of a sum */
            if (!number_type(m, INDEX))
                return false;
        } else if (term->op >= OP_END) {
            if (!leaf_matches(m, term, expr))
                return false;
        } else if (term->pick && type_is_index(expr->type) &&
                   (expr->op == OP_ADD || expr->op == OP_SUB)) {
            Expr chosen = choose(s, m, term, expr);
            if (!chosen)
                return false;
            stack[height++] = NULL;
            stack[height++] = chosen;
        } else if (expr->op == term->op) {
            for (int i = expr->arity - 1; i >= 0; i--)
                stack[height++] = expr->arguments[i];
        } else {
            return false;
        }
    }
    return bind_rests(s, m);
}

/* Advances the choice of terms; the last choice point varies fastest. */
static bool next_choice(Match *m) {
    for (int pick = m->rule->picks - 1; pick >= 0; pick--) {
        if (++m->choice[pick] < m->choices[pick])
            return true;
        m->choice[pick] = 0;
    }
    return false;
}

/* Builds a rule's `true` or `false`: in all lanes. */
static Expr build_truth(Pool *pool, const Match *m, bool value) {
    Expr truth = expr_bool(pool, value);
    bool is_scalar = m->lanes == 1 || m->rule->rule_class == RULES_VECTORS; /* in a broadcast */
    return is_scalar ? truth : expr_broadcast(pool, truth, m->lanes);
}

static Expr build_node(Pool *pool, const Match *m, Op op, const Expr *operands) {
    if (op == OP_RAMP)
        return expr_ramp(pool, operands[0], operands[1], m->lanes);
    if (op == OP_BROADCAST)
        return expr_broadcast(pool, operands[0], m->lanes);
    return expr_apply(pool, op, operands);
}

/* Builds the code as an expression; null if a fold is not a constant. */
static Expr build(Simplifier *s, const Match *m, const RuleTerm *code, int length) {
    Expr stack[RULE_TERMS];
    int height = 0;
    for (int at = length - 1; at >= 0; at--) {
        const RuleTerm *term = &code[at];
        Expr operands[OP_MAX_ARITY];
        switch (term->op) {
        case TERM_WILDCARD:
        case TERM_CONSTANT:
            stack[height++] = m->bound[term->value];
            continue;
        case TERM_LITERAL:
            stack[height++] = expr_constant(s->pool, m->type, literal_bits(m->type, term->value));
            continue;
        case TERM_TRUTH:
            stack[height++] = build_truth(s->pool, m, term->value);
            continue;
        case TERM_LANES:
            stack[height++] = expr_index(s->pool, m->lanes);
            continue;
        case TERM_FOLD:
            if (stack[height - 1]->op != OP_CONSTANT)
                return NULL;
            continue;
        case TERM_POWER:
            stack[height - 1] = expr_bool(s->pool, is_power(stack[height - 1]));
            continue;
        default:
            break;
        }
        for (int i = 0; i < rule_term_arity(term); i++)
            operands[i] = stack[--height];
        stack[height++] = build_node(s->pool, m, (Op)term->op, operands);
    }
    return stack[0];
}

/* Returns the interval and residue of a term of a guard. */
static KnownValue known_term(Simplifier *s, const Match *m, const RuleTerm *code, int length) {
    KnownValue stack[RULE_TERMS];
    int height = 0;
    for (int at = length - 1; at >= 0; at--) {
        const RuleTerm *term = &code[at];
        KnownValue operands[OP_MAX_ARITY];
        switch (term->op) {
        case TERM_WILDCARD:
        case TERM_CONSTANT:
            stack[height++] = *known_of(s, m->bound[term->value]);
            continue;
        case TERM_LITERAL:
        case TERM_TRUTH:
            stack[height++] = known_constant(INDEX, term->value);
            continue;
        case TERM_LANES:
            stack[height++] = known_constant(INDEX, m->lanes);
            continue;
        default:
            break;
        }
        for (int i = 0; i < rule_term_arity(term); i++)
            operands[i] = stack[--height];
        bool truth = op_info((Op)term->op)->types == TYPES_LOGIC ||
                     op_info((Op)term->op)->types == TYPES_COMPARE;
        stack[height++] = known_apply((Op)term->op, truth ? BOOL : INDEX, operands);
    }
    return stack[0];
}

static bool mentions_unknowns(const RuleTerm *code, const RuleTerm *end) {
    while (code < end && code->op != TERM_WILDCARD)
        code++;
    return code < end;
}

/* Adds scale times the integer term, without building expressions of sums. False if it has no value
 * (a fold beyond 64 bits). `*code` advances to the term's end. */
static bool add_term(Simplifier *s, const Match *m, const RuleTerm **code, int64_t scale,
                     LinearSum *sum) {
    const RuleTerm *term = *code;
    if (term->op == OP_ADD || term->op == OP_SUB) {
        ++*code;
        return add_term(s, m, code, scale, sum) &&
               add_term(s, m, code, term->op == OP_ADD ? scale : -scale, sum);
    }
    *code = rule_term_end(term);
    if (term->op == TERM_WILDCARD) { /* most are */
        sum_add(sum, m->bound[term->value], scale);
        return true;
    }
    Expr value = build(s, m, term, (int)(*code - term));
    if (value)
        sum_add(sum, value, scale);
    return value != NULL;
}

/* Decides `a <= b` or `a < b` of a guard over integers with unknowns, by the interval of a - b:
 * common terms cancel there, and facts apply. */
static bool order_holds(Simplifier *s, const Match *m, const RuleTerm *code) {
    const RuleTerm *next = code + 1;
    LinearSum sum;
    sum_clear(&sum);
    if (!add_term(s, m, &next, 1, &sum) || !add_term(s, m, &next, -1, &sum))
        return false;
    sum_add_constant(&sum, code->op == OP_LT, 1);
    ConstantInterval interval = sum_interval(s, &sum);
    if (!sum.failed && interval.has_maximum && interval.maximum <= 0)
        return true;
    Expr comparison = m->solver ? build(s, m, code, (int)(rule_term_end(code) - code)) : NULL;
    return comparison && solver_prove(m->solver, comparison) == PROOF_HOLDS;
}

/* Was `a == b` or `a != b` of a guard learned as written? */
static bool is_learned(Simplifier *s, const Match *m, const RuleTerm *code, int length) {
    Expr condition = s->facts.length ? build(s, m, code, length) : NULL;
    ConstantInterval truth = condition ? fact_interval(s, condition) : EVERYTHING;
    return interval_is_point(truth) && truth.minimum == 1;
}

static bool condition_holds(Simplifier *s, const Match *m, const RuleTerm *code) {
    if (code->op == OP_AND && m->rule->rule_class != RULES_FLOAT)
        return condition_holds(s, m, code + 1) && condition_holds(s, m, rule_term_end(code + 1));
    const RuleTerm *end = rule_term_end(code);
    if (m->rule->rule_class == RULES_FLOAT) { /* of constants, or learned: no intervals here */
        Expr condition = build(s, m, code, (int)(end - code));
        return condition && (expr_is_true(condition) || is_learned(s, m, code, (int)(end - code)));
    }
    bool ordered = code->op == OP_LT || code->op == OP_LE;
    bool over_integers = rule_is_over_integers(m->rule) || m->rule->rule_class == RULES_VECTORS;
    if (ordered && over_integers && mentions_unknowns(code, end))
        return order_holds(s, m, code);
    ConstantInterval truth = known_term(s, m, code, (int)(end - code)).interval;
    if (interval_is_point(truth))
        return truth.minimum == 1;
    return mentions_unknowns(code, end) && is_learned(s, m, code, (int)(end - code));
}

static bool guard_holds(Simplifier *s, const Match *m) {
    return !m->rule->guard_length || condition_holds(s, m, m->rule->guard);
}

static bool is_disabled(const Simplifier *s, const Rule *rule) {
    const SimplifierOptions *options = &s->options;
    return (options->rule_limit && s->applied >= options->rule_limit) ||
           (options->without_rule && !strcmp(options->without_rule, rule->name));
}

static void record(Simplifier *s, const EquationSolver *solver, const Rule *rule, Op op,
                   const Expr *arguments, Expr result) {
    if (!s->applications)
        s->applications = arena_array(s->arena, uint64_t, rule_table_count);
    if (rule >= rule_table && rule < rule_table + rule_table_count)
        s->applications[rule - rule_table]++;
    s->applied++;
    if (s->decrease && solver)
        solve_decrease_check(solver, rule, expr_apply(s->pool, op, arguments), result);
    else if (s->decrease)
        decrease_check(s->decrease, rule, expr_apply(s->pool, op, arguments), result);
    if (s->options.trace)
        rule_print_application(s->options.trace, rule, expr_apply(s->pool, op, arguments), result);
}

/* Rules over numbers of one type apply to scalars. */
static bool suits(const Rule *rule, int lanes) {
    bool vectors = rule->rule_class == RULES_VECTORS;
    bool either = rule->rule_class == RULES_BOOL || rule->rule_class == RULES_ANY;
    return either || vectors == (lanes > 1);
}

static Expr apply(Simplifier *s, const EquationSolver *solver, const Rule *rule,
                  const Expr *arguments) {
    Match m;
    if (!suits(rule, arguments[0]->type.lanes))
        return NULL;
    m.rule = rule;
    m.solver = solver;
    m.lanes = arguments[0]->type.lanes;
    m.type = (Type){0};
    for (int pick = 0; pick < RULE_PICKS; pick++)
        m.choice[pick] = m.choices[pick] = 0;
    do {
        if (!match_once(s, &m, arguments) || !guard_holds(s, &m))
            continue;
        Expr result = build(s, &m, rule->right, rule->right_length);
        if (result)
            return result;
    } while (next_choice(&m));
    return NULL;
}

static int symbol_of(Expr expr, int operand) {
    return operand < expr->arity ? expr->arguments[operand]->op : SYMBOL_ABSENT;
}

static RuleShape shape_of(Op op, const Expr *arguments) {
    int arity = op_info(op)->arity;
    RuleShape shape;
    uint8_t *symbols = shape.symbols;
    Expr first = arguments[0], last = arguments[arity - 1];
    memset(symbols, SYMBOL_ABSENT, sizeof shape);
    symbols[PLACE_KIND] = last->type.kind;
    symbols[PLACE_FIRST] = (uint8_t)first->op;
    symbols[PLACE_FIRST_FIRST] = (uint8_t)symbol_of(first, 0);
    symbols[PLACE_FIRST_SECOND] = (uint8_t)symbol_of(first, 1);
    if (arity > 2)
        symbols[PLACE_THIRD] = (uint8_t)last->op;
    if (arity == 1)
        return shape;
    symbols[PLACE_SECOND] = (uint8_t)arguments[1]->op;
    symbols[PLACE_SECOND_FIRST] = (uint8_t)symbol_of(arguments[1], 0);
    symbols[PLACE_SECOND_SECOND] = (uint8_t)symbol_of(arguments[1], 1);
    return shape;
}

static Expr operand_of(Expr expr, int operand) {
    return operand < expr->arity ? expr->arguments[operand] : NULL;
}

static Expr at_place(const Expr *arguments, int place) {
    switch ((RulePlace)place) {
    case PLACE_FIRST:
    case PLACE_SECOND:
    case PLACE_THIRD:
        return arguments[place - PLACE_FIRST];
    case PLACE_FIRST_FIRST:
    case PLACE_FIRST_SECOND:
        return operand_of(arguments[0], place - PLACE_FIRST_FIRST);
    case PLACE_SECOND_FIRST:
    case PLACE_SECOND_SECOND:
        return operand_of(arguments[1], place - PLACE_SECOND_FIRST);
    case PLACE_KIND:
    case RULE_PLACES:
        break;
    }
    return NULL;
}

/* Is the same expression at the places where the rule requires it? */
static bool repeats(const Rule *rule, const Expr *arguments) {
    for (unsigned pairs = rule->equal; pairs; pairs &= pairs - 1) {
        const uint8_t *pair = rule_pairs[__builtin_ctz(pairs)];
        if (at_place(arguments, pair[0]) != at_place(arguments, pair[1]))
            return false;
    }
    return true;
}

/* Applies the first matching rule for nodes of this shape, of the solver's rules if there is a
 * solver; null for none. */
static Expr match_shape(Simplifier *s, const EquationSolver *solver, Op op, const RuleShape *shape,
                        const Expr *arguments) {
    const RuleIndex *index = &rule_index[rule_root(solver, op)];
    for (int word = 0; word < index->words; word++) {
        uint64_t candidates = rule_index_candidates(index, shape, word);
        for (; candidates; candidates &= candidates - 1) {
            int number = word * 64 + __builtin_ctzll(candidates);
            const Rule *rule = &rule_table[rule_index_rules[index->first + number]];
            bool unasked = solver && solver->splitting && rule->witness != SOLVE_SPLITS;
            if (unasked || !repeats(rule, arguments) || is_disabled(s, rule))
                continue;
            Expr result = apply(s, solver, rule, arguments);
            if (!result)
                continue;
            record(s, solver, rule, op, arguments, result);
            return result;
        }
    }
    return NULL;
}

/* Applies the first matching rule of those outside the table. */
static Expr match_more(Simplifier *s, Op op, const Expr *arguments) {
    for (size_t i = 0; i < s->options.more_count; i++) {
        const Rule *rule = &s->options.more_rules[i];
        Expr result = rule->left->op == op ? apply(s, NULL, rule, arguments) : NULL;
        if (!result)
            continue;
        record(s, NULL, rule, op, arguments, result);
        return result;
    }
    return NULL;
}

Expr match_rules(Simplifier *s, Op op, const Expr *arguments) {
    Expr result = NULL;
    if (!s->is_bare && rule_index[op].count) {
        RuleShape shape = shape_of(op, arguments);
        result = match_shape(s, NULL, op, &shape, arguments);
    }
    return result || !s->options.more_count ? result : match_more(s, op, arguments);
}

Expr match_solve(EquationSolver *solver, Op op, const Expr *arguments) {
    bool mentioned = false;
    for (int i = 0; i < op_info(op)->arity; i++)
        mentioned |= solver_mentions(solver, arguments[i]);
    if (!mentioned)
        return NULL;
    RuleShape shape = shape_of(op, arguments);
    return match_shape(solver->simplifier, solver, op, &shape, arguments);
}

static bool any_candidate(Op op, const RuleShape *shape) {
    const RuleIndex *index = &rule_index[op];
    for (int word = 0; word < index->words; word++)
        if (rule_index_candidates(index, shape, word))
            return true;
    return false;
}

/* Finds the symbols at a term's place, and at its operands', without building the term. */
static void term_symbols(SumTerm term, RuleShape *shape, int place, int first, int second) {
    bool is_product = term.coefficient != 1;
    Expr atom = term.atom;
    shape->symbols[place] = (uint8_t)(is_product ? OP_MUL : (Op)atom->op);
    shape->symbols[first] = (uint8_t)(is_product ? (int)atom->op : symbol_of(atom, 0));
    shape->symbols[second] = (uint8_t)(is_product ? OP_CONSTANT : symbol_of(atom, 1));
}

Expr match_terms(Simplifier *s, SumTerm a, SumTerm b) {
    RuleShape shape;
    term_symbols(a, &shape, PLACE_FIRST, PLACE_FIRST_FIRST, PLACE_FIRST_SECOND);
    term_symbols(b, &shape, PLACE_SECOND, PLACE_SECOND_FIRST, PLACE_SECOND_SECOND);
    shape.symbols[PLACE_THIRD] = SYMBOL_ABSENT;
    shape.symbols[PLACE_KIND] = TYPE_INDEX;
    bool any = any_candidate(OP_ADD, &shape);
    if (s->is_bare || (!any && !s->options.more_count))
        return NULL;
    Expr operands[] = {sum_term(s->pool, a), sum_term(s->pool, b)};
    Expr result = any ? match_shape(s, NULL, OP_ADD, &shape, operands) : NULL;
    return result || !s->options.more_count ? result : match_more(s, OP_ADD, operands);
}
