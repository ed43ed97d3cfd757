/* expression.c -- draws static numbers and conditions, values, lists and paths. */
#include "checkers/fuzz/families/families.h"

#include <string.h>

enum { LARGE_TEXT = 20000 };

static Pair both(const char *text) {
    return (Pair){text, text};
}

static Pair literal(Writer *w, int64_t value) {
    return both(arena_format(w->arena, value < 0 ? "(%lld)" : "%lld", (long long)value));
}

static int64_t modulo(int64_t a, int64_t b) {
    return b <= 0 ? 0 : ((a % b) + b) % b;
}

/* ---- static numbers ---- */

static StaticPair number_entity(Writer *w) {
    const Entity *entity = family_pick(w, ENTITY_NUMBER, 0);
    if (!entity) {
        int value = random_below(&w->random, 5);
        return (StaticPair){literal(w, value), value, false};
    }
    const char *flat = entity->flat ? entity->flat : literal(w, entity->number).flat;
    return (StaticPair){{entity->name, flat}, entity->number, entity->is_static};
}

static StaticPair length_of_list(Writer *w) {
    const Entity *list = family_pick(w, ENTITY_LIST, 0);
    if (!list)
        return number_entity(w);
    int64_t length = (int64_t)list->elements.length;
    return (StaticPair){
        {arena_format(w->arena, "len(%s)", list->name), literal(w, length).flat}, length, true};
}

static StaticPair chosen_number(Writer *w, int depth) {
    StaticPair condition;
    if (!family_condition(w, &condition))
        return number_entity(w);
    StaticPair a = family_number(w, depth - 1), b = family_number(w, depth - 1);
    StaticPair chosen = condition.value ? a : b;
    chosen.text.written = arena_format(w->arena, "(%s ? %s : %s)", condition.text.written,
                                       a.text.written, b.text.written);
    chosen.is_static = true;
    w->renamed += w->in_helper;
    return chosen;
}

StaticPair family_number(Writer *w, int depth) {
    static const char *const formats[] = {"(@ + @)", "(@ - @)", "@ * @", "min(@, @)", "max(@, @)"};
    int kind = random_below(&w->random, depth > 0 ? 12 : 4);
    if (kind == 0) {
        int value = random_below(&w->random, 5);
        return (StaticPair){literal(w, value), value, false};
    }
    if (kind < 4)
        return number_entity(w);
    if (kind == 4)
        return length_of_list(w);
    if (kind == 5)
        return chosen_number(w, depth);
    StaticPair a = family_number(w, depth - 1);
    if (kind == 6) {
        int by = random_between(&w->random, 1, 3);
        return (StaticPair){family_pair(w, "(@) % @", a.text, literal(w, by)), modulo(a.value, by),
                            a.is_static};
    }
    StaticPair b = family_number(w, depth - 1);
    int op = kind - 7;
    int64_t values[] = {a.value + b.value, a.value - b.value, a.value * b.value,
                        a.value < b.value ? a.value : b.value,
                        a.value > b.value ? a.value : b.value};
    Pair text = op == 2 ? family_pair(w, "(@) * (@)", a.text, b.text)
                        : family_pair(w, formats[op], a.text, b.text);
    return (StaticPair){text, values[op], a.is_static || b.is_static};
}

static const Entity *static_entity(Writer *w) {
    Entities found = {0};
    for (const Scope *scope = w->scope; scope; scope = scope->outer)
        if (scope->entity && scope->entity->kind == ENTITY_NUMBER && scope->entity->is_static &&
            family_is_visible(w, scope->entity))
            vec_push(w->arena, &found, scope->entity);
    return found.length ? found.data[random_below(&w->random, (int)found.length)] : NULL;
}

