/* item.c -- draws consts, lets, lists, helpers, funcs, families and blocks. */
#include "checkers/fuzz/families/families.h"

#include <ctype.h>
#include <string.h>

/* ---- rounds ---- */

Replay family_begin(Writer *w, int64_t count, bool is_loop) {
    Replay replay = {w->random.state, w->used.length, w->live, w->prints, w->scope, count, is_loop};
    w->loops += is_loop;
    w->indent++;
    return replay;
}

bool family_round(Writer *w, const Replay *replay, int64_t i) {
    bool is_first = i == 0;
    if (!is_first && (!replay->live || i >= replay->count))
        return false;
    w->random.state = replay->state;
    w->used.length = replay->used;
    w->scope = replay->outer;
    w->live = replay->live && i < replay->count;
    w->prints = replay->prints && is_first;
    return true;
}

void family_end(Writer *w, const Replay *replay) {
    w->live = replay->live;
    w->prints = replay->prints;
    w->loops -= replay->is_loop;
    w->indent--;
    family_leave_block(w, replay->outer);
}

const Entity *family_size(Writer *w) {
    Entities found = {0};
    for (const Scope *scope = w->scope; scope; scope = scope->outer)
        if (scope->entity && scope->entity->is_size && family_is_visible(w, scope->entity))
            vec_push(w->arena, &found, scope->entity);
    return found.length ? found.data[random_below(&w->random, (int)found.length)] : NULL;
}

/* ---- lets ---- */

static const char *let_name(Writer *w) {
    const char *name = w->in_body ? family_any_name(w) : family_new_name(w);
    while (w->loops && family_is_known(w, name)) /* the next round would see this one's */
        name = arena_format(w->arena, "%s_", name);
    return name;
}

static void draw_const(Writer *w) {
    StaticPair value = family_number(w, 2);
    const char *name = let_name(w);
    Entity *entity = family_entity(w, ENTITY_NUMBER, name);
    entity->number = value.value;
    entity->is_static = value.is_static;
    entity->flat = value.is_static ? NULL : arena_format(w->arena, "(%s)", value.text.flat);
    family_print(w, "const %s = %s;\n", name, value.text.written);
    family_push(w, name, entity);
}

static void draw_let(Writer *w, int depth) {
    Pair value = family_value(w, depth);
    const char *name = let_name(w);
    Entity *entity = family_entity(w, ENTITY_VALUE, name);
    entity->flat = arena_format(w->arena, "(%s)", value.flat);
    family_print(w, "let %s = %s;\n", name, value.written);
    family_push(w, name, entity);
}

static void draw_list(Writer *w, int depth) {
    Entity *entity = family_entity(w, ENTITY_LIST, NULL);
    const char *text = family_list(w, depth, &entity->elements);
    entity->name = let_name(w);
    for (size_t i = 0; i < entity->elements.length; i++)
        entity->elements.data[i].flat =
            arena_format(w->arena, "(%s)", entity->elements.data[i].flat);
    family_print(w, "let %s = %s;\n", entity->name, text);
    family_push(w, entity->name, entity);
}

/* `let h(f, x, y, k) = ..;` */
static void draw_helper(Writer *w) {
    Entity *helper = family_entity(w, ENTITY_HELPER, NULL);
    if (random_chance(&w->random, 70))
        helper->formals[helper->formal_count++] = ENTITY_FUNC;
    for (int i = random_between(&w->random, 1, 2); i > 0; i--)
        helper->formals[helper->formal_count++] = ENTITY_VARIABLE;
    if (random_chance(&w->random, 50))
        helper->formals[helper->formal_count++] = ENTITY_NUMBER;
    if (random_chance(&w->random, 30))
        helper->formals[helper->formal_count++] = ENTITY_LIST;
    const char *text = "", *names[FAMILY_FORMALS];
    for (int i = 0; i < helper->formal_count; i++) {
        Entity *formal = family_entity(w, helper->formals[i], NULL);
        formal->name = names[i] = family_other_name(w, names, (size_t)i);
        formal->dimensions = formal->kind == ENTITY_FUNC ? 2 : 0;
        formal->is_static = true;
        formal->flat = "0";
        vec_push(w->arena, &helper->parameters, formal);
        text = arena_format(w->arena, i ? "%s, %s" : "%s%s", text, formal->name);
    }
    helper->scope = w->scope;
    helper->seed = random_bits(&w->random);
    bool was_live = w->live;
    w->live = false;
    Pair body = family_helper_text(w, helper, helper->parameters.data);
    w->live = was_live;
    helper->name = family_new_name(w);
    family_print(w, "let %s(%s) = %s;\n", helper->name, text, body.written);
    family_push(w, helper->name, helper);
}

