/* semantics.c -- the rules of Figure 6.
 *
 *   rule                  function
 *   Realize               realize
 *   Const-Eval            const_eval; variables are constants once they are substituted
 *   Op-Eval               op_eval; select_eval in an equation (semantics.md, "Recurrences")
 *   Func-Arg-Eval         func_arg_eval; image_eval for an image
 *   Func-Passthrough      pipeline_func, which finds the func's definition
 *   Func-Eval             func_eval; equation_eval for an equation, extern_eval for an extern func
 *   Update-Eval           update_eval, update_condition
 *   RDom-Eval, RDom-Err   rdom_eval
 *
 * The total reading (semantics.md, section 1) is the same proof without errors. In the formal
 * reading an error accompanies the total reading's bits.
 *
 * A rule that needs a premise without a value makes it the topmost goal, and runs again when the
 * premise has its value. The stack of goals is on the heap, so deep programs need no C stack.
 */
#include "checkers/reference/semantics.h"

#include "ir/extern.h"
#include "ir/interpret/entry.h"

#include <string.h>

typedef struct Judgement Judgement;

/* The substitution [c1/x1, .., cn/xn, .., r1, .., rk] of one update of one func. */
typedef struct Valuation {
    const Func *func; /* null for startup expressions */
    size_t stage;
    int64_t update; /* number of an unrolled update, from 1; or UNROLLED, for all of them */
    int64_t point[MAX_DIMENSIONS], *iteration;
    int64_t write;  /* of the update, if it has several: its number, from the last down to 0 */
    Map judgements; /* Expr -> Judgement, for expressions under this valuation */
    Judgement *all;
    struct Valuation *next; /* in the list of free valuations */
} Valuation;

enum { UNROLLED = -1 };

/* `D; e => c` under a valuation. If `expr` is null: `D; f[c] => c'` for the valuation's func and
 * point. */
struct Judgement {
    Expr expr;
    Valuation *where;
    bool is_known, waits;
    uint8_t error; /* for a point: the error that updates add to its value without writing it */
    Value value;   /* for an expression */
    Value *values; /* for a point: one value per component */
    Judgement *next;
};

typedef struct Derivation {
    const Pipeline *pipeline; /* D */
    const Arguments *arguments;
    SemanticsOptions options;
    Arena *arena;
    Valuation startup;
    Map points;             /* Func -> stage -> update -> c1 -> .. -> Judgement */
    Vec(Judgement *) goals; /* a stack; the last is the topmost */
    Judgement *spare;
    Valuation *spare_valuations;
    uint64_t steps;
    Outcome outcome;
} Derivation;

/* Ends the run with this error. Always returns false. */
static bool refuse(Derivation *proof, int error, const char *subject, const int64_t numbers[5]) {
    Outcome *outcome = &proof->outcome;
    outcome->error = error;
    hlc_error_message(outcome->message, (int)sizeof outcome->message, error, subject, numbers, 5);
    return false;
}

static const Stage *stage_of(const Valuation *where) {
    return where->func->stages.data[where->stage];
}

