/* template.c -- draws templates, and their instances: an instance draws the text of its template
 * again, with its arguments. */
#include "checkers/fuzz/families/families.h"

#include <string.h>

/* ---- the text of a template ---- */

static void draw_main(Writer *w, const Entity *template) {
    Pair variables[FAMILY_DIMENSIONS];
    bool is_pure;
    const Scope *outer = w->scope;
    family_push(w, template->name, NULL);
    family_fun(w, template->name, w->prefix, 2, true, variables, &is_pure);
    w->scope = outer;
}

static void push_main(Writer *w, const Entity *template, const Entity *rest) {
    Entity *entity = family_entity(w, ENTITY_FUNC, template->name);
    entity->flat = w->prefix;
    entity->dimensions = 2;
    entity->has_rest = template->has_rest;
    entity->inner = rest;
    family_push(w, template->name, entity);
}

static void expand_text(Writer *w, Entity *template, Entity **arguments, const char *prefix);

/* `if n > 0 { fun sub = t(f, n - 1);  fun t(x, y) = ..; } else { fun t(x, y) = ..; }` */
static void draw_recursion(Writer *w, Entity *template, Entity **arguments) {
    const char *f = arguments[0]->name, *n = arguments[1]->name, *sub = family_new_name(w);
    family_print(w, "if %s > 0 {\n", n);
    Replay replay = family_begin(w, 1, false);
    bool was_live = w->live;
    w->live = was_live && arguments[1]->number > 0;
    family_print(w, "fun %s = %s(%s, %s - 1);\n", sub, template->name, f, n);
    const char *flat = arena_format(w->arena, "%s.%s", w->prefix, sub);
    if (w->live) {
        Entity *inner[FAMILY_FORMALS];
        for (int i = 0; i < 2; i++) {
            inner[i] = arena_new(w->arena, Entity);
            *inner[i] = *arguments[i];
        }
        inner[1]->number--;
        inner[1]->flat = arena_format(w->arena, "(%s - 1)", arguments[1]->flat);
        expand_text(w, template, inner, flat);
    }
    Entity *func = family_entity(w, ENTITY_FUNC, sub);
    func->flat = flat;
    func->dimensions = 2;
    family_push(w, sub, func);
    draw_main(w, template);
    family_end(w, &replay);
    w->live = was_live && arguments[1]->number <= 0;
    family_print(w, "} else {\n");
    replay = family_begin(w, 1, false);
    draw_main(w, template);
    family_end(w, &replay);
    w->live = was_live;
    family_print(w, "}\n");
}

/* The formal `f(_, _, ..c)` binds c to the other dimensions of the argument. */
static void bind_rest(Writer *w, const Entity *template, Entity **arguments, Entity *rest) {
    w->rest_count = template->has_rest ? arguments[0]->dimensions - 2 : 0;
    w->rest_written = w->rest_flat = NULL;
    if (!template->has_rest)
        return;
    const char *flat = w->renames ? ", %s__" : ", %s";
    w->rest_written = arena_format(w->arena, ", ..%s", template->rest);
    w->rest_flat = w->rest_count > 0 ? arena_format(w->arena, flat, template->rest) : "";
    vec_push(w->arena, &w->fixed, template->rest);
    family_push(w, template->rest, rest);
}

/* The formals become `arguments`. */
static void bind_formals(Writer *w, const Entity *template, Entity **arguments, Entity *rest) {
    for (int i = 0; i < template->formal_count; i++) {
        Entity *formal = arena_new(w->arena, Entity);
        *formal = *arguments[i];
        formal->name = template->parameters.data[i]->name;
        if (formal->kind == ENTITY_FUNC) {
            formal->dimensions = 2;
            formal->has_rest = template->has_rest;
            formal->inner = template->has_rest ? rest : NULL;
        }
        vec_push(w->arena, &w->used, formal->name);
        family_push(w, formal->name, formal);
        arguments[i] = formal;
    }
}

