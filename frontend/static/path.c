/* path.c -- families and paths: `g[k]` is a func whose name is the text `g[3]`. */
#include "frontend/static/static.h"

static const Meaning *find_global(const StaticExpander *x, StaticScope scope, Symbol name) {
    return static_find(x, (StaticScope){NULL, scope.visible}, name);
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
    while (meaning && meaning->kind == MEANING_ARGUMENT && meaning->syntax->kind == SYNTAX_NAME)
        meaning = find_global(x, scope, meaning->syntax->name);
    if (!meaning || (meaning->kind != MEANING_FAMILY && meaning->kind != MEANING_FUNC))
        return PATH_NONE;
    *name = meaning->name;
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
        const Meaning *family = find_global(x, scope, base);
        if (!family || family->kind != MEANING_FAMILY)
            return PATH_NONE;
        if (!static_need_integer(x, scope, syntax->children.data[1], "the index of a family",
                                 &index))
            return PATH_FAULT;
        *name = member_name(x, base, index);
        return find_global(x, scope, *name) ? PATH_FUNC : no_member(x, base, *name, syntax->place);
    }
    const char *join = syntax->kind == SYNTAX_MEMBER ? "." : "";
    *name = symbol_format(&x->context->symbols, "%s%s%s", base->text, join, syntax->name->text);
    return syntax->kind == SYNTAX_SUFFIX || find_global(x, scope, *name) ? PATH_FUNC : PATH_NONE;
}

bool static_path_name(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol *name) {
    if (path->kind == SYNTAX_NAME) {
        *name = path->name;
        return true;
    }
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

/* The families of `g[1].d[2]` are `g` and `g[1].d`. */
void static_add_member(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol name) {
    StaticNames *names = x->pipeline ? x->pipeline : x->module;
    for (; path->kind != SYNTAX_NAME; path = path->children.data[0]) {
        Symbol base, member;
        if (path->kind != SYNTAX_SUBSCRIPT ||
            !static_path_name(x, scope, path->children.data[0], &base) ||
            !static_path_name(x, scope, path, &member))
            continue;
        Family *family = map_get(&names->families, base);
        if (!family) {
            family = arena_new(x->arena, Family);
            map_put(&names->families, base, family);
            static_define(x, MEANING_FAMILY, (NameSyntax){base, path->place});
        }
        bool is_known = member != name && map_get(&names->by_name, member);
        if (!is_known) /* `g[1]` of `g[1].dx`: a bundle, unless it is a func too */
            vec_push(x->arena, &family->members, member);
        if (member != name && !is_known)
            static_define(x, MEANING_FAMILY, (NameSyntax){member, path->place});
    }
}