static uint8_t worse(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static bool push_goal(Derivation *proof, Judgement *goal) {
    goal->waits = true;
    vec_push(proof->arena, &proof->goals, goal);
    return false;
}

static void conclude(const Derivation *proof, Judgement *goal, Bits bits, uint8_t error) {
    goal->value = (Value){bits, proof->options.formal ? error : (uint8_t)ERROR_NONE};
    goal->is_known = true;
}

static int64_t last_write(const Valuation *where) {
    const Stage *stage = stage_of(where);
    return stage->writes ? stage->writes - 1 : 0;
}

/* Forgets the judgements of expressions, because the update changes or the point is known. */
static void forget(Derivation *proof, Valuation *where) {
    while (where->all) {
        Judgement *judgement = where->all;
        where->all = judgement->next;
        judgement->next = proof->spare;
        proof->spare = judgement;
    }
    map_clear(&where->judgements);
}

/* Concludes a point when all its components have values. */
static void conclude_point(Derivation *proof, Judgement *goal) {
    for (int c = 0; proof->options.formal && c < goal->where->func->shape->components; c++)
        goal->values[c].error = worse(goal->values[c].error, goal->error);
    goal->is_known = true;
    forget(proof, goal->where);
    goal->where->next = proof->spare_valuations;
    proof->spare_valuations = goal->where;
}

/* Returns the judgement of `f[c]`, where f is the func with the updates up to number `update` of a
 * stage. A tree of maps holds one judgement for each. */
static Judgement *point_of(Derivation *proof, const Func *func, size_t stage, int64_t update,
                           const int64_t *point) {
    int64_t numbers[MAX_DIMENSIONS + 2] = {(int64_t)stage, update};
    int count = func->shape->dimensions + 2;
    memcpy(numbers + 2, point, sizeof *point * (size_t)func->shape->dimensions);
    Map *map = &proof->points;
    const void *key = func;
    for (int i = 0; i < count; i++) {
        Map *below = map_get(map, key);
        if (!below) {
            *(below = arena_new(proof->arena, Map)) = map_create(proof->arena);
            map_put(map, key, below);
        }
        map = below;
        key = (const void *)(uintptr_t)((uint64_t)numbers[i] * 2 + 1);
    }
    Judgement *judgement = map_get(map, key);
    if (judgement)
        return judgement;
    map_put(map, key, judgement = arena_new(proof->arena, Judgement));
    Valuation *where = proof->spare_valuations;
    if (where)
        proof->spare_valuations = where->next;
    else
        (where = arena_new(proof->arena, Valuation))->judgements = map_create(proof->arena);
    *where = (Valuation){func, stage, update, .judgements = where->judgements};
    memcpy(where->point, point, sizeof *point * (size_t)func->shape->dimensions);
    where->iteration = arena_array(proof->arena, int64_t, stage_of(where)->reduction.length + 1);
    where->write = last_write(where);
    judgement->where = where;
    judgement->values = arena_array(proof->arena, Value, func->shape->components);
    return judgement;
}

/* Returns the value of a premise. If there is none, the premise becomes the next goal and the
 * result is null (false in the functions below). */
static const Value *premise_of_point(Derivation *proof, Judgement *premise) {
    if (premise->is_known)
        return premise->values;
    if (premise->waits) /* the premise needs itself */
        refuse(proof, HLC_ERROR_RECURRENCE_CYCLE, premise->where->func->shape->name->text,
               (int64_t[5]){0});
    else
        push_goal(proof, premise);
    return NULL;
}

/* Const-Eval. The valuation substitutes constants for variables; the arguments do so for parameters
 * and buffer fields. */
static bool const_eval(const Derivation *proof, const Valuation *where, Expr expr, Value *value) {
    *value = (Value){expr->bits, ERROR_NONE};
    if (expr->op == OP_CONSTANT)
        return true;
    const Func *func = type_is_index(expr->type) ? where->func : NULL;
    for (int d = 0; func && d < func->shape->dimensions; d++)
        if (func->shape->variables[d] == expr->name)
            return value->bits = where->point[d], true;
    for (size_t r = 0; func && r < stage_of(where)->reduction.length; r++)
        if (stage_of(where)->reduction.data[r].variable == expr->name)
            return value->bits = where->iteration[r], true;
    if (func && stage_of(where)->write == expr->name)
        return value->bits = where->write, true;
    return argument_variable(&proof->pipeline->signature, proof->arguments,
                             proof->pipeline->pool->context, expr->name, &value->bits);
}

static bool premise_of(Derivation *proof, Valuation *where, Expr expr, Value *value) {
    if (expr->op == OP_CONSTANT || expr->op == OP_VARIABLE)
        return const_eval(proof, where, expr, value);
    Judgement *premise = map_get(&where->judgements, expr);
    if (premise) {
        *value = premise->value;
        return premise->is_known;
    }
    premise = proof->spare ? proof->spare : arena_new(proof->arena, Judgement);
    proof->spare = premise->next;
    *premise = (Judgement){.expr = expr, .where = where, .next = where->all};
    where->all = premise;
    map_put(&where->judgements, expr, premise);
    return push_goal(proof, premise);
}

/* Op-Eval: evaluates all operands, then applies op by its kernel (ir/value.h). Errors follow Def
 * 4.1. */
static void op_eval(Derivation *proof, Judgement *goal) {
    Expr expr = goal->expr;
    const Func *func = goal->where->func;
    Type types[OP_MAX_ARITY];
    Bits bits[OP_MAX_ARITY];
    uint8_t errors[OP_MAX_ARITY], worst = ERROR_NONE;
    for (int a = 0; a < expr->arity; a++) {
        Value operand;
        if (!premise_of(proof, goal->where, expr->arguments[a], &operand))
            return;
        types[a] = expr->arguments[a]->type;
        bits[a] = operand.bits;
        errors[a] = operand.error;
        worst = worse(worst, operand.error);
    }
    Value value =
        value_apply((Op)expr->op, expr->type, types, bits, proof->options.formal ? errors : NULL);
    if (value.error == ERROR_INDEX)
        refuse(proof, HLC_ERROR_INDEX_RANGE, func ? func->shape->name->text : "", (int64_t[5]){0});
    else
        conclude(proof, goal, value.bits,
                 expr->op == OP_SELECT && proof->options.strict ? worst : value.error);
}

/* A `select` in an equation, or one that picks the write of an update: evaluates the condition, then
 * one arm. */
static void select_eval(Derivation *proof, Judgement *goal) {
    const Expr *arguments = goal->expr->arguments;
    Value condition, arm;
    if (premise_of(proof, goal->where, arguments[0], &condition) &&
        premise_of(proof, goal->where, arguments[condition.bits ? 1 : 2], &arm))
        conclude(proof, goal, arm.bits, worse(condition.error, arm.error));
}

/* Reads an image. Refuses the run if the point lies outside. */
static bool read_image(Derivation *proof, Symbol name, const int64_t *point, Bits *bits) {
    const ImageParameter *images = proof->pipeline->signature.images.data;
    const Image *image = proof->arguments->images;
    for (size_t i = 0; images[i].name != name; i++)
        image++;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t first = image->minimum[d], last = first + image->extent[d] - 1;
        if (point[d] < first || point[d] > last)
            return refuse(proof, HLC_ERROR_ACCESS_OUT_OF_BOUNDS, name->text,
                          (int64_t[5]){point[d], point[d], d, first, last});
    }
    *bits = bits_load(image->type, image_at(image, point));
    return true;
}

