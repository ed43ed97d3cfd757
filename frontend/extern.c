/* extern.c -- elaborates `extern "name"(..)`, the value of a func that a C function computes.
 *
 *     fun spectrum(x, y): f32 = extern "fft_row"(signal(0 .. n - 1, y), n, 2.5);
 *
 * An argument that reads a func or an image is a box: each coordinate is a range, an index, or `_`
 * for the whole dimension of an image. The box is what the value of the point (x, y) needs. It
 * becomes the reads of its first and its last point (ir/extern.h), so all that follows knows the
 * region as a formula. All other arguments are scalars, known at startup.
 */
#include "frontend/elaborate.h"
#include "frontend/valid.h"

#include "ir/extern.h"

#include <string.h>

/* ---- boxes ---- */

static Expr box_end(Elaborator *e, Environment environment, const Syntax *syntax) {
    Expr end = elaborate_index(e, environment, syntax);
    if (!end || !expr_has_access(end))
        return end;
    Exprs accesses = expr_accesses_of(e->arena, end);
    diag(e->context, DIAG_EXTERN_NEEDS, syntax->place, accesses.data[0]->name->text);
    return NULL;
}

static bool is_blank(const Syntax *syntax) {
    return syntax->kind == SYNTAX_NAME && !strcmp(syntax->name->text, "_");
}

/* The whole dimension of an image. */
static bool whole_dimension(Elaborator *e, const Callable *callable, int d, Place place,
                            Expr *first, Expr *last) {
    Symbol name = callable->binding->name;
    if (callable->kind != CALLABLE_IMAGE)
        return diag(e->context, DIAG_EXTERN_WHOLE, place, name->text);
    Extent domain = signature_domain(&e->pipeline->signature, e->pool, name, d);
    *first = domain.minimum;
    *last = expr_sub(e->pool, expr_add(e->pool, *first, domain.length), expr_index(e->pool, 1));
    return true;
}

static bool read_box(Elaborator *e, Environment environment, const Syntax *call,
                     const Callable *callable, Exprs *arguments) {
    Expr first[MAX_DIMENSIONS + 1], last[MAX_DIMENSIONS + 1];
    int count = (int)call->children.length - 1;
    if (callable->kind == CALLABLE_BOUNDARY)
        return diag(e->context, DIAG_EXTERN_BOUNDARY, call->place);
    for (int d = 0; d < count && d <= MAX_DIMENSIONS; d++) {
        const Syntax *at = call->children.data[d + 1];
        bool is_image = callable->kind == CALLABLE_IMAGE;
        if (is_blank(at) && (!is_image || d < callable->binding->image->dimensions)) {
            if (!whole_dimension(e, callable, d, at->place, &first[d], &last[d]))
                return false;
            continue;
        }
        bool is_range = at->kind == SYNTAX_RANGE;
        first[d] = box_end(e, environment, is_range ? at->children.data[0] : at);
        last[d] = is_range ? box_end(e, environment, at->children.data[1]) : first[d];
        if (!first[d] || !last[d])
            return false;
    }
    for (int c = 0; c < call_component_count(callable); c++) {
        Expr corners[] = {call_at(e, callable, first, count, c, call->place),
                          call_at(e, callable, last, count, c, call->place)};
        if (!corners[0] || !corners[1])
            return false;
        vec_push(e->arena, arguments, corners[0]);
        vec_push(e->arena, arguments, corners[1]);
    }
    return true;
}

/* Does the argument read a func or an image? Sets `*good` to false after reporting. */
static bool is_read(Elaborator *e, Environment environment, const Syntax *argument,
                    Callable *callable, bool *good) {
    const Syntax *callee = argument->kind == SYNTAX_CALL ? argument->children.data[0] : NULL;
    const NameBinding *binding =
        callee && callee->kind == SYNTAX_NAME ? scope_find(e, environment, callee->name) : NULL;
    if (!callee || (callee->kind == SYNTAX_NAME && !binding) || callee->kind == SYNTAX_MEMBER)
        return false;
    *good = call_resolve(e, environment, callee, callable);
    return !*good || callable->kind != CALLABLE_HELPER;
}

static bool read_scalar(Elaborator *e, Environment environment, const Syntax *syntax,
                        Exprs *arguments) {
    Expr value = elaborate_value(e, environment, syntax);
    if (!value || !valid_startup(e->context, e->arena, &e->pipeline->signature, value,
                                 STARTUP_ALGORITHM, "a scalar of an extern call", syntax->place))
        return false;
    vec_push(e->arena, arguments, value);
    return true;
}

bool elaborate_extern(Elaborator *e, Environment environment, const Syntax *syntax,
                      const FunSyntax *typed, Results *components) {
    Exprs arguments = {0};
    const char *name = syntax->name->text;
    if (!extern_may_be_named(name, e->pipeline->signature.name->text))
        return diag(e->context, DIAG_EXTERN_NAME, syntax->place, name);
    if (e->block)
        return diag(e->context, DIAG_EXTERN_PLACE, syntax->place);
    if (!typed->has_types)
        return diag(e->context, DIAG_EXTERN_TYPE, syntax->place, typed->name.name->text);
    for (size_t i = 0; i < syntax->children.length; i++) {
        const Syntax *argument = syntax->children.data[i];
        Callable callable;
        bool good = true;
        if (is_read(e, environment, argument, &callable, &good))
            good = good && read_box(e, environment, argument, &callable, &arguments);
        else
            good = read_scalar(e, environment, argument, &arguments);
        if (!good)
            return false;
    }
    size_t count = typed->types.length + arguments.length;
    for (size_t i = 0; i < arguments.length; i++)
        if (arguments.data[i]->op == OP_ACCESS) {
            i++; /* two accesses are one argument */
            count--;
        }
    if (count > HLC_MOST_EXTERN_ARGUMENTS)
        return diag(e->context, DIAG_EXTERN_ARGUMENTS, syntax->place,
                    arena_number(e->arena, HLC_MOST_EXTERN_ARGUMENTS));
    for (size_t c = 0; c < typed->types.length; c++)
        vec_push(e->arena, components,
                 result_of(expr_extern(e->pool, syntax->name, (int)c, typed->types.data[c],
                                       arguments.data, (int)arguments.length)));
    return true;
}