bool family_condition(Writer *w, StaticPair *condition) {
    static const char *const operators[] = {"<", "<=", "==", "!=", ">"};
    const Entity *entity = static_entity(w);
    if (!entity)
        return false;
    StaticPair other = family_number(w, 1);
    int op = random_below(&w->random, 5);
    int64_t a = entity->number, b = other.value;
    int64_t values[] = {a<b, a <= b, a == b, a != b, a> b};
    *condition = (StaticPair){
        both(arena_format(w->arena, "%s %s %s", entity->name, operators[op], other.text.written)),
        values[op], true};
    return true;
}

/* ---- funcs ---- */

static const char *member_index(Writer *w, const Entity *limit, int64_t *value) {
    StaticPair index = family_number(w, 1);
    *value = modulo(index.value, limit->number + 1);
    return arena_format(w->arena, "[(%s) %% (%s + 1)]", index.text.written, limit->name);
}

static Pair member_path(Writer *w, const Entity *family) {
    int64_t first, second = 0;
    const char *index = member_index(w, family->limit, &first);
    const char *other = family->inner ? member_index(w, family->inner, &second) : "";
    const char *flat =
        family->inner ? arena_format(w->arena, "[%lld][%lld]", (long long)first, (long long)second)
                      : arena_format(w->arena, "[%lld]", (long long)first);
    return (Pair){
        arena_format(w->arena, "%s%s%s%s", family->path.written, index, other, family->suffix),
        arena_format(w->arena, "%s%s%s", family->path.flat, flat, family->suffix)};
}

static const Entity *pick_func(Writer *w, int dimensions, Pair *path) {
    const Entity *func = family_pick(w, ENTITY_FUNC, dimensions);
    const Entity *family = family_pick(w, ENTITY_FAMILY, dimensions);
    bool is_member = family && (!func || random_chance(&w->random, 60));
    if (!is_member && func && func->has_rest && !w->in_fun)
        return NULL;
    if (is_member)
        *path = member_path(w, family);
    else if (func)
        *path = func->path.written ? func->path : (Pair){func->name, func->flat};
    return is_member ? family : func;
}

bool family_func(Writer *w, int dimensions, Pair *path) {
    return pick_func(w, dimensions, path) != NULL;
}

static Pair coordinate(Writer *w) {
    const Entity *variable = family_pick(w, ENTITY_VARIABLE, 0);
    int kind = random_below(&w->random, 20);
    if (!variable) {
        StaticPair number = family_number(w, 1);
        return family_pair(w, "(@) % 3", number.text);
    }
    Pair name = {variable->name, variable->flat};
    if (kind < 9)
        return name;
    if (kind < 12)
        return family_pair(w, "@ - 1", name);
    if (kind == 12)
        return family_pair(w, "clamp(@, 0, 4)", family_value(w, 1));
    if (kind == 13)
        return family_pair(w, "2*@", name);
    StaticPair number = family_number(w, 1);
    return family_pair(w, "@ + (@) % 3", name, number.text);
}

Pair family_call(Writer *w, Pair func, int dimensions) {
    Pair arguments = both("");
    for (int i = 0; i < dimensions; i++)
        arguments = family_pair(w, i ? "@, @" : "@@", arguments, coordinate(w));
    return family_pair(w, "@(@)", func, arguments);
}

static Pair call(Writer *w) {
    Pair path;
    const Entity *func = pick_func(w, 0, &path);
    if (!func || (func->has_rest && !w->in_fun))
        return literal(w, 3);
    Pair result = family_call(w, path, func->dimensions);
    if (!func->has_rest)
        return result;
    size_t a = strlen(result.written) - 1, b = strlen(result.flat) - 1;
    return (Pair){arena_format(w->arena, "%.*s%s)", (int)a, result.written, w->rest_written),
                  arena_format(w->arena, "%.*s%s)", (int)b, result.flat, w->rest_flat)};
}

/* ---- lists ---- */

typedef struct Rounds {
    int64_t first, step, count;
    const Entity *list;
    Pair text;
} Rounds;