/* Draws the items with these arguments, and remembers what they define. */
static void expand_text(Writer *w, Entity *template, Entity **arguments, const char *prefix) {
    Writer saved = *w;
    Names used = {0};
    w->scope = template->scope;
    w->random.state = template->seed;
    w->prefix = prefix;
    w->in_body = false;
    w->loops = 0;
    w->bound = (Names){0};
    w->used = used;
    vec_push(w->arena, &w->used, template->name);
    Entity *rest = family_entity(w, ENTITY_OTHER, template->rest);
    bind_rest(w, template, arguments, rest);
    bind_formals(w, template, arguments, rest);
    const Scope *outer = w->scope;
    for (int i = random_below(&w->random, 4); i > 0; i--)
        family_plain_item(w);
    bool has_main = template->is_recursive || random_chance(&w->random, 90);
    if (template->is_recursive)
        draw_recursion(w, template, arguments);
    else if (has_main)
        draw_main(w, template);
    template->members.length = 0;
    for (const Scope *scope = w->scope; scope != outer; scope = scope->outer) {
        Entity *entity = scope->entity;
        if (entity && entity->kind == ENTITY_FUNC && !entity->needs[0] && entity->name)
            vec_push(w->arena, &template->members, entity);
    }
    if (has_main) {
        push_main(w, template, template->has_rest ? rest : NULL);
        vec_push(w->arena, &template->members, w->scope->entity);
        if (random_chance(&w->random, 30)) { /* a member that reads the instance */
            const char *name = family_new_name(w);
            Pair variables[FAMILY_DIMENSIONS];
            const char *flat = arena_format(w->arena, "%s.%s", prefix, name);
            bool is_pure;
            family_push(w, name, NULL);
            family_fun(w, name, flat, 2, true, variables, &is_pure);
        }
    }
    saved.renamed = w->renamed;
    saved.flat_size = w->flat_size;
    saved.targets.data = w->targets.data;
    saved.targets.length = w->targets.length;
    saved.targets.capacity = w->targets.capacity;
    size_t fixed = saved.fixed.length;
    saved.fixed = w->fixed;
    saved.fixed.length = fixed;
    *w = saved;
}

/* ---- templates ---- */

static const char *formal_text(Writer *w, const Entity *template, int i) {
    const Entity *formal = template->parameters.data[i];
    if (i == 0 && template->has_rest)
        return arena_format(w->arena, "%s(_, _, ..%s)", formal->name, template->rest);
    if (formal->kind == ENTITY_NUMBER && formal->number)
        return arena_format(w->arena, "%s = %lld", formal->name, (long long)formal->number);
    return formal->name;
}

void family_template(Writer *w) {
    Entity *template = family_entity(w, ENTITY_TEMPLATE, family_new_name(w));
    template->is_recursive = random_chance(&w->random, 25);
    template->has_rest = !template->is_recursive && random_chance(&w->random, 30);
    template->formals[template->formal_count++] = ENTITY_FUNC;
    if (template->is_recursive || random_chance(&w->random, 60))
        template->formals[template->formal_count++] = ENTITY_NUMBER;
    if (!template->is_recursive && random_chance(&w->random, 30))
        template->formals[template->formal_count++] = ENTITY_OPERATOR;
    if (!template->is_recursive && random_chance(&w->random, 30))
        template->formals[template->formal_count++] = ENTITY_LIST;
    if (!template->is_recursive && random_chance(&w->random, 30))
        template->formals[template->formal_count++] = ENTITY_NUMBER;
    size_t used = w->used.length;
    Names names = w->used;
    w->used = (Names){0};
    vec_push(w->arena, &w->used, template->name);
    template->rest = family_new_name(w);
    const char *text = "";
    Entity *arguments[FAMILY_FORMALS];
    for (int i = 0; i < template->formal_count; i++) {
        Entity *formal = arguments[i] = family_entity(w, template->formals[i], family_new_name(w));
        vec_push(w->arena, &template->parameters, formal);
        formal->dimensions = formal->kind == ENTITY_FUNC ? 2 : 0;
        formal->flat = "0";
        formal->is_static = true;
        bool is_last = i + 1 == template->formal_count;
        if (formal->kind == ENTITY_NUMBER && is_last && random_chance(&w->random, 50))
            formal->number = random_between(&w->random, 1, 3);
        text = arena_format(w->arena, i ? "%s, %s" : "%s%s", text, formal_text(w, template, i));
    }
    w->used = names;
    w->used.length = used;
    template->seed = random_bits(&w->random);
    family_push(w, template->name, template);
    template->scope = w->scope;
    family_print(w, "template %s(%s) {\n", template->name, text);
    bool was_live = w->live;
    w->live = false;
    w->indent++;
    expand_text(w, template, arguments, "dead");
    w->indent--;
    w->live = was_live;
    family_print(w, "}\n");
}

