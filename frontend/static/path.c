/* path.c -- families and paths: `g[k]` is a func whose name is the text `g[3]`. */
#include "frontend/static/static.h"

/* `base[k]`, `base.dx`, `base_sum` */
static bool is_part(const Syntax *path) {
    return path->kind == SYNTAX_SUBSCRIPT || path->kind == SYNTAX_MEMBER ||
           path->kind == SYNTAX_SUFFIX;
}

/* All members that there are stand above. */
static const Meaning *find_global(const StaticExpander *x, Symbol name) {
    return static_find(x, (StaticScope){.visible = UINT32_MAX}, name);
}

static Symbol member_name(StaticExpander *x, Symbol family, int64_t index) {
    return symbol_format(&x->context->symbols, "%s[%lld]", family->text, (long long)index);
}

/* Does member `i` stand in the list before?  A func and its members are entered one by one. */
static bool is_before(const Family *family, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (family->members.data[j] == family->members.data[i])
            return true;
    return false;
}

/* `member` is `g[4]` of a family `g`, or `dz` of an instance `g`. */
static PathAnswer no_member(StaticExpander *x, Symbol base, const char *member, Place place) {
    const Family *members = map_get(&static_names_here(x)->families, base);
    const char *text = "";
    size_t count = members ? members->members.length : 0, listed = 0;
    for (size_t i = 0; i < count && listed < 32; i++) {
        const char *name = members->members.data[i]->text;
        if (is_before(members, i))
            continue;
        name += name[base->length] == '.' ? base->length + 1 : 0;
        text = arena_format(x->arena, "%s%s`%s`", text, listed++ ? ", " : "", name);
    }
    diag(x->context, DIAG_NO_MEMBER, place, base->text, member,
         count ? arena_format(x->arena, "it has %s%s", text, count > 32 ? ", .." : "")
         : map_get(&static_names_here(x)->empty, base)
             ? "the loop that defines members has no round"
             : "none stands above this");
    return PATH_FAULT;
}

/* `base[..]`, whose base is not known as a family. */
static PathAnswer no_family(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                            const Meaning *base) {
    if (!base || (base->kind != MEANING_FUNC && base->kind != MEANING_BUNDLE))
        return PATH_NONE;
    StaticValue index;
    StaticAnswer answer = static_evaluate(x, scope, syntax->children.data[1], &index);
    if (answer != STATIC_FAULT)
        diag(x->context, DIAG_NOT_A_FAMILY, syntax->place, base->name->text,
             base->kind == MEANING_FUNC ? "a func" : "an instance",
             answer == STATIC_YES ? static_text(x, &index) : "0");
    return PATH_FAULT;
}

void static_add_empty(StaticExpander *x, const ItemSyntaxes *items) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        if (item->kind == ITEM_BLOCK) {
            static_add_empty(x, &item->block->items);
            static_add_empty(x, &item->block->otherwise);
        }
        bool is_fun = item->kind == ITEM_FUN, is_instance = item->kind == ITEM_INSTANCE;
        const Syntax *path = is_fun ? item->fun->path : is_instance ? item->instance->path : NULL;
        Symbol head = is_fun        ? item->fun->name.name
                      : is_instance ? item->instance->name.name
                                    : NULL;
        if (path)
            map_put(&static_names_here(x)->empty, head, head);
    }
}

/* `g[1]` of a loop without rounds. */
static bool is_empty_family(StaticExpander *x, StaticScope scope, const Syntax *base) {
    return base->kind == SYNTAX_NAME && map_get(&static_names_here(x)->empty, base->name) &&
           !static_find(x, scope, base->name);
}

static PathAnswer path_name(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                            Symbol *name) {
    const Meaning *meaning = static_find(x, scope, syntax->name);
    while (meaning && meaning->kind == MEANING_ARGUMENT && meaning->written->kind == SYNTAX_NAME)
        meaning = static_find(x, meaning->scope, meaning->written->name);
    if (meaning && meaning->kind == MEANING_ARGUMENT) {
        return is_part(meaning->written) ? static_path(x, meaning->scope, meaning->written, name)
                                         : PATH_NONE;
    }
    if (!meaning || (meaning->kind != MEANING_FAMILY && meaning->kind != MEANING_FUNC &&
                     meaning->kind != MEANING_BUNDLE))
        return PATH_NONE;
    *name = meaning->out;
    return PATH_FUNC;
}

PathAnswer static_path(StaticExpander *x, StaticScope scope, const Syntax *syntax, Symbol *name) {
    if (syntax->kind == SYNTAX_NAME)
        return path_name(x, scope, syntax, name);
    if (!is_part(syntax))
        return PATH_NONE;
    Symbol base;
    const Syntax *written = syntax->children.data[0];
    PathAnswer answer = static_path(x, scope, written, &base);
    bool is_index = syntax->kind == SYNTAX_SUBSCRIPT;
    if (answer == PATH_NONE && is_index && is_empty_family(x, scope, written))
        return no_member(x, written->name, "[..]", syntax->place);
    if (answer != PATH_FUNC)
        return answer;
    const Meaning *known = find_global(x, base);
    if (is_index) {
        int64_t index;
        if (!known || known->kind != MEANING_FAMILY)
            return no_family(x, scope, syntax, known);
        if (!static_need_integer(x, scope, syntax->children.data[1], "the index of a family",
                                 &index))
            return PATH_FAULT;
        *name = member_name(x, base, index);
        return find_global(x, *name) ? PATH_FUNC : no_member(x, base, (*name)->text, syntax->place);
    }
    const char *join = syntax->kind == SYNTAX_MEMBER ? "." : "";
    *name = symbol_format(&x->context->symbols, "%s%s%s", base->text, join, syntax->name->text);
    if (syntax->kind == SYNTAX_SUFFIX || find_global(x, *name))
        return PATH_FUNC;
    bool is_bundle = known && known->kind == MEANING_BUNDLE; /* else a loop, or a field */
    return is_bundle ? no_member(x, base, syntax->name->text, syntax->place) : PATH_NONE;
}