static void image_eval(Derivation *proof, Judgement *goal, const int64_t *point, uint8_t error) {
    Bits bits;
    if (read_image(proof, goal->expr->name, point, &bits))
        conclude(proof, goal, bits, error);
}

/* Refuses the run unless the coordinates lie in 32 bits. */
static bool check_point(Derivation *proof, const FuncShape *shape, const int64_t *point) {
    for (int d = 0; d < shape->dimensions; d++)
        if (point[d] != (int32_t)point[d])
            return refuse(proof, HLC_ERROR_COORDINATE_RANGE, shape->name->text,
                          (int64_t[5]){point[d], point[d], d});
    return true;
}

/* Func-Arg-Eval: evaluates the arguments, then the func at that point. Inside an update, the func
 * itself means the func without this update and later ones (Update-Eval). In an equation it means
 * the whole func. */
static void func_arg_eval(Derivation *proof, Judgement *goal) {
    Expr expr = goal->expr;
    const Valuation *where = goal->where;
    const Func *func = pipeline_func(proof->pipeline, expr->name);
    bool is_equation = func && func->recurrence && func->recurrence == where->func->recurrence;
    int64_t point[MAX_DIMENSIONS];
    uint8_t error = ERROR_NONE;
    for (int d = 0; d < expr->arity; d++) {
        Value coordinate;
        if (!premise_of(proof, goal->where, expr->arguments[d], &coordinate))
            return;
        point[d] = coordinate.bits;
        error = worse(error, coordinate.error);
    }
    if (!func)
        image_eval(proof, goal, point, error);
    if (!func || (!is_equation && !check_point(proof, func->shape, point)))
        return;
    bool itself = func == where->func && !is_equation;
    size_t stage = itself ? where->stage : func->stages.length - 1;
    int64_t update = itself ? where->update - 1 : UNROLLED;
    const Value *values = premise_of_point(proof, point_of(proof, func, stage, update, point));
    if (values)
        conclude(proof, goal, values[expr->component].bits,
                 worse(values[expr->component].error, error));
}

/* Func-Eval: `fun f(x) = {e}` at c is [c/x] e. Also evaluates e_b of Update-Eval. */
static void func_eval(Derivation *proof, Judgement *goal) {
    Valuation *where = goal->where;
    for (int c = 0; c < where->func->shape->components; c++)
        if (!premise_of(proof, where, stage_of(where)->values[c], &goal->values[c]))
            return;
    conclude_point(proof, goal);
}