/* ---- instances ---- */

static bool draw_argument(Writer *w, const Entity *template, int i, const Pair *first,
                          int dimensions, Pair *text, Entity **argument) {
    const Entity *formal = template->parameters.data[i];
    Entity *result = *argument = family_entity(w, formal->kind, NULL);
    StaticPair number;
    switch ((int)formal->kind) {
    case ENTITY_FUNC:
        if (first)
            *text = *first;
        else if (!family_func(w, dimensions, text))
            return false;
        result->flat = text->flat;
        result->dimensions = dimensions;
        return true;
    case ENTITY_OPERATOR:
        text->written = text->flat = random_chance(&w->random, 50) ? "min" : "max";
        break;
    case ENTITY_LIST:
        text->written = family_list(w, 0, &result->elements);
        text->flat = "0";
        for (size_t k = 0; k < result->elements.length; k++)
            result->elements.data[k].flat =
                arena_format(w->arena, "(%s)", result->elements.data[k].flat);
        break;
    default:
        number = family_number(w, 1);
        result->is_static = true;
        result->number = number.value;
        *text = number.text;
        if (template->is_recursive) {
            text->written = arena_format(w->arena, "(%s) %% 4", number.text.written);
            text->flat = arena_format(w->arena, "(%s) %% 4", number.text.flat);
            result->number = ((number.value % 4) + 4) % 4;
        }
        break;
    }
    result->flat =
        formal->kind == ENTITY_OPERATOR ? text->flat : arena_format(w->arena, "(%s)", text->flat);
    return true;
}

/* `fun path = template(..);` */
static bool draw_line(Writer *w, Entity *template, Pair path, const Pair *first, int dimensions) {
    Entity *arguments[FAMILY_FORMALS];
    const char *texts = "";
    bool good = true;
    for (int i = 0; i < template->formal_count; i++) {
        const Entity *formal = template->parameters.data[i];
        Pair text = {"0", "0"};
        bool is_left_out =
            formal->kind == ENTITY_NUMBER && formal->number && random_chance(&w->random, 50);
        good &= draw_argument(w, template, i, i ? NULL : first, dimensions, &text, &arguments[i]);
        if (is_left_out) {
            arguments[i]->number = formal->number;
            arguments[i]->flat = arena_format(w->arena, "%lld", (long long)formal->number);
            continue;
        }
        bool is_named = i + 1 == template->formal_count && i && random_chance(&w->random, 40);
        texts = arena_format(w->arena, is_named ? "%s%s%s = %s" : "%s%s%.0s%s", texts,
                             i ? ", " : "", formal->name, text.written);
    }
    if (!good)
        return false;
    family_print(w, "fun %s = %s(%s);\n", path.written, template->name, texts);
    if (w->live) {
        bool prints = w->prints;
        w->prints = false;
        expand_text(w, template, arguments, path.flat);
        w->prints = prints;
    }
    return true;
}

static bool has_main(const Entity *template) {
    for (size_t i = 0; i < template->members.length; i++)
        if (template->members.data[i]->name == template->name)
            return true;
    return false;
}

