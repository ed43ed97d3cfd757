/* refusal.c -- finds the assertion that refused a run: its place, and what its variables were.
 *
 * A refusal's message is the entry's, which compiled code also gives to hosts; it knows neither the
 * text of the program nor its schedule. Here both are at hand, so the assertions are evaluated again
 * with the arguments. */
#include "library/compiler.h"

#include "ir/walk.h"

#include <string.h>

typedef struct RefusalSearch {
    hlc *h;
    const Program *program;
    const hlc_arguments *a;
    int error;
    const Stmt *failed; /* the first that does not hold */
} RefusalSearch;

static Expr put_value(void *data, Pool *pool, Expr node) {
    const RefusalSearch *search = data;
    Bits bits;
    if (node->op != OP_VARIABLE || !argument_variable(search->a->signature, &search->a->values,
                                                      search->h->context, node->name, &bits))
        return node;
    return expr_constant(pool, node->type, bits);
}

static bool enter(void *data, Stmt *stmt) {
    RefusalSearch *search = data;
    if (search->failed || stmt->kind == STMT_FOR || stmt->kind == STMT_COMPUTE)
        return false;
    if (stmt->kind == STMT_ASSERT && stmt->assertion.error == (hlc_error)search->error) {
        Expr condition = expr_rewrite_alone(search->program->pool, search->h->scratch,
                                            stmt->assertion.condition, put_value, search);
        if (expr_is_false(condition))
            search->failed = stmt;
    }
    return true;
}

/* " (a.extent.0 = 32, k = 1)" */
static const char *values_of(const RefusalSearch *search) {
    Arena *arena = search->h->scratch;
    const char *text = "";
    Exprs variables = expr_variables_of(arena, search->failed->assertion.condition);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        Expr value = put_value((void *)(uintptr_t)search, search->program->pool, variable);
        char number[48];
        if (value == variable)
            continue;
        value_print(value->type, value->bits, number, sizeof number);
        text = arena_format(arena, "%s%s%s = %s", text, *text ? ", " : "", variable->name->text,
                            number);
    }
    return *text ? arena_format(arena, " (%s)", text) : "";
}

/* Would the images do without the schedule? */
static bool is_of_schedule(hlc *h, const Runner *runner, const hlc_arguments *a) {
    if (!a->pipeline || !compiler_schedule_is_named(runner->schedule))
        return false;
    Runner plain = {.machine = HLC_REFERENCE};
    return *pseudo_needed(h, &plain, a) == 0;
}

Refusal refusal_explain(hlc *h, const Runner *runner, const hlc_arguments *a,
                        const Outcome *outcome) {
    Refusal refusal = {.needed = "", .values = ""};
    if (outcome->error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS) {
        refusal.needed = pseudo_needed(h, runner, a);
        refusal.is_of_schedule = *refusal.needed && is_of_schedule(h, runner, a);
    }
    bool is_placed = outcome->error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS ||
                     outcome->error == HLC_ERROR_REQUIREMENT_FAILED;
    RefusalSearch search = {h, runner->program, a, outcome->error, NULL};
    if (!is_placed || !runner->program || !a->pipeline)
        return refusal;
    StmtVisitor visitor = {.data = &search, .enter = enter};
    block_visit((Block *)(uintptr_t)&runner->program->body, &visitor);
    if (!search.failed)
        return refusal;
    refusal.place = search.failed->place;
    if (outcome->error == HLC_ERROR_REQUIREMENT_FAILED)
        refusal.values = values_of(&search);
    return refusal;
}
