/* refute.c -- counterexamples: Z3 finds them, as small as possible, and this file evaluates them.
 *
 * A point is a value for each variable: sizes, parameters, loops, read values.  It counts if the
 * whole context holds there and the goal does not, by the one evaluator.  The goal may be stronger
 * than the clause: the given iteration does not reach the point, but another may.  Then all
 * iterations of the nest are tried at that point.
 */
#include "checkers/certify/internal.h"

#include "ir/interpret/evaluate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 200000 };

/* ---- evaluating ---- */

typedef struct TestPoint {
    Discharge *discharge;
    Arena *arena;
    Map values; /* Symbol -> Bits */
    Map codes;  /* Expr -> ExprCode */
    bool failed;
} TestPoint;

static TestPoint point_create(Discharge *discharge, Arena *arena) {
    return (TestPoint){.discharge = discharge,
                       .arena = arena,
                       .values = map_create(arena),
                       .codes = map_create(arena)};
}

static void set_value(TestPoint *point, Symbol name, Bits bits) {
    Bits *value = map_get(&point->values, name);
    if (!value) {
        value = arena_new(point->arena, Bits);
        map_put(&point->values, name, value);
    }
    *value = bits;
}

static bool get_value(void *data, Symbol name, Bits *bits) {
    const Bits *value = map_get(&((TestPoint *)data)->values, name);
    *bits = value ? *value : 0;
    return true;
}

static Bits evaluate(TestPoint *point, Expr expr) {
    ExprCode *code = map_get(&point->codes, expr);
    Bits bits;
    if (!code) {
        code = expr_code(point->arena, expr);
        map_put(&point->codes, expr, code);
    }
    point->failed |= !expr_code_run(code, get_value, point, &bits);
    return bits;
}

static bool holds(TestPoint *point, Expr expr) {
    return evaluate(point, expr) != 0;
}

/* Does the context hold and the goal fail? */
static bool is_counterexample(TestPoint *point, const Obligation *obligation) {
    point->failed = false;
    for (const ContextFact *fact = obligation->context; fact; fact = fact->before)
        if (!holds(point, fact->condition))
            return false;
    return !holds(point, obligation->goal) && !point->failed;
}

/* ---- Z3's point ---- */

/* The text after one S-expression. */
static const char *skip(const char *at) {
    int open = 0;
    do {
        if (*at == '|')
            at = strchr(at + 1, '|');
        if (!at || !*at)
            return "";
        open += (*at == '(') - (*at == ')');
        at++;
    } while (open > 0 || (*at && *at != ' ' && *at != ')' && *at != '('));
    return at;
}

static bool read_value(const char **at, Bits *bits) {
    const char *text = *at;
    *at = skip(text);
    bool negative = strncmp(text, "(- ", 3) == 0;
    if (strncmp(text, "true", 4) == 0 || strncmp(text, "false", 5) == 0) {
        *bits = *text == 't';
        return true;
    }
    char *end;
    *bits = strtoll(text + (negative ? 3 : 0), &end, 10);
    if (negative)
        *bits = -*bits;
    return end != text + (negative ? 3 : 0);
}

/* Reads `((|a| 1) (|b| (- 2)))` in the order of the variables. */
static bool read_values(TestPoint *point, const char *at, const Exprs *variables) {
    for (size_t i = 0; i < variables->length; i++) {
        Bits bits;
        while (*at == '(' || *at == ' ')
            at++;
        at = skip(at); /* the name */
        while (*at == ' ')
            at++;
        if (!*at || !read_value(&at, &bits))
            return false;
        set_value(point, variables->data[i]->name, bits);
        while (*at == ')')
            at++;
    }
    return true;
}

/* Does the point say a value for each variable of the expression? */
static bool is_known(TestPoint *point, Expr expr) {
    Exprs variables = expr_variables_of(point->arena, expr);
    for (size_t i = 0; i < variables.length; i++)
        if (!map_get(&point->values, variables.data[i]->name))
            return false;
    return true;
}