/* Evaluates (e_min, e_len) => (minimum, length). `error` is set if a bound is an error. */
static bool interval_eval(Derivation *proof, const ReductionVariable *variable, int64_t *minimum,
                          int64_t *length, uint8_t *error) {
    Value first, count;
    if (!premise_of(proof, &proof->startup, variable->interval.minimum, &first) ||
        !premise_of(proof, &proof->startup, variable->interval.length, &count))
        return false;
    *minimum = first.bits;
    *length = count.bits;
    if (first.error || count.error)
        *error = ERROR_RDOM;
    return *length >= 0 ||
           refuse(proof, HLC_ERROR_RDOM_LENGTH, variable->variable->text, (int64_t[5]){*length});
}

/* RDom-Eval: computes the number of updates that `unroll` makes of the stage, and r1, .., rk of the
 * valuation's update. The last-named variable is outermost. RDom-Err: `error` is set if a bound is
 * an error. */
static bool rdom_eval(Derivation *proof, Valuation *where, int64_t *count, uint8_t *error) {
    const Stage *stage = stage_of(where);
    int64_t minimum, length, rest = where->update > 0 ? where->update - 1 : 0;
    *count = 1;
    *error = ERROR_NONE;
    for (size_t r = 0; r < stage->reduction.length; r++) {
        if (!interval_eval(proof, &stage->reduction.data[r], &minimum, &length, error))
            return false;
        where->iteration[r] = minimum + (length ? rest % length : 0);
        rest = length ? rest / length : 0;
        if (__builtin_mul_overflow(*count, length, count))
            *count = INT64_MAX;
    }
    return true;
}

/* Evaluates the condition of the select in Update-Eval, `e1 = c1 and .. and en = cn and ep`. It is
 * lazy: if an index differs, the predicate is not evaluated; if the predicate is false, errors of
 * indices do not count. */
static bool update_condition(Derivation *proof, Valuation *where, Value *condition) {
    const Stage *stage = stage_of(where);
    Value index, predicate;
    *condition = (Value){true, ERROR_NONE};
    for (int d = 0; d < where->func->shape->dimensions; d++) {
        if (!premise_of(proof, where, stage->indices[d], &index))
            return false;
        condition->bits = condition->bits && index.bits == where->point[d];
        condition->error = worse(condition->error, index.error);
    }
    if (!stage->predicate || (!condition->bits && !condition->error))
        return true;
    if (!premise_of(proof, where, stage->predicate, &predicate))
        return false;
    *condition = (Value){
        condition->bits && predicate.bits,
        predicate.bits || predicate.error ? worse(condition->error, predicate.error) : ERROR_NONE};
    return true;
}

/* Update-Eval: `select(condition, e_b, the func without this update)`, from the last update down.
 * If the condition is false, the goal remains, now without this update. An update of several writes
 * has a condition and an e_b for each, from the last write down. All read the func without the whole
 * update. */
static void update_eval(Derivation *proof, Judgement *goal) {
    Valuation *where = goal->where;
    const FuncShape *shape = where->func->shape;
    uint8_t error;
    int64_t count;
    Value condition;
    if (where->update == 0) { /* no update of the stage is left */
        const Value *before = premise_of_point(
            proof, point_of(proof, where->func, where->stage - 1, UNROLLED, where->point));
        if (!before)
            return;
        memcpy(goal->values, before, sizeof *before * (size_t)shape->components);
        conclude_point(proof, goal);
    } else if (!rdom_eval(proof, where, &count, &error)) {
        return;
    } else if (where->update == UNROLLED) {
        goal->error = error;
        where->update = count;
    } else if (update_condition(proof, where, &condition)) {
        error = goal->error;
        goal->error = worse(error, condition.error);
        if (condition.bits) {
            func_eval(proof, goal); /* e_b */
            goal->error = error;
        } else {
            forget(proof, where);
            if (where->write-- == 0) {
                where->update--;
                where->write = last_write(where);
            }
        }
    }
}

