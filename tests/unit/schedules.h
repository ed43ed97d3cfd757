/* schedules.h -- schedules written as text, for unit tests of the layers below the front end.
 *
 * `bench_schedule(&bench, "split(h.s1.x, xo, xi, 8); compute-at(g, h.s1.xo)")` reads directives by
 * the argument letters of directives.def.  An expression is an integer, the name of a parameter, or
 * `NAME < INTEGER` for specialize.  The place of the n-th directive (from 1) is line n; of its m-th
 * argument, line n, column m.
 */
#ifndef HLC_TESTS_UNIT_SCHEDULES_H
#define HLC_TESTS_UNIT_SCHEDULES_H

#include "schedule/schedule.h"

#include "pipelines.h"

#include <stdlib.h>

static inline DirectiveKind bench_directive_kind(const char *text) {
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++)
        if (strcmp(directive_info((DirectiveKind)kind)->text, text) == 0)
            return (DirectiveKind)kind;
    fprintf(stderr, "no directive %s\n", text);
    abort();
}

static inline LoopReference bench_loop(Bench *bench, const char *text) {
    LoopReference loop = {.stage = -1};
    char func[32] = "", rest[64] = "";
    sscanf(text, "%31[^.].%63s", func, rest);
    const char *variable = rest;
    char *end;
    if (variable[0] == 'z' && variable[1] >= '0' && variable[1] <= '9') {
        loop.specialization = (int)strtol(variable + 1, &end, 10);
        variable = end + 1;
    }
    if (variable[0] == 's' && variable[1] >= '0' && variable[1] <= '9') {
        loop.stage = (int)strtol(variable + 1, &end, 10);
        variable = end + 1;
    }
    loop.func = context_symbol(bench->context, func);
    loop.variable = context_symbol(bench->context, variable);
    return loop;
}

static inline Expr bench_expr(Bench *bench, const char *text, bool condition) {
    char name[32] = "";
    long long number = 0;
    if (sscanf(text, "%lld", &number) == 1)
        return expr_index(bench->pool, number);
    int count = sscanf(text, "%31[^ <] < %lld", name, &number);
    Symbol symbol = context_symbol(bench->context, name);
    const Parameter *parameter = signature_parameter(&bench->pipeline->signature, symbol);
    Type type = parameter ? parameter->type : I32;
    Expr variable = expr_variable(bench->pool, symbol, type);
    if (condition && count == 2)
        return expr_lt(bench->pool, variable, expr_constant(bench->pool, type, number));
    return expr_cast(bench->pool, INDEX, variable);
}

static inline int bench_choice(const char *text, const char *const *choices, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    return -1;
}

static inline DirectiveArgument bench_argument(Bench *bench, DirectiveKind kind, char letter,
                                               const char *text, Place place) {
    static const char *const traversals[] = {"serial", "parallel", "vectorized", "unrolled"};
    DirectiveArgument argument = {.place = place};
    int tail = 0;
    while (tail < TAILS_COUNT && strcmp(text, tail_text((Tail)tail)))
        tail++;
    if (tail < TAILS_COUNT) {
        argument.kind = ARGUMENT_TAIL;
        argument.tail = (Tail)tail;
    } else if (letter == 'f' || letter == 'i' || letter == 'n') {
        argument.kind = letter == 'n' ? ARGUMENT_NAME : ARGUMENT_FUNC;
        argument.name = context_symbol(bench->context, text);
    } else if (letter == 'l') {
        argument.kind = ARGUMENT_LOOP;
        argument.loop = bench_loop(bench, text);
    } else if (letter == 'm') {
        argument.kind = ARGUMENT_MEMORY;
        if (!memory_from_text(text, &argument.memory))
            abort();
    } else if (letter == 't') {
        argument.kind = ARGUMENT_TRAVERSAL;
        argument.traversal = (Traversal)bench_choice(text, traversals, 4);
    } else {
        argument.kind = ARGUMENT_EXPR;
        argument.expr = bench_expr(bench, text, kind == DIRECTIVE_SPECIALIZE);
    }
    return argument;
}

/* `text` is `name(a, b, c)`. */
static inline Directive bench_directive(Bench *bench, char *text, uint32_t line) {
    Directive directive = {.place = {0, line, 0, 1}};
    while (*text == ' ' || *text == '\n')
        text++;
    char *open = strchr(text, '(');
    *open = '\0';
    directive.kind = bench_directive_kind(text);
    const char *letters = directive_info(directive.kind)->arguments;
    char *rest = open + 1, *last = strrchr(rest, ')');
    *last = '\0';
    for (uint32_t column = 1; rest && *rest; column++) {
        char *comma = strchr(rest, ',');
        if (comma)
            *comma = '\0';
        while (*rest == ' ')
            rest++;
        while (*letters == '?' || *letters == '*')
            letters++;
        if (letters[0] && letters[1] == '*' && !comma)
            letters += 2;
        vec_push(
            bench->arena, &directive.arguments,
            bench_argument(bench, directive.kind, *letters, rest, (Place){0, line, column, 1}));
        if (letters[1] != '*' && letters[1] != '+')
            letters++;
        rest = comma ? comma + 1 : NULL;
    }
    return directive;
}

static inline Schedule *bench_schedule(Bench *bench, const char *text) {
    Schedule *schedule = arena_new(bench->arena, Schedule);
    char *copy = arena_text(bench->arena, text, strlen(text));
    uint32_t line = 1;
    for (char *next = copy; next; line++) {
        char *semicolon = strchr(next, ';');
        if (semicolon)
            *semicolon = '\0';
        if (strchr(next, '('))
            vec_push(bench->arena, &schedule->directives, bench_directive(bench, next, line));
        next = semicolon ? semicolon + 1 : NULL;
    }
    return schedule;
}

/* Pointwise, of three funcs, each of one pure stage, with a parameter w to specialize on:
 *
 *     fun f(x, y) = input(x, y);
 *     fun g(x, y) = f(x + 1, y) + i32(x);
 *     fun h(x, y) = g(x + 1, y) + g(x - 1, y);   -- the output */
static inline Bench bench_chain(void) {
    Bench bench = bench_create("chain");
    Pool *pool = bench.pool;
    bench_image(&bench, "input", I32, 2);
    bench_parameter(&bench, "w", I32, 3, 0, 64);
    Expr x = bench_variable(&bench, "x"), y = bench_variable(&bench, "y");
    Expr one = expr_index(pool, 1), right = expr_add(pool, x, one), left = expr_sub(pool, x, one);
    Func *f = bench_func(&bench, "f", "xy", I32);
    bench_pure(&bench, f, bench_call2(&bench, "input", x, y));
    Func *g = bench_func(&bench, "g", "xy", I32);
    bench_pure(&bench, g,
               expr_add(pool, bench_call2(&bench, "f", right, y), expr_cast(pool, I32, x)));
    Func *h = bench_func(&bench, "h", "xy", I32);
    bench_pure(
        &bench, h,
        expr_add(pool, bench_call2(&bench, "g", right, y), bench_call2(&bench, "g", left, y)));
    bench_output(&bench, h);
    return bench;
}

#endif