/* Z3 chooses the values of expressions that are not over integers.  Those made of integers alone,
 * such as `i32(floor(f32(x)*0.3))`, are what they are at the point: sets them so.  Repeats it, because
 * one may stand inside another. */
static void settle_values(TestPoint *point, const Exprs *variables) {
    for (bool changes = true; changes;) {
        changes = false;
        for (size_t i = 0; i < variables->length; i++) {
            Symbol name = variables->data[i]->name;
            Expr expr = lift_expression(point->discharge->lifter, name);
            point->failed = false;
            if (!expr || !is_known(point, expr))
                continue;
            Bits bits = evaluate(point, expr);
            if (point->failed || bits == *(Bits *)map_get(&point->values, name))
                continue;
            set_value(point, name, bits);
            changes = true;
        }
    }
}

static const char *limits(Arena *arena, const Exprs *variables, int64_t limit) {
    const char *text = "";
    for (size_t i = 0; limit && i < variables->length; i++)
        if (type_is_index(variables->data[i]->type))
            text = arena_format(arena, "%s(assert (<= (- %lld) |%s| %lld))\n", text,
                                (long long)limit, variables->data[i]->name->text, (long long)limit);
    return text;
}

/* Finds a point with values of at most `limit` (0: any) that Z3 calls a counterexample. */
static bool find_point(TestPoint *point, const Obligation *obligation, const Exprs *facts,
                       const Exprs *variables, int64_t limit) {
    SmtProcess *solver = point->discharge->solver;
    uint64_t units = budget_share(&point->discharge->units);
    if (!units)
        return false;
    Arena *arena = point->arena;
    Exprs all = *facts;
    Expr goal = expr_not(point->discharge->pool, obligation->goal);
    vec_push(arena, &all, goal);
    smt_begin(solver, true, units);
    smt_send(solver, smt_declarations(arena, all.data, all.length));
    for (size_t i = 0; i < all.length; i++)
        smt_send(solver, arena_format(arena, "(assert %s)\n", smt_term(arena, all.data[i])));
    smt_send(solver, limits(arena, variables, limit));
    smt_send(solver, "(check-sat)\n");
    bool found = discharge_answer(point->discharge, arena) == SMT_SAT;
    if (found) {
        smt_send(solver, "(get-value (");
        for (size_t i = 0; i < variables->length; i++)
            smt_send(solver, arena_format(arena, "|%s| ", variables->data[i]->name->text));
        smt_send(solver, "))\n");
        const char *values = smt_receive(solver, arena);
        found = values && read_values(point, values, variables);
        if (found)
            settle_values(point, variables);
        found = found && is_counterexample(point, obligation);
    }
    return found;
}

/* ---- all iterations ---- */

typedef struct CountedLoop {
    Symbol binder;
    Expr minimum, length;
    int64_t value, end;
    bool is_let; /* a single iteration */
} CountedLoop;

typedef struct Iterations {
    TestPoint *point;
    const Witness *witness;
    IntegerLifter *lifter;
    Vec(CountedLoop) loops;
    Exprs guards;
    Exprs roots; /* lifted values of the roots */
    int count;
} Iterations;

static Expr root_value(const Iterations *iterations, const Root *root) {
    Pool *pool = iterations->point->discharge->pool;
    return lift(iterations->lifter,
                root->index ? root->index : expr_variable(pool, root->binder, INDEX));
}

/* Does the condition restrict the iterations?  The predicate of an update leaves out what the
 * algorithm leaves out; that of a first stage leaves out what nothing else writes. */
static bool is_guard(const Witness *witness, const Stmt *stmt, bool changes_only) {
    return stmt->kind == STMT_IF &&
           (stmt->branch.role != IF_PREDICATE || (changes_only && witness->nest->stage == 0));
}