static Entity *push_number(Writer *w, const char *name, int64_t value) {
    Entity *number = family_entity(w, ENTITY_NUMBER, name);
    number->number = value;
    number->is_static = true;
    family_push(w, name, number);
    return number;
}

/* `let s = ..;  for k in .. { let s = s + ..; }`, or the same with a list. */
static void draw_sum(Writer *w, int depth) {
    bool is_list = random_chance(&w->random, 40);
    if (is_list)
        draw_list(w, depth);
    else
        draw_let(w, depth);
    Entity *sum = w->scope->entity;
    StaticPair first = family_number(w, 1), more = family_number(w, 1);
    int64_t count = ((more.value % 4) + 4) % 4;
    const char *variable = family_any_name(w);
    family_print(w, "for %s in %s..%s + (%s) %% 4 - 1 {\n", variable, first.text.written,
                 first.text.written, more.text.written);
    Replay replay = family_begin(w, count, true);
    for (int64_t i = 0; family_round(w, &replay, i); i++) {
        push_number(w, variable, first.value + i);
        if (random_chance(&w->random, 30))
            draw_const(w);
        Pair value = family_value(w, depth);
        if (!family_is_visible(w, sum)) {
            const char *name = let_name(w);
            family_print(w, "let %s = %s;\n", name, value.written);
            family_push(w, name, NULL);
        } else if (is_list) {
            family_print(w, "let %s = [..%s, %s];\n", sum->name, sum->name, value.written);
            if (w->live)
                vec_push(w->arena, &sum->elements,
                         ((Pair){"", arena_format(w->arena, "(%s)", value.flat)}));
        } else {
            family_print(w, "let %s = %s - %s;\n", sum->name, sum->name, value.written);
            if (w->live)
                sum->flat = arena_format(w->arena, "(%s - %s)", sum->flat, value.flat);
        }
    }
    family_end(w, &replay);
    family_print(w, "}\n");
}

/* ---- what an item may be: each entry of a table is as probable as the others ---- */

typedef void DrawItem(Writer *w);

static void draw_short_let(Writer *w) {
    draw_let(w, 1);
}

static void draw_long_let(Writer *w) {
    draw_let(w, 2);
}

static void draw_short_list(Writer *w) {
    draw_list(w, 1);
}

static void draw_short_sum(Writer *w) {
    draw_sum(w, 1);
}