static Rounds draw_rounds(Writer *w) {
    Rounds rounds = {.step = 1};
    rounds.list = random_chance(&w->random, 25) ? family_pick(w, ENTITY_LIST, 0) : NULL;
    if (rounds.list) {
        rounds.count = (int64_t)rounds.list->elements.length;
        rounds.text = both(rounds.list->name);
        return rounds;
    }
    StaticPair first = family_number(w, 1), more = family_number(w, 1);
    int kind = random_below(&w->random, 4);
    rounds.first = first.value;
    rounds.count = modulo(more.value, 4);
    const char *a = first.text.written, *b = more.text.written;
    if (kind == 0) { /* down */
        rounds.step = -1;
        rounds.text = both(arena_format(w->arena, "%s..%s - (%s) %% 4 + 1 by -1", a, a, b));
    } else if (kind == 1) { /* by 2 */
        rounds.step = 2;
        rounds.count = (rounds.count + 1) / 2;
        rounds.text = both(arena_format(w->arena, "%s..%s + (%s) %% 4 - 1 by 2", a, a, b));
    } else {
        rounds.text = both(arena_format(w->arena, "%s..%s + (%s) %% 4 - 1", a, a, b));
    }
    return rounds;
}

static Entity *bind_round(Writer *w, const Rounds *rounds, const char *name, int64_t i) {
    bool is_live = w->live && i < rounds->count;
    Entity *entity = family_entity(w, rounds->list ? ENTITY_VALUE : ENTITY_NUMBER, name);
    if (rounds->list)
        entity->flat = is_live ? rounds->list->elements.data[i].flat : "0";
    entity->number = is_live ? rounds->first + rounds->step * i : 1;
    entity->is_static = true;
    family_push(w, name, entity);
    return entity;
}

static const char *comprehension(Writer *w, int depth, Pairs *elements) {
    Rounds rounds = draw_rounds(w);
    const char *name = family_any_name(w), *result = NULL;
    bool was_live = w->live;
    const Scope *outer = w->scope;
    uint64_t start = w->random.state;
    for (int64_t i = 0; i == 0 || i < rounds.count; i++) {
        w->random.state = start;
        w->live = was_live && i < rounds.count;
        bind_round(w, &rounds, name, i);
        StaticPair condition;
        bool has_condition = random_chance(&w->random, 30) && family_condition(w, &condition);
        Pair element = family_value(w, depth);
        if (!result)
            result = has_condition
                         ? arena_format(w->arena, "%s for %s in %s if %s", element.written, name,
                                        rounds.text.written, condition.text.written)
                         : arena_format(w->arena, "%s for %s in %s", element.written, name,
                                        rounds.text.written);
        if (w->live && (!has_condition || condition.value))
            vec_push(w->arena, elements, element);
        w->scope = outer;
        w->live = was_live;
        if (!was_live)
            break;
    }
    return result;
}

const char *family_list(Writer *w, int depth, Pairs *elements) {
    Pair first = family_value(w, depth);
    if (w->live)
        vec_push(w->arena, elements, first);
    const char *text = first.written;
    int parts = random_between(&w->random, 1, 2);
    for (int i = 0; i < parts; i++) {
        const Entity *list;
        StaticPair condition;
        switch (random_below(&w->random, 4)) {
        case 0:
            list = family_pick(w, ENTITY_LIST, 0);
            if (list) {
                text = arena_format(w->arena, "%s, ..%s", text, list->name);
                for (size_t k = 0; w->live && k < list->elements.length && k < 4; k++)
                    vec_push(w->arena, elements, list->elements.data[k]);
                if (list->elements.length > 4) /* the written form has them all */
                    for (size_t k = 4; w->live && k < list->elements.length; k++)
                        vec_push(w->arena, elements, list->elements.data[k]);
                break;
            }
            text = arena_format(w->arena, "%s, ..[]", text);
            break;
        case 1:
            if (family_condition(w, &condition)) {
                Pair element = family_value(w, depth);
                text = arena_format(w->arena, "%s, ..(%s ? [%s] : [])", text,
                                    condition.text.written, element.written);
                if (w->live && condition.value)
                    vec_push(w->arena, elements, element);
                break;
            }
            text = arena_format(w->arena, "%s, ..[]", text);
            break;
        default:
            text = arena_format(w->arena, random_chance(&w->random, 50) ? "%s, %s" : "%s, ..[%s]",
                                text, comprehension(w, depth, elements));
            break;
        }
    }
    return arena_format(w->arena, strstr(text, "..") ? "[%s]" : "[%s, ..[]]", text);
}