/* The name of a member: `base[3]`, `base.dx`, `base_sum`. */
static bool name_of_part(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol base,
                         Symbol *name) {
    if (path->kind == SYNTAX_SUBSCRIPT) {
        int64_t index;
        if (!static_need_integer(x, scope, path->children.data[1], "the index of a family", &index))
            return false;
        *name = member_name(x, base, index);
        return true;
    }
    *name = symbol_format(&x->context->symbols, "%s%s%s", base->text,
                          path->kind == SYNTAX_MEMBER ? "." : "", path->name->text);
    return true;
}

bool static_path_name(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol *name) {
    if (path->kind == SYNTAX_NAME) {
        *name = path->name;
        return true;
    }
    Symbol base;
    if (!is_part(path))
        return diag(x->context, DIAG_NOT_A_NAME, path->place, "a new func");
    return static_path_name(x, scope, path->children.data[0], &base) &&
           name_of_part(x, scope, path, base, name);
}

bool static_new_name(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol *name) {
    Symbol base;
    PathAnswer answer =
        is_part(path) ? static_path(x, scope, path->children.data[0], &base) : PATH_NONE;
    if (answer == PATH_NONE)
        return static_path_name(x, scope, path, name);
    return answer == PATH_FUNC && name_of_part(x, scope, path, base, name);
}

/* The families of `g[1].d[2]` are `g` and `g[1].d`; `g[1]` is a bundle, unless it is a func too. */
void static_add_member(StaticExpander *x, Symbol name, Place place) {
    StaticNames *names = static_names_here(x);
    SymbolTable *symbols = &x->context->symbols;
    for (size_t i = 1; i < name->length; i++) {
        char c = name->text[i];
        if (c != '[' && c != '.')
            continue;
        Symbol base = symbol_intern(symbols, name->text, i);
        if (!map_get(&names->by_name, base))
            static_define(x, c == '[' ? MEANING_FAMILY : MEANING_BUNDLE, (NameSyntax){base, place});
        size_t end = i + 1;
        while (end < name->length && (c == '[' ? name->text[end - 1] != ']'
                                               : name->text[end] != '.' && name->text[end] != '['))
            end++;
        Symbol member = symbol_intern(symbols, name->text, end);
        Family *family = map_get(&names->families, base);
        if (!family) {
            family = arena_new(x->arena, Family);
            map_put(&names->families, base, family);
        }
        if (!map_get(&names->by_name, member))
            vec_push(x->arena, &family->members, member);
    }
}

/* ---- names of an instance's items ---- */

Symbol static_global_name(StaticExpander *x, Symbol head, Symbol written) {
    if (!x->instance)
        return written;
    bool is_instance = head == x->instance->template;
    return symbol_format(&x->context->symbols, "%s%s%s", x->instance->prefix->text,
                         is_instance ? "" : ".", written->text + (is_instance ? head->length : 0));
}

void static_bind_head(StaticExpander *x, StaticScope *scope, NameSyntax head) {
    if (!x->instance)
        return;
    Symbol global = static_global_name(x, head.name, head.name);
    const Meaning *known = find_global(x, global);
    Meaning *bound = static_bind(x, scope, known ? known->kind : MEANING_BUNDLE, head);
    bound->out = global;
    bound->number = known ? known->number : x->next_number++;
    bound->dimensions = known ? known->dimensions : 0;
}

int static_dimensions(StaticExpander *x, StaticScope scope, const Syntax *syntax) {
    Symbol name;
    if (static_path(x, scope, syntax, &name) == PATH_FUNC) {
        const Meaning *func = find_global(x, name);
        return func && func->kind == MEANING_FUNC ? func->dimensions : -1;
    }
    bool is_call = syntax->kind == SYNTAX_CALL && syntax->children.length > 1 &&
                   syntax->children.data[0]->kind == SYNTAX_NAME;
    if (is_call && !static_find(x, scope, syntax->children.data[0]->name))
        return static_dimensions(x, scope, syntax->children.data[1]); /* a boundary condition */
    const Meaning *meaning = static_named(x, scope, syntax);
    if (!meaning)
        return -1;
    if (meaning->kind == MEANING_ARGUMENT)
        return static_dimensions(x, meaning->scope, meaning->written);
    if (meaning->kind == MEANING_TEXT && meaning->let->parameters.length == 0)
        return static_dimensions(x, meaning->scope, meaning->let->value);
    return meaning->kind == MEANING_IMAGE ? meaning->dimensions : -1;
}
