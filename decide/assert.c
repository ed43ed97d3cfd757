/* assert.c -- the assertions of the search: a conjunction of linear comparisons, pending
 * disjunctions, and the definitions of the columns that occur. Also retracts them.
 */
#include "decide/internal.h"

#include <string.h>

void search_activate(FormulaSearch *search, Column column) {
    size_t count = search->problem->columns.length;
    if (count > search->column_capacity) {
        bool *is_active = arena_array(search->problem->arena, bool, 2 * count);
        if (search->column_capacity)
            memcpy(is_active, search->is_active, search->column_capacity * sizeof *is_active);
        search->is_active = is_active;
        search->column_capacity = 2 * count;
    }
    if (search->is_active[column])
        return;
    search->is_active[column] = true;
    vec_push(search->problem->arena, &search->active, column);
    const ColumnInfo *info = &search->problem->columns.data[column];
    const Formula *bounds = info->bounds, *cases = info->cases;
    bool deriving = search->deriving;
    search->deriving = false;
    if (bounds)
        search_assert(search, bounds);
    if (cases)
        search_assert(search, cases);
    search->deriving = deriving;
}

void search_assert(FormulaSearch *search, const Formula *formula) {
    switch (formula->kind) {
    case FORMULA_TRUE:
        return;
    case FORMULA_FALSE:
        search->contradiction = true;
        return;
    case FORMULA_AT_LEAST:
    case FORMULA_EQUAL:
        vec_push(
            search->problem->arena, &search->literals,
            (LinearLiteral){formula->polynomial, formula->kind == FORMULA_EQUAL, search->deriving});
        for (uint32_t i = 0; i < formula->polynomial.count; i++)
            search_activate(search, formula->polynomial.terms[i].column);
        return;
    case FORMULA_AND:
        for (uint32_t i = 0; i < formula->count; i++)
            search_assert(search, formula->parts[i]);
        return;
    case FORMULA_OR:
        vec_push(search->problem->arena, &search->pending, (Pending){formula, false});
        return;
    }
}

SearchMark search_mark(const FormulaSearch *search) {
    return (SearchMark){search->literals.length, search->pending.length, search->active.length,
                        search->forced.length};
}

void search_release(FormulaSearch *search, SearchMark to) {
    while (search->forced.length > to.forced)
        search->pending.data[search->forced.data[--search->forced.length]].done = false;
    search->literals.length = to.literals;
    search->pending.length = to.pending;
    while (search->active.length > to.active)
        search->is_active[search->active.data[--search->active.length]] = false;
    search->contradiction = false;
}