/* `changes_only`: iterations of a blending tail that only write back old values do not count. */
static Iterations iterations_create(TestPoint *point, const Witness *witness, bool changes_only) {
    Iterations all = {.point = point, .witness = witness, .lifter = point->discharge->lifter};
    Arena *arena = point->arena;
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *stmt = witness->nest->path.data[i];
        if (stmt->kind == STMT_FOR)
            vec_push(arena, &all.loops,
                     (CountedLoop){.binder = stmt->loop.binder,
                                   .minimum = lift(all.lifter, stmt->loop.interval.minimum),
                                   .length = lift(all.lifter, stmt->loop.interval.length)});
        if (stmt->kind == STMT_LET && stmt->let.tail == TAIL_NONE &&
            type_is_index(stmt->let.value->type))
            vec_push(arena, &all.loops,
                     (CountedLoop){.binder = stmt->let.binder,
                                   .minimum = lift(all.lifter, stmt->let.value),
                                   .length = expr_index(point->discharge->pool, 1),
                                   .is_let = true});
        if (is_guard(witness, stmt, changes_only))
            vec_push(arena, &all.guards,
                     lift(all.lifter, nest_condition(witness->walk, witness->nest, i)));
    }
    for (size_t i = 0; i < witness->roots.length; i++)
        vec_push(arena, &all.roots, root_value(&all, &witness->roots.data[i]));
    Expr changes = changes_only ? blend_condition(witness->walk, witness->nest->store) : NULL;
    if (changes)
        vec_push(arena, &all.guards, lift(all.lifter, changes));
    return all;
}

static void set_loop(Iterations *all, CountedLoop *loop, int64_t value) {
    loop->value = value;
    set_value(all->point, loop->binder, value);
}

/* Enters the loops from `first` on; false if one has no iteration. */
static bool enter_loops(Iterations *all, size_t first) {
    for (size_t i = first; i < all->loops.length; i++) {
        CountedLoop *loop = &all->loops.data[i];
        int64_t minimum = evaluate(all->point, loop->minimum);
        loop->end = minimum + evaluate(all->point, loop->length);
        set_loop(all, loop, minimum);
        if (minimum >= loop->end)
            return false;
    }
    return true;
}

/* Goes to the next iteration; false after the last.  The nest is rectangular. */
static bool next_iteration(Iterations *all) {
    for (size_t i = all->loops.length; i-- > 0;) {
        CountedLoop *loop = &all->loops.data[i];
        if (loop->value + 1 < loop->end) {
            set_loop(all, loop, loop->value + 1);
            return enter_loops(all, i + 1);
        }
    }
    return false;
}

static bool guards_hold(Iterations *all) {
    for (size_t i = 0; i < all->guards.length; i++)
        if (!holds(all->point, all->guards.data[i]))
            return false;
    return true;
}

typedef bool IterationIs(Iterations *all, void *data);

typedef enum Occurrence { OCCURS, OCCURS_NOT, OCCURS_PERHAPS } Occurrence;

/* Is there an iteration that runs, with its guards, and for which `is` holds? */
static Occurrence find_iteration(Iterations *all, IterationIs *is, void *data) {
    if (!enter_loops(all, 0))
        return OCCURS_NOT;
    do {
        if (++all->count > MOST_ITERATIONS)
            return OCCURS_PERHAPS;
        if (guards_hold(all) && is(all, data))
            return OCCURS;
    } while (next_iteration(all));
    return OCCURS_NOT;
}

/* Do the roots have the values of the variables of the point of `data`, a witness? */
static bool reaches_point(Iterations *all, void *data) {
    Witness *of = data;
    for (size_t i = 0; i < all->roots.length; i++) {
        Expr point = witness_at(of, of->roots.data[i].point);
        if (evaluate(all->point, all->roots.data[i]) !=
            evaluate(all->point, lift(all->lifter, point)))
            return false;
    }
    return true;
}