/* ---- funcs ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

static bool is_hidden(const Writer *w, const Scope *outer, const char *path) {
    for (const Scope *scope = w->scope; scope != outer; scope = scope->outer)
        if (mentions(path, scope->name))
            return true;
    return false;
}

static Pair push_variable(Writer *w, const char *name) {
    Entity *variable = family_entity(w, ENTITY_VARIABLE, name);
    variable->flat = w->renames ? arena_format(w->arena, "%s__", name) : name;
    w->renamed += w->renames;
    family_push(w, name, variable);
    vec_push(w->arena, &w->bound, variable->flat);
    return (Pair){name, variable->flat};
}

static void draw_variables(Writer *w, int dimensions, const char **variables) {
    static const char *const plain[] = {"x", "y", "z"};
    bool is_plain = random_chance(&w->random, 50);
    for (size_t i = 0; i < w->fixed.length; i++)
        for (int d = 0; d < 3; d++)
            is_plain &= strcmp(w->fixed.data[i], plain[d]) != 0;
    for (int d = 0; d < dimensions; d++)
        variables[d] = is_plain ? plain[d] : family_other_name(w, variables, (size_t)d);
}

static void draw_update(Writer *w, const char *path, const char *flat, const char *variables,
                        const char *flat_variables) {
    const Scope *outer = w->scope;
    size_t bound = w->bound.length;
    bool has_domain = random_chance(&w->random, 60);
    Pair domain = {"", ""};
    const char *name = family_any_name(w);
    int first = random_between(&w->random, -1, 2), length = random_between(&w->random, 1, 3);
    if (has_domain && !mentions(path, name) && !mentions(variables, name)) {
        Pair variable = push_variable(w, name);
        domain.written = arena_format(w->arena, "rdom(%s = (%d, %d)) in ", name, first, length);
        domain.flat =
            arena_format(w->arena, "rdom(%s = (%d, %d)) in ", variable.flat, first, length);
    }
    Pair value = family_value(w, 1);
    family_print(w, "%s(%s) <- %s(%s) + %s;\n", domain.written, variables, path, variables,
                 value.written);
    family_print_flat(w, "  %s(%s) <- %s(%s) + %s;", domain.flat, flat_variables, flat,
                      flat_variables, value.flat);
    w->bound.length = bound;
    w->scope = outer;
}

static void draw_updates(Writer *w, const char *path, const char *flat, const char *variables,
                         const char *flat_variables) {
    for (int i = random_between(&w->random, 0, 2); i > 0; i--) {
        const char *name = family_any_name(w);
        bool is_free = !mentions(path, name) && !mentions(variables, name);
        if (!is_free || !random_chance(&w->random, 40)) {
            draw_update(w, path, flat, variables, flat_variables);
            continue;
        }
        StaticPair last = family_number(w, 1);
        int64_t count = ((last.value % 3) + 3) % 3;
        family_print(w, "for %s in 0..(%s) %% 3 - 1 {\n", name, last.text.written);
        Replay replay = family_begin(w, count, true);
        for (int64_t k = 0; family_round(w, &replay, k); k++) {
            push_number(w, name, k);
            draw_update(w, path, flat, variables, flat_variables);
        }
        family_end(w, &replay);
        family_print(w, "}\n");
    }
}

static void draw_body(Writer *w, const char *path, const char *flat, const char *variables,
                      const char *flat_variables, const Scope *outer, bool may_update) {
    size_t used = w->used.length;
    family_print(w, "fun %s(%s) = {\n", path, variables);
    family_print_flat(w, "fun %s(%s) = {", flat, flat_variables);
    w->indent++;
    w->in_body = true;
    static DrawItem *const items[] = {draw_short_list, draw_short_sum, draw_long_let,
                                      draw_long_let};
    for (int i = random_between(&w->random, 0, 3); i > 0; i--)
        random_pick(&w->random, items)(w);
    Pair value = family_value(w, 2);
    family_print(w, "%s;\n", value.written);
    family_print_flat(w, " %s;", value.flat);
    bool is_plain = may_update && !is_hidden(w, outer, path); /* and no let hides a variable */
    for (const Scope *scope = w->scope; scope != outer && is_plain; scope = scope->outer)
        is_plain = (scope->entity && scope->entity->kind == ENTITY_VARIABLE) ||
                   !mentions(variables, scope->name);
    if (is_plain)
        draw_updates(w, path, flat, variables, flat_variables);
    w->indent--;
    w->in_body = false;
    w->used.length = used;
    family_print(w, "}\n");
    family_print_flat(w, " }\n");
}