static Pair element_of_list(Writer *w) {
    const Entity *list = family_pick(w, ENTITY_LIST, 0);
    StaticPair index = family_number(w, 1);
    if (!list)
        return literal(w, 4);
    int64_t count = (int64_t)list->elements.length;
    int64_t k = modulo(index.value, count);
    return (Pair){
        arena_format(w->arena, "%s[(%s) %% len(%s)]", list->name, index.text.written, list->name),
        count ? list->elements.data[k].flat : "0"};
}

static Pair fold(Writer *w) {
    static const char *const names[] = {"sum", "product", "min", "max"};
    static const char *const formats[] = {"(@ + @)", "(@ * @)", "min(@, @)", "max(@, @)"};
    const Entity *list = family_pick(w, ENTITY_LIST, 0);
    int op = random_below(&w->random, 4);
    if (!list)
        return literal(w, 2);
    const char *flat = list->elements.length ? list->elements.data[0].flat : "0";
    for (size_t i = 1; i < list->elements.length; i++)
        flat = family_pair(w, formats[op], both(flat), both(list->elements.data[i].flat)).flat;
    return (Pair){arena_format(w->arena, "%s(%s)", names[op], list->name), flat};
}

/* ---- helpers ---- */

Pair family_helper_text(Writer *w, const Entity *helper, Entity **arguments) {
    const Scope *scope = w->scope;
    uint64_t state = w->random.state;
    w->scope = helper->scope;
    w->random.state = helper->seed;
    bool in_fun = w->in_fun;
    w->in_fun = false; /* it may be called anywhere */
    w->in_helper++;
    for (int i = 0; i < helper->formal_count; i++)
        family_push(w, arguments[i]->name, arguments[i]);
    Pair text = family_value(w, 2);
    w->in_helper--;
    w->in_fun = in_fun;
    w->scope = scope;
    w->random.state = state;
    return text;
}

static Pair helper_call(Writer *w, int depth) {
    const Entity *helper = family_pick(w, ENTITY_HELPER, 0);
    if (!helper)
        return call(w);
    Entity *bound[FAMILY_FORMALS];
    Pair arguments = both("");
    for (int i = 0; i < helper->formal_count; i++) {
        Entity *formal = bound[i] = family_entity(w, helper->formals[i], NULL);
        Pair text = literal(w, 1);
        StaticPair number;
        switch ((int)formal->kind) {
        case ENTITY_FUNC:
            if (!family_func(w, 2, &text))
                return literal(w, 6);
            formal->dimensions = 2;
            break;
        case ENTITY_NUMBER:
            number = family_number(w, 1);
            text = number.text;
            formal->number = number.value;
            formal->is_static = true;
            break;
        case ENTITY_LIST:
            text.written = family_list(w, depth > 1 ? 1 : 0, &formal->elements);
            break;
        default:
            text = coordinate(w);
            break;
        }
        formal->flat =
            formal->kind == ENTITY_FUNC ? text.flat : arena_format(w->arena, "(%s)", text.flat);
        arguments = family_pair(w, i ? "@, @" : "@@", arguments, text);
    }
    /* The names of formals are drawn again, as in the definition. */
    const char *flat = "0";
    if (w->live && strlen(arguments.flat) < LARGE_TEXT) {
        for (int i = 0; i < helper->formal_count; i++)
            bound[i]->name = helper->parameters.data[i]->name;
        flat = family_helper_text(w, helper, bound).flat;
    }
    return (Pair){arena_format(w->arena, "%s(%s)", helper->name, arguments.written),
                  arena_format(w->arena, "(%s)", flat)};
}