static bool is_reached_by_none(TestPoint *point, const Witness *witness) {
    for (size_t p = 0; p < witness->pieces->length; p++) {
        const Witness *piece = witness->pieces->data[p];
        Iterations all = iterations_create(point, piece, true);
        if (piece->roots.length != witness->roots.length ||
            find_iteration(&all, reaches_point, (void *)witness) != OCCURS_NOT)
            return false;
    }
    return true;
}

/* The search for another iteration with the same roots.  For a race: another iteration of the same
 * run of the loop that writes the touched point. */
typedef struct Same {
    const Expr *touched; /* null: not for a race */
    const Stmt *loop;
    Bits *roots, *loops; /* for a race, `roots` is the touched point */
} Same;

static bool writes_point(Iterations *all, const Same *same) {
    const StageNest *nest = all->witness->nest;
    for (int k = 0; k < nest->shape->dimensions; k++)
        if (evaluate(all->point, lift(all->lifter, nest->store->store.indices[k])) !=
            same->roots[k])
            return false;
    return true;
}

/* Is it another iteration of the same run?  Iterations that differ outside the loop have an
 * order. */
static bool is_other_of_run(const Iterations *all, const Same *same) {
    for (size_t i = 0; i < all->loops.length; i++) {
        bool differs = !all->loops.data[i].is_let && all->loops.data[i].value != same->loops[i];
        if (differs || all->loops.data[i].binder == same->loop->loop.binder)
            return differs && all->loops.data[i].binder == same->loop->loop.binder;
    }
    return false;
}

static bool is_same(Iterations *all, void *data) {
    const Same *same = data;
    bool differs = false;
    if (same->touched)
        return is_other_of_run(all, same) && writes_point(all, same);
    for (size_t i = 0; i < all->loops.length; i++)
        if (!all->loops.data[i].is_let)
            differs |= all->loops.data[i].value != same->loops[i];
    if (!differs)
        return false;
    for (size_t i = 0; i < all->roots.length; i++)
        if (evaluate(all->point, all->roots.data[i]) != same->roots[i])
            return false;
    return true;
}

/* Does the clause itself fail at the point, if the goal is stronger than the clause? */
static bool fails_in_all(TestPoint *point, const Obligation *obligation) {
    if (!obligation->witness)
        return false;
    if (obligation->clause == CLAUSE_COVERED)
        return is_reached_by_none(point, obligation->witness);
    Iterations all = iterations_create(point, obligation->witness, !obligation->touched);
    Same same = {.touched = obligation->touched,
                 .loop = obligation->loop,
                 .roots = arena_array(point->arena, Bits, MAX_DIMENSIONS + all.roots.length),
                 .loops = arena_array(point->arena, Bits, all.loops.length + 1)};
    if (same.touched)
        for (int k = 0; k < obligation->witness->nest->shape->dimensions; k++)
            same.roots[k] = evaluate(point, lift(all.lifter, same.touched[k]));
    for (size_t i = 0; i < all.roots.length && !same.touched; i++)
        same.roots[i] = evaluate(point, all.roots.data[i]);
    for (size_t i = 0; i < all.loops.length; i++)
        if (!all.loops.data[i].is_let)
            same.loops[i] = *(Bits *)map_get(&point->values, all.loops.data[i].binder);
    return find_iteration(&all, is_same, &same) == OCCURS;
}

/* ---- does the context hold anywhere? ---- */

/* A guess: windows that begin at 0, images that are larger on all sides, small parameters. */
static int64_t guess(const Signature *signature, Context *context, Symbol name, int64_t size) {
    const Parameter *parameter = signature_parameter(signature, name);
    Symbol buffer;
    BufferField field;
    int dimension;
    if (parameter && parameter->has_default)
        return parameter->default_value;
    if (parameter)
        return parameter->has_range ? parameter->lower : 1;
    if (!buffer_field_parse(context, name, &buffer, &field, &dimension))
        return 0;
    bool is_image = signature_image(signature, buffer) != NULL;
    return field_is_extent(field) ? (is_image ? 20 * size + 200 : size)
                                  : (is_image ? -8 * size - 100 : 0);
}

