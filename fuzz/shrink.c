#include "fuzz/shrink.h"

#include <stdio.h>
#include <string.h>

typedef struct Shrinking {
    Arena *arena;
    Case *best;
    CaseFails *fails;
    void *data;
} Shrinking;

static Texts copy_texts(Arena *arena, const Texts *texts) {
    Texts copy = {0};
    for (size_t i = 0; i < texts->length; i++)
        vec_push(arena, &copy, texts->data[i]);
    return copy;
}

static Case *copy_case(Arena *arena, const Case *c) {
    Case *copy = arena_new(arena, Case);
    *copy = *c;
    copy->directives = copy_texts(arena, &c->directives);
    for (int f = 0; f < c->func_count; f++)
        copy->funcs[f].updates = copy_texts(arena, &c->funcs[f].updates);
    return copy;
}

static void remove_text(Texts *texts, size_t index) {
    for (size_t i = index; i + 1 < texts->length; i++)
        texts->data[i] = texts->data[i + 1];
    texts->length--;
}

/* Keeps the candidate if it still fails. */
static bool accept(Shrinking *s, Case *candidate) {
    if (!s->fails(s->data, candidate))
        return false;
    s->best = candidate;
    return true;
}

static bool drop_directives(Shrinking *s) {
    bool changed = false;
    for (size_t i = s->best->directives.length; i-- > 0;) {
        Case *candidate = copy_case(s->arena, s->best);
        remove_text(&candidate->directives, i);
        changed |= accept(s, candidate);
    }
    return changed;
}

static bool drop_updates(Shrinking *s) {
    bool changed = false;
    for (int f = 0; f < s->best->func_count; f++)
        for (size_t i = s->best->funcs[f].updates.length; i-- > 0;) {
            Case *candidate = copy_case(s->arena, s->best);
            remove_text(&candidate->funcs[f].updates, i);
            changed |= accept(s, candidate);
        }
    return changed;
}

/* A func that nobody reads any more goes. */
static bool drop_funcs(Shrinking *s) {
    bool changed = false;
    for (int f = s->best->func_count - 2; f >= 0; f--) {
        Case *candidate = copy_case(s->arena, s->best);
        for (int i = f; i + 1 < candidate->func_count; i++)
            candidate->funcs[i] = candidate->funcs[i + 1];
        candidate->func_count--;
        changed |= accept(s, candidate);
    }
    return changed;
}

static bool simplify_stages(Shrinking *s) {
    bool changed = false;
    for (int f = 0; f < s->best->func_count; f++) {
        const CaseFunc *func = &s->best->funcs[f];
        if (func->components > 1)
            continue;
        const char *values[] = {"1", "x"};
        for (int i = 0; i < 2; i++) {
            const char *text = arena_format(s->arena, "%s(%s)", func->type, values[i]);
            if (strlen(func->pure) <= strlen(text))
                continue;
            Case *candidate = copy_case(s->arena, s->best);
            candidate->funcs[f].pure = text;
            if (accept(s, candidate)) {
                changed = true;
                break;
            }
        }
    }
    return changed;
}

static bool shrink_window(Shrinking *s) {
    bool changed = false;
    for (int d = 0; d < CASE_DIMENSIONS; d++) {
        while (s->best->window_extent[d] > 1) {
            Case *candidate = copy_case(s->arena, s->best);
            candidate->window_extent[d] /= 2;
            if (!accept(s, candidate))
                break;
            changed = true;
        }
        while (s->best->window_extent[d] > 1) {
            Case *candidate = copy_case(s->arena, s->best);
            candidate->window_extent[d]--;
            if (!accept(s, candidate))
                break;
            changed = true;
        }
        if (s->best->window_minimum[d]) {
            Case *candidate = copy_case(s->arena, s->best);
            candidate->window_minimum[d] = 0;
            changed |= accept(s, candidate);
        }
    }
    return changed;
}

Case *shrink(Arena *arena, const Case *c, CaseFails *fails, void *data) {
    Shrinking s = {arena, copy_case(arena, c), fails, data};
    for (bool changed = true; changed;)
        changed = drop_directives(&s) | drop_updates(&s) | drop_funcs(&s) | simplify_stages(&s) |
                  shrink_window(&s);
    return s.best;
}