/* ---- values ---- */

static Pair reduction(Writer *w, int depth) {
    static const char *const names[] = {"sum", "product", "minimum", "maximum"};
    const char *name = family_any_name(w), *flat = name;
    StaticPair first = family_number(w, 1);
    int length = random_between(&w->random, 1, 3);
    const char *operator= random_pick(&w->random, names);
    bool is_bound = w->renames;
    for (size_t i = 0; i < w->bound.length; i++)
        is_bound |= !strcmp(w->bound.data[i], flat);
    if (is_bound)
        flat = arena_format(w->arena, "r%d_", ++w->renamed);
    Entity *variable = family_entity(w, ENTITY_VARIABLE, name);
    variable->flat = flat;
    const Scope *outer = w->scope;
    family_push(w, name, variable);
    vec_push(w->arena, &w->bound, flat);
    Pair body = family_value(w, depth - 1);
    w->bound.length--;
    w->scope = outer;
    return family_pair(w, "(@(@ in ((@) % 3, @)) @)", both(operator), (Pair){name, flat},
                       first.text, literal(w, length), body);
}

static Pair choice(Writer *w, int depth) {
    StaticPair condition;
    if (!family_condition(w, &condition))
        return family_value(w, depth - 1);
    Pair a = family_value(w, depth - 1), b = family_value(w, depth - 1);
    w->renamed += w->in_helper; /* a helper may stay text, with a select */
    return (Pair){
        arena_format(w->arena, "(%s ? %s : %s)", condition.text.written, a.written, b.written),
        condition.value ? a.flat : b.flat};
}

static Pair binary(Writer *w, int depth) {
    static const char *const formats[] = {"(@ + @)", "(@ - @)", "(@ * @)", "min(@, @)",
                                          "max(@, @)"};
    Pair a = family_value(w, depth - 1), b = family_value(w, depth - 1);
    int op = random_below(&w->random, 7);
    const Entity *operator= family_pick(w, ENTITY_OPERATOR, 0);
    if (op < 5)
        return family_pair(w, formats[op], a, b);
    if (op == 5 && operator)
        return (Pair){arena_format(w->arena, "%s(%s, %s)", operator->name, a.written, b.written),
                      arena_format(w->arena, "%s(%s, %s)", operator->flat, a.flat, b.flat)};
    return family_pair(w, "select(@ < @, @, @)", a, b, b, a);
}

static Pair leaf(Writer *w) {
    EntityKind kind = random_chance(&w->random, 40) ? ENTITY_VALUE : ENTITY_VARIABLE;
    const Entity *entity = family_pick(w, kind, 0);
    if (!entity)
        return literal(w, random_below(&w->random, 9));
    return (Pair){entity->name, entity->flat};
}

static Pair draw_value(Writer *w, int depth) {
    int kind = random_below(&w->random, depth > 0 ? 18 : 5);
    switch (kind) {
    case 0:
        return literal(w, random_below(&w->random, 9));
    case 1:
    case 2:
        return leaf(w);
    case 3:
        return family_pair(w, "(@)", family_number(w, depth > 0).text);
    case 4:
        return element_of_list(w);
    case 5:
    case 6:
    case 7:
        return binary(w, depth);
    case 8:
        return choice(w, depth);
    case 9:
        return fold(w);
    case 10:
    case 11:
    case 12:
        return helper_call(w, depth);
    case 13:
        return random_chance(&w->random, 40) ? reduction(w, depth) : call(w);
    default:
        return call(w);
    }
}

Pair family_value(Writer *w, int depth) {
    Pair value = draw_value(w, depth);
    if (strlen(value.flat) <= LARGE_TEXT)
        return value;
    w->flat_size += (size_t)1 << 30; /* ends the program */
    value.flat = "0";
    return value;
}