/* Takes the value of an equation with a constant, or of a let. */
static void take_value(TestPoint *point, const ContextFact *fact) {
    Expr condition = fact->condition;
    int64_t value;
    if (fact->variable && fact->least == fact->greatest)
        set_value(point, fact->variable->name, evaluate(point, fact->least));
    else if (condition->op == OP_EQ && condition->arguments[0]->op == OP_VARIABLE &&
             expr_constant_integer(condition->arguments[1], &value))
        set_value(point, condition->arguments[0]->name, value);
}

static bool holds_at_guess(Discharge *discharge, Arena *scratch, const ContextFact *context,
                           int64_t size) {
    const Signature *signature = discharge->certification->program->signature;
    TestPoint point = point_create(discharge, scratch);
    Contexts facts = facts_in_order(scratch, context);
    for (size_t f = 0; f < facts.length; f++) {
        Exprs variables = expr_variables_of(scratch, facts.data[f]->condition);
        for (size_t i = 0; i < variables.length; i++)
            set_value(&point, variables.data[i]->name,
                      guess(signature, discharge->pool->context, variables.data[i]->name, size));
    }
    for (size_t f = 0; f < facts.length; f++)
        take_value(&point, facts.data[f]);
    for (size_t f = 0; f < facts.length; f++)
        if (!holds(&point, facts.data[f]->condition) || point.failed)
            return false;
    return true;
}

bool refute_impossible(Discharge *discharge, const ContextFact *context) {
    static const int64_t sizes[] = {64, 1, 7, 768};
    bool found = !context;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !found; i++) {
        Arena *scratch = arena_create(&discharge->pool->context->memory);
        found = holds_at_guess(discharge, scratch, context, sizes[i]);
        arena_destroy(scratch);
    }
    return found;
}

/* ---- refute ---- */

static void keep(TestPoint *point, Obligation *obligation, const Exprs *variables,
                 const Bits *values) {
    Discharge *discharge = point->discharge;
    obligation->finding = FINDING_REFUTED;
    obligation->means = MEANS_SOLVER;
    for (size_t i = 0; i < variables->length; i++)
        vec_push(discharge->arena, &obligation->counterexample,
                 (Assignment){variables->data[i], values[i]});
}

static bool try_limit(Discharge *discharge, Obligation *obligation, int64_t limit) {
    Arena *scratch = arena_create(&discharge->pool->context->memory);
    TestPoint point = point_create(discharge, scratch);
    Exprs facts = {0}, variables = {0};
    Map seen = map_create(scratch);
    discharge_facts(discharge, scratch, obligation, FACTS_ALL, &facts);
    for (size_t f = 0; f <= facts.length; f++) {
        Exprs of = expr_variables_of(scratch, f < facts.length ? facts.data[f] : obligation->goal);
        for (size_t i = 0; i < of.length; i++)
            if (!map_get(&seen, of.data[i])) {
                map_put(&seen, of.data[i], of.data[i]);
                vec_push(scratch, &variables, of.data[i]);
            }
    }
    bool found = find_point(&point, obligation, &facts, &variables, limit);
    if (found) {
        Bits *values = arena_array(scratch, Bits, variables.length + 1);
        for (size_t i = 0; i < variables.length; i++)
            values[i] = evaluate(&point, variables.data[i]);
        bool fails = obligation->is_exact || fails_in_all(&point, obligation);
        found = fails && lift_is_exact(discharge->lifter, obligation->goal);
        if (found)
            keep(&point, obligation, &variables, values);
    }
    arena_destroy(scratch);
    return found;
}

void refute(Discharge *discharge, Obligation *obligation) {
    static const int64_t sizes[] = {12, 40, 100, 300, 5000, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (try_limit(discharge, obligation, sizes[i]))
            return;
}
