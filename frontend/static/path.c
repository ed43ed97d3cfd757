/* path.c -- families and paths: `g[k]` is a func whose name is the text `g[3]`. */
#include "frontend/static/static.h"

/* All members that there are stand above. */
static const Meaning *find_global(const StaticExpander *x, Symbol name) {
    return static_find(x, (StaticScope){NULL, UINT32_MAX}, name);
}

static Symbol member_name(StaticExpander *x, Symbol family, int64_t index) {
    return symbol_format(&x->context->symbols, "%s[%lld]", family->text, (long long)index);
}

static PathAnswer no_member(StaticExpander *x, Symbol family, Symbol name, Place place) {
    const Family *members = map_get(&(x->pipeline ? x->pipeline : x->module)->families, family);
    const char *text = "";
    size_t count = members ? members->members.length : 0;
    for (size_t i = 0; i < count && i < 32; i++)
        text =
            arena_format(x->arena, "%s%s`%s`", text, i ? ", " : "", members->members.data[i]->text);
    diag(x->context, DIAG_NO_MEMBER, place, family->text, name->text,
         count ? arena_format(x->arena, "above it stand %s%s", text, count > 32 ? ", .." : "")
               : "none stands above it");
    return PATH_FAULT;
}

static PathAnswer path_name(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                            Symbol *name) {
    const Meaning *meaning = static_find(x, scope, syntax->name);
    while (meaning && meaning->kind == MEANING_ARGUMENT && meaning->written->kind == SYNTAX_NAME)
        meaning = static_find(x, meaning->scope, meaning->written->name);
    if (meaning && meaning->kind == MEANING_ARGUMENT) {
        bool is_path = meaning->written->kind == SYNTAX_SUBSCRIPT ||
                       meaning->written->kind == SYNTAX_MEMBER ||
                       meaning->written->kind == SYNTAX_SUFFIX;
        return is_path ? static_path(x, meaning->scope, meaning->written, name) : PATH_NONE;
    }
    if (!meaning || (meaning->kind != MEANING_FAMILY && meaning->kind != MEANING_FUNC &&
                     meaning->kind != MEANING_BUNDLE))
        return PATH_NONE;
    *name = meaning->out;
    return PATH_FUNC;
}

PathAnswer static_path(StaticExpander *x, StaticScope scope, const Syntax *syntax, Symbol *name) {
    bool is_part = syntax->kind == SYNTAX_SUBSCRIPT || syntax->kind == SYNTAX_MEMBER ||
                   syntax->kind == SYNTAX_SUFFIX;
    if (syntax->kind == SYNTAX_NAME)
        return path_name(x, scope, syntax, name);
    if (!is_part)
        return PATH_NONE;
    Symbol base;
    PathAnswer answer = static_path(x, scope, syntax->children.data[0], &base);
    if (answer != PATH_FUNC)
        return answer;
    if (syntax->kind == SYNTAX_SUBSCRIPT) {
        int64_t index;
        const Meaning *family = find_global(x, base);
        if (!family || family->kind != MEANING_FAMILY)
            return PATH_NONE;
        if (!static_need_integer(x, scope, syntax->children.data[1], "the index of a family",
                                 &index))
            return PATH_FAULT;
        *name = member_name(x, base, index);
        return find_global(x, *name) ? PATH_FUNC : no_member(x, base, *name, syntax->place);
    }
    const char *join = syntax->kind == SYNTAX_MEMBER ? "." : "";
    *name = symbol_format(&x->context->symbols, "%s%s%s", base->text, join, syntax->name->text);
    return syntax->kind == SYNTAX_SUFFIX || find_global(x, *name) ? PATH_FUNC : PATH_NONE;
}

bool static_path_name(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol *name) {
    if (path->kind == SYNTAX_NAME) {
        *name = path->name;
        return true;
    }
    bool is_part = path->kind == SYNTAX_SUBSCRIPT || path->kind == SYNTAX_MEMBER ||
                   path->kind == SYNTAX_SUFFIX;
    if (!is_part)
        return diag(x->context, DIAG_NOT_A_NAME, path->place, "a new func");
    Symbol base;
    if (!static_path_name(x, scope, path->children.data[0], &base))
        return false;
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

/* The families of `g[1].d[2]` are `g` and `g[1].d`; `g[1]` is a bundle, unless it is a func too. */
void static_add_member(StaticExpander *x, Symbol name, Place place) {
    StaticNames *names = x->pipeline ? x->pipeline : x->module;
    SymbolTable *symbols = &x->context->symbols;
    for (size_t i = 1; i < name->length; i++) {
        char c = name->text[i];
        if (c != '[' && c != '.')
            continue;
        Symbol base = symbol_intern(symbols, name->text, i);
        if (!map_get(&names->by_name, base))
            static_define(x, c == '[' ? MEANING_FAMILY : MEANING_BUNDLE, (NameSyntax){base, place});
        if (c == '.')
            continue;
        size_t end = i;
        while (name->text[end] != ']')
            end++;
        Symbol member = symbol_intern(symbols, name->text, end + 1);
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
    const Meaning *meaning =
        syntax->kind == SYNTAX_NAME ? static_find(x, scope, syntax->name) : NULL;
    if (!meaning)
        return -1;
    if (meaning->kind == MEANING_ARGUMENT)
        return static_dimensions(x, meaning->scope, meaning->written);
    if (meaning->kind == MEANING_TEXT && meaning->let->parameters.length == 0)
        return static_dimensions(x, meaning->scope, meaning->let->value);
    return meaning->kind == MEANING_IMAGE ? meaning->dimensions : -1;
}