static const char *flat_name(Writer *w, const char *name) {
    return w->prefix ? arena_format(w->arena, "%s.%s", w->prefix, name) : name;
}

static void push_members(Writer *w, const Entity *template, const Entity *head, Pair path,
                         int dimensions) {
    for (size_t i = 0; i < template->members.length; i++) {
        const Entity *member = template->members.data[i];
        if (member->name == template->name)
            continue;
        Entity *func = family_entity(w, ENTITY_FUNC, member->name);
        func->needs[0] = head;
        func->path = (Pair){arena_format(w->arena, "%s.%s", path.written, member->name),
                            arena_format(w->arena, "%s.%s", path.flat, member->name)};
        func->dimensions = member->dimensions + (member->has_rest ? dimensions - 2 : 0);
        family_push(w, " member", func);
    }
}

static bool draw_instance(Writer *w, Entity *template) {
    const char *name = family_new_name(w);
    bool is_large = template->has_rest && random_chance(&w->random, 50);
    int dimensions = is_large ? 3 : 2;
    Pair path = {name, flat_name(w, name)};
    if (!draw_line(w, template, path, NULL, dimensions))
        return false;
    Entity *head = family_entity(w, has_main(template) ? ENTITY_FUNC : ENTITY_OTHER, name);
    head->flat = path.flat;
    head->dimensions = dimensions;
    family_push(w, name, head);
    push_members(w, template, head, path, dimensions);
    return true;
}

/* `fun g[0] = t(..);  for k in 1..n { fun g[k] = t(g[k - 1], ..); }` */
static bool draw_instances(Writer *w, Entity *template) {
    const Entity *limit = family_size(w);
    if (!limit || !has_main(template) || w->prefix)
        return draw_instance(w, template);
    const char *name = family_new_name(w), *variable = family_any_name(w);
    while (!strcmp(variable, name) || !strcmp(variable, template->name))
        variable = arena_format(w->arena, "%s_", variable);
    Pair path = {arena_format(w->arena, "%s[0]", name), arena_format(w->arena, "%s[0]", name)};
    if (!draw_line(w, template, path, NULL, 2))
        return false;
    Entity *base = family_entity(w, ENTITY_OTHER, name);
    family_push(w, name, base);
    bool is_hidden = !family_is_visible(w, template);
    family_print(w, "for %s in 1..%s {\n", variable, limit->name);
    Replay replay = family_begin(w, limit->number, true);
    for (int64_t i = 0; !is_hidden && family_round(w, &replay, i); i++) {
        Entity *number = family_entity(w, ENTITY_NUMBER, variable);
        number->number = i + 1;
        number->is_static = true;
        family_push(w, variable, number);
        Pair last = {arena_format(w->arena, "%s[%s - 1]", name, variable),
                     arena_format(w->arena, "%s[%lld]", name, (long long)i)};
        path = (Pair){arena_format(w->arena, "%s[%s]", name, variable),
                      arena_format(w->arena, "%s[%lld]", name, (long long)i + 1)};
        draw_line(w, template, path, &last, 2);
    }
    family_end(w, &replay);
    family_print(w, "}\n");
    if (is_hidden)
        return true;
    Entity *family = family_push_family(w, name, name, limit, 2);
    for (size_t i = 0; i < template->members.length; i++) {
        const Entity *member = template->members.data[i];
        if (member->name == template->name)
            continue;
        Entity *behind = family_entity(w, ENTITY_FAMILY, name);
        *behind = *family;
        behind->needs[0] = family;
        behind->dimensions = member->dimensions;
        behind->suffix = arena_format(w->arena, ".%s", member->name);
        family_push(w, " member", behind);
    }
    return true;
}

bool family_instance(Writer *w) {
    Entity *template = family_pick(w, ENTITY_TEMPLATE, 0);
    if (!template || w->prefix)
        return false;
    return random_chance(&w->random, 40) ? draw_instances(w, template) : draw_instance(w, template);
}