void family_fun(Writer *w, const char *path, const char *flat, int dimensions, bool may_update,
                Pair *variables, bool *is_pure) {
    const Scope *outer = w->scope;
    const char *text = "", *flat_text = "", *names[FAMILY_DIMENSIONS];
    draw_variables(w, dimensions, names);
    for (int d = 0; d < dimensions; d++) {
        variables[d] = push_variable(w, names[d]);
        text = arena_format(w->arena, d ? "%s, %s" : "%s%s", text, names[d]);
        flat_text = arena_format(w->arena, d ? "%s, %s" : "%s%s", flat_text, variables[d].flat);
    }
    w->in_fun = true;
    flat_text = arena_format(w->arena, "%s%s", flat_text, w->rest_count ? w->rest_flat : "");
    if (w->rest_written)
        text = arena_format(w->arena, "%s%s", text, w->rest_written);
    *is_pure = random_chance(&w->random, 60);
    if (*is_pure) {
        Pair value = family_value(w, 3);
        family_print(w, "fun %s(%s) = %s;\n", path, text, value.written);
        family_print_flat(w, "fun %s(%s) = %s;\n", flat, flat_text, value.flat);
    } else {
        draw_body(w, path, flat, text, flat_text, outer, may_update);
    }
    w->bound.length = 0;
    w->in_fun = false;
    w->scope = outer;
}

void family_target(Writer *w, const char *written, const char *suffix, const Entity *limit,
                   const Pair *variables, bool is_pure) {
    if (!w->live || w->prefix)
        return;
    FamilyTarget target = {written,
                           suffix,
                           limit ? limit->name : NULL,
                           limit ? limit->number : 0,
                           {variables[0].written, variables[1].written},
                           {variables[0].flat, variables[1].flat},
                           is_pure};
    vec_push(w->arena, &w->targets, target);
}

static const char *flat_name(Writer *w, const char *name) {
    return w->prefix ? arena_format(w->arena, "%s.%s", w->prefix, name) : name;
}

static void draw_fun(Writer *w) {
    int dimensions = random_chance(&w->random, 75) ? 2 : random_between(&w->random, 1, 3);
    const char *name = family_new_name(w);
    Pair variables[FAMILY_DIMENSIONS];
    bool is_pure;
    if (w->rest_written)
        dimensions = 2;
    Entity *entity = family_entity(w, ENTITY_FUNC, name);
    entity->flat = flat_name(w, name);
    entity->dimensions = dimensions;
    entity->has_rest = w->rest_written != NULL;
    family_push(w, name, NULL); /* its own first stage does not read it */
    family_fun(w, name, entity->flat, dimensions, true, variables, &is_pure);
    if (dimensions == 2)
        family_target(w, name, "", NULL, variables, is_pure);
    family_push(w, name, entity);
}

/* ---- families ---- */

Entity *family_push_family(Writer *w, const char *name, const char *flat, const Entity *limit,
                           int dimensions) {
    Entity *family = family_entity(w, ENTITY_FAMILY, name);
    family->path = (Pair){name, flat};
    family->suffix = "";
    family->limit = limit;
    family->dimensions = dimensions;
    family_push(w, name, family);
    return family;
}

static Entity *push_member(Writer *w, const Entity *base, const Entity *variable, Pair path) {
    Entity *member = family_entity(w, ENTITY_FUNC, base->name);
    member->needs[0] = base;
    member->needs[1] = variable;
    member->path = path;
    member->dimensions = 2;
    family_push(w, " member", member);
    return member;
}

static const char *other_name(Writer *w, const char *name) {
    const char *other = family_any_name(w);
    return strcmp(other, name) ? other : arena_format(w->arena, "%s_", name);
}

/* `fun g[0](..) = ..;  for k in 1..n { fun g[k](..) = ..g[k - 1]..; }`, also with k from 0, and a
 * member behind a dot. */