/* Func-Eval of an equation: inside the domain its value is [c/x] e, outside it is zero. */
static void equation_eval(Derivation *proof, Judgement *goal) {
    const Valuation *where = goal->where;
    const FuncShape *shape = where->func->shape;
    const Recurrence *recurrence = where->func->recurrence;
    bool is_inside = true;
    uint8_t error = ERROR_NONE;
    for (size_t v = 0; v < recurrence->domain.length; v++) {
        int64_t minimum, length;
        if (!interval_eval(proof, &recurrence->domain.data[v], &minimum, &length, &error))
            return;
        for (int d = 0; d < shape->dimensions; d++)
            if (shape->variables[d] == recurrence->domain.data[v].variable)
                is_inside =
                    is_inside && where->point[d] >= minimum && where->point[d] - minimum < length;
    }
    goal->error = error; /* RDom-Err */
    if (is_inside && !error)
        func_eval(proof, goal);
    else
        conclude_point(proof, goal); /* `values` are zero */
}

/* Func-Eval of a func that a C function computes: its premises are the points of the boxes. */
typedef struct ExternEval {
    Derivation *proof;
    Judgement *goal;
    const ExternParts *parts;
} ExternEval;

static bool extern_read(void *data, size_t part, const int64_t *point, Bits *bits) {
    ExternEval *eval = data;
    Expr access = eval->parts->data[part].first;
    const Func *func = pipeline_func(eval->proof->pipeline, access->name);
    if (!func)
        return read_image(eval->proof, access->name, point, bits);
    if (!check_point(eval->proof, func->shape, point))
        return false;
    const Value *values = premise_of_point(
        eval->proof, point_of(eval->proof, func, func->stages.length - 1, UNROLLED, point));
    if (!values)
        return false;
    *bits = values[access->component].bits;
    eval->goal->error = worse(eval->goal->error, values[access->component].error);
    return true;
}

static bool extern_write(void *data, const int64_t *point, const Bits *values) {
    const ExternEval *eval = data;
    (void)point;
    for (int c = 0; c < eval->goal->where->func->shape->components; c++)
        eval->goal->values[c] = (Value){values[c], ERROR_NONE};
    return true;
}

/* Evaluates an argument of the call. */
static bool extern_argument(Derivation *proof, Judgement *goal, Expr expr, Bits *bits) {
    Value value;
    if (!premise_of(proof, goal->where, expr, &value))
        return false;
    *bits = value.bits;
    goal->error = worse(goal->error, value.error);
    return true;
}

static void extern_eval(Derivation *proof, Judgement *goal) {
    const FuncShape *func = goal->where->func->shape;
    Expr call = stage_of(goal->where)->values[0];
    ExternParts parts = extern_parts(proof->arena, call);
    Bits scalars[parts.length + 1];
    int64_t boxes[parts.length + 1][2][MAX_DIMENSIONS];
    hlc_report report = {0};
    goal->error = ERROR_NONE;
    for (size_t i = 0; i < parts.length; i++) {
        const ExternPart *part = &parts.data[i];
        if (part->scalar && !extern_argument(proof, goal, part->scalar, &scalars[i]))
            return;
        for (int k = 0; !part->scalar && k < 2 * part->first->arity; k++) {
            Expr end = (k % 2 ? part->last : part->first)->arguments[k / 2];
            if (!extern_argument(proof, goal, end, &boxes[i][k % 2][k / 2]))
                return;
        }
    }
    for (int end = 0; end < 2; end++)
        memcpy(boxes[parts.length][end], goal->where->point, sizeof goal->where->point);
    ExternEval eval = {proof, goal, &parts};
    ExternRun run = {.context = proof->pipeline->pool->context,
                     .function = call->name,
                     .func = func,
                     .parts = &parts,
                     .rules = extern_rules(proof->arena, &parts, func),
                     .scalars = scalars,
                     .boxes = (const int64_t(*)[2][MAX_DIMENSIONS])boxes,
                     .read = extern_read,
                     .write = extern_write,
                     .data = &eval};
    int error = extern_run(&run, &report);
    if (error && error != EXTERN_LEFT)
        proof->outcome = outcome_of_report(&report);
    else if (!error)
        conclude_point(proof, goal);
}

static void apply_rule(Derivation *proof, Judgement *goal) {
    const Func *func = goal->where->func;
    if (!goal->expr && goal->where->stage > 0)
        update_eval(proof, goal);
    else if (!goal->expr && func->recurrence)
        equation_eval(proof, goal);
    else if (!goal->expr && func_is_extern(func))
        extern_eval(proof, goal);
    else if (!goal->expr)
        func_eval(proof, goal);
    else if (goal->expr->op == OP_ACCESS)
        func_arg_eval(proof, goal);
    else if (goal->expr->op == OP_SELECT && func &&
             (func->recurrence || stage_picks_write(stage_of(goal->where), goal->expr)))
        select_eval(proof, goal);
    else
        op_eval(proof, goal);
}