static void draw_family(Writer *w) {
    static const char *const suffixes[] = {"d", "x", "k", "f"};
    const Entity *limit = family_size(w);
    const char *name = family_new_name(w), *at;
    Pair variables[FAMILY_DIMENSIONS];
    bool is_pure, from_zero = random_chance(&w->random, 40);
    if (!limit)
        return;
    family_push(w, name, NULL);
    family_fun(w, arena_format(w->arena, "%s[0]", name), arena_format(w->arena, "%s[0]", name), 2,
               true, variables, &is_pure);
    family_target(w, arena_format(w->arena, "%s[0]", name), "", NULL, variables, is_pure);
    const char *variable = other_name(w, name);
    Entity *base = family_entity(w, ENTITY_OTHER, name);
    family_push(w, name, base);
    family_print(w, from_zero ? "for %s in 0..%s - 1 {\n" : "for %s in 1..%s {\n", variable,
                 limit->name);
    Replay replay = family_begin(w, limit->number, true);
    bool is_hiding = false;
    for (int64_t i = 0; family_round(w, &replay, i); i++) {
        Entity *number = push_number(w, variable, from_zero ? i : i + 1);
        push_member(
            w, base, number,
            (Pair){arena_format(w->arena, from_zero ? "%s[%s]" : "%s[%s - 1]", name, variable),
                   arena_format(w->arena, "%s[%lld]", name, (long long)i)});
        if (random_chance(&w->random, 40))
            draw_const(w);
        if (random_chance(&w->random, 30))
            draw_list(w, 1);
        at = arena_format(w->arena, from_zero ? "%s[%s + 1]" : "%s[%s]", name, variable);
        const char *flat = arena_format(w->arena, "%s[%lld]", name, (long long)i + 1);
        is_hiding = !family_is_visible(w, base) || !family_is_visible(w, number);
        if (is_hiding) { /* then the name is written with what it is now: leave it alone */
            family_print(w, "let %s_ = 1;\n", name);
            continue;
        }
        if (random_chance(&w->random, 40)) {
            const char *suffix = random_pick(&w->random, suffixes);
            Pair inner[FAMILY_DIMENSIONS];
            Pair path = {arena_format(w->arena, "%s.%s", at, suffix),
                         arena_format(w->arena, "%s.%s", flat, suffix)};
            bool inner_pure;
            family_fun(w, path.written, path.flat, 2, true, inner, &inner_pure);
            push_member(w, base, number, path);
        }
        family_fun(w, at, flat, 2, true, variables, &is_pure);
    }
    family_end(w, &replay);
    family_print(w, "}\n");
    if (is_hiding)
        return;
    family_target(w, name, "", limit, variables, is_pure);
    family_push_family(w, name, name, limit, 2);
}

/* `for i in 0..n { for j in 0..m { fun g[i][j](x, y) = ..; } }` */
static void draw_grid(Writer *w) {
    const Entity *limit = family_size(w), *inner = family_size(w);
    const char *name = family_new_name(w);
    Pair variables[FAMILY_DIMENSIONS];
    if (!limit)
        return;
    const char *i_name = other_name(w, name), *j_name = other_name(w, name);
    bool is_pure;
    if (!strcmp(i_name, j_name) || !strcmp(i_name, inner->name))
        i_name = arena_format(w->arena, "%s_", j_name);
    family_push(w, name, NULL);
    family_print(w, "for %s in 0..%s {\n", i_name, limit->name);
    Replay rows = family_begin(w, limit->number + 1, true);
    for (int64_t i = 0; family_round(w, &rows, i); i++) {
        push_number(w, i_name, i);
        family_print(w, "for %s in 0..%s {\n", j_name, inner->name);
        Replay row = family_begin(w, inner->number + 1, true);
        for (int64_t j = 0; family_round(w, &row, j); j++) {
            push_number(w, j_name, j);
            family_fun(w, arena_format(w->arena, "%s[%s][%s]", name, i_name, j_name),
                       arena_format(w->arena, "%s[%lld][%lld]", name, (long long)i, (long long)j),
                       2, true, variables, &is_pure);
        }
        family_end(w, &row);
        family_print(w, "}\n");
    }
    family_end(w, &rows);
    family_print(w, "}\n");
    family_push_family(w, name, name, limit, 2)->inner = inner;
}

/* `for k in n..0 by -1 { fun g[k](x, y) = k == n ? .. : g[k + 1](..) + ..; }`: the arm that is not
 * chosen names a member that there is not. */
static void draw_descent(Writer *w) {
    const Entity *limit = family_size(w);
    const char *name = family_new_name(w);
    if (!limit)
        return;
    const char *variable = other_name(w, name);
    if (!strcmp(variable, limit->name))
        variable = arena_format(w->arena, "%s_", variable);
    family_print(w, "for %s in %s..0 by -1 {\n", variable, limit->name);
    Entity *base = family_entity(w, ENTITY_OTHER, name);
    family_push(w, name, base);
    Replay replay = family_begin(w, limit->number + 1, true);
    for (int64_t i = 0; family_round(w, &replay, i); i++) {
        int64_t k = limit->number - i;
        const Scope *outer = w->scope;
        push_number(w, variable, k);
        const char *around[] = {name, variable, limit->name, NULL};
        const char *u = around[3] = family_other_name(w, around, 3);
        const char *v = family_other_name(w, around, 4);
        Pair first = push_variable(w, u), second = push_variable(w, v);
        Pair last = family_value(w, 2), other = family_value(w, 2);
        family_print(w, "fun %s[%s](%s, %s) = %s == %s ? %s : %s[%s + 1](%s, %s) - %s;\n", name,
                     variable, u, v, variable, limit->name, last.written, name, variable, u, v,
                     other.written);
        if (k == limit->number)
            family_print_flat(w, "fun %s[%lld](%s, %s) = %s;\n", name, (long long)k, first.flat,
                              second.flat, last.flat);
        else
            family_print_flat(w, "fun %s[%lld](%s, %s) = %s[%lld](%s, %s) - %s;\n", name,
                              (long long)k, first.flat, second.flat, name, (long long)k + 1,
                              first.flat, second.flat, other.flat);
        w->bound.length = 0;
        w->scope = outer;
    }
    family_end(w, &replay);
    family_print(w, "}\n");
    family_push_family(w, name, name, limit, 2);
}

/* ---- blocks ---- */

static void draw_arm(Writer *w, const char *name, const char *flat, bool live) {
    Replay replay = family_begin(w, 1, false);
    replay.live = w->live;
    bool was_live = w->live;
    Pair variables[FAMILY_DIMENSIONS];
    bool is_pure;
    w->live = was_live && live;
    static DrawItem *const items[] = {draw_const, draw_short_list, draw_short_let};
    for (int i = random_below(&w->random, 3); i > 0; i--)
        random_pick(&w->random, items)(w);
    family_fun(w, name, flat, 2, true, variables, &is_pure);
    family_end(w, &replay);
    w->live = was_live;
}

/* `if c { fun f(..) = ..; } else { fun f(..) = ..; }` */
static void draw_if(Writer *w) {
    StaticPair condition;
    if (!family_condition(w, &condition)) {
        draw_fun(w);
        return;
    }
    const char *name = family_new_name(w), *flat = flat_name(w, name);
    family_push(w, name, NULL);
    family_print(w, "if %s {\n", condition.text.written);
    draw_arm(w, name, flat, condition.value);
    family_print(w, "} else {\n");
    draw_arm(w, name, flat, !condition.value);
    family_print(w, "}\n");
    Entity *entity = family_entity(w, ENTITY_FUNC, name);
    entity->flat = flat;
    entity->dimensions = 2;
    entity->has_rest = w->rest_written != NULL;
    family_push(w, name, entity);
}

void family_file_item(Writer *w) {
    static DrawItem *const items[] = {draw_const, draw_short_list, draw_helper, draw_helper,
                                      draw_helper};
    random_pick(&w->random, items)(w);
}

void family_plain_item(Writer *w) {
    static DrawItem *const items[] = {draw_const, draw_short_let, draw_short_list, draw_helper,
                                      draw_if,    draw_short_sum, draw_fun,        draw_fun};
    random_pick(&w->random, items)(w);
}

void family_several(Writer *w) {
    static DrawItem *const items[] = {draw_grid, draw_descent, draw_family, draw_family,
                                      draw_family};
    random_pick(&w->random, items)(w);
}