/* Runs until all goals have values. Returns false after a refusal. */
static bool prove(Derivation *proof) {
    while (proof->goals.length > 0 && !proof->outcome.error) {
        Judgement *goal = proof->goals.data[proof->goals.length - 1];
        arena_poll(proof->arena);
        if (goal->is_known)
            proof->goals.length--;
        else if (proof->options.budget && ++proof->steps > proof->options.budget)
            refuse(proof, HLC_ERROR_BUDGET, "the semantics", (int64_t[5]){(int64_t)proof->steps});
        else
            apply_rule(proof, goal);
    }
    return !proof->outcome.error;
}

/* Checks the requirements. Reports a condition that is an error as the first error. */
static bool check_requirements(Derivation *proof, ErrorPoint *first_error) {
    for (size_t i = 0; i < proof->pipeline->requirements.length; i++) {
        const Requirement *requirement = &proof->pipeline->requirements.data[i];
        Value held;
        while (!premise_of(proof, &proof->startup, requirement->condition, &held))
            if (!prove(proof))
                return false;
        if (!held.bits)
            return refuse(proof, HLC_ERROR_REQUIREMENT_FAILED, requirement->message,
                          (int64_t[5]){0});
        if (first_error && !first_error->error)
            *first_error = (ErrorPoint){.error = held.error, .requirement = requirement->message};
    }
    return true;
}

static Derivation *begin(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                         const SemanticsOptions *options, ErrorPoint *first_error) {
    Derivation *proof = arena_new(arena, Derivation);
    *proof = (Derivation){.pipeline = pipeline, .arguments = arguments, .options = *options};
    proof->options.formal = options->formal || options->strict;
    proof->arena = arena;
    proof->points = map_create(arena);
    proof->startup.judgements = map_create(arena);
    if (first_error)
        *first_error = (ErrorPoint){.error = ERROR_NONE};
    if (entry_check(pipeline, arguments, &proof->outcome))
        check_requirements(proof, first_error);
    return proof;
}

static const Value *prove_point(Derivation *proof, const Func *func, const int64_t *point) {
    Judgement *goal = point_of(proof, func, func->stages.length - 1, UNROLLED, point);
    if (!goal->is_known && check_point(proof, func->shape, point))
        push_goal(proof, goal);
    return prove(proof) ? goal->values : NULL;
}

/* Realize for one component: proves `D; f(i) => c` for each point i of the window. */
static void realize(Derivation *proof, const Func *func, int component, const Image *window,
                    ErrorPoint *first_error) {
    int64_t point[MAX_DIMENSIONS] = {0}, count = image_count(window);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (int d = 0; d < window->dimensions; d++) {
            point[d] = window->minimum[d] + rest % window->extent[d];
            rest /= window->extent[d];
        }
        const Value *values = prove_point(proof, func, point);
        if (!values)
            return;
        bits_store(window->type, image_at(window, point), values[component].bits);
        if (!first_error || first_error->error || !values[component].error)
            continue;
        *first_error = (ErrorPoint){
            .error = values[component].error, .func = func->shape->name, .component = component};
        memcpy(first_error->point, point, sizeof point);
    }
}

Outcome semantics_realize(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                          const SemanticsOptions *options, ErrorPoint *first_error) {
    Derivation *proof = begin(pipeline, arena, arguments, options, first_error);
    const Image *window = arguments->outputs;
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++) {
        const Func *func = pipeline_func(pipeline, pipeline->signature.outputs.data[i].func);
        for (int c = 0; c < func->shape->components && !proof->outcome.error; c++)
            realize(proof, func, c, window++, first_error);
    }
    return proof->outcome;
}

Outcome semantics_point(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                        const SemanticsOptions *options, Symbol name, const int64_t *point,
                        Value *values) {
    Derivation *proof = begin(pipeline, arena, arguments, options, NULL);
    const Func *func = pipeline_func(pipeline, name);
    const Value *proved = proof->outcome.error ? NULL : prove_point(proof, func, point);
    if (proved)
        memcpy(values, proved, sizeof *values * (size_t)func->shape->components);
    return proof->outcome;
}
