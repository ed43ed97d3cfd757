/* explain.c -- `hlc explain FILE`: walks the finished program and describes it.
 *
 *     compute h at root
 *       for h.s1.yo from 0, (out.extent.1 + 31)/32 iterations, parallel
 *         for h.s1.xo from 0, (out.extent.0 + 255)/256 iterations, serial
 *           allocate g: i32, x: min(out.extent.0 - h.s1.xo*256, 256) (at most 256), ..
 *           compute g at h.s1.xo; neighbours in h.s1.yo share w*2 in y
 *
 * The limits of a formula come from the facts at its place: the assertions at the top, the
 * intervals of the loops around, the conditions of ifs.  The walk learns these facts on the way
 * down and forgets them on the way back.
 */
#include "lower/report/explain.h"

#include "ir/extern.h"
#include "ir/print.h"
#include "lower/passes/knowledge.h"
#include "lower/report/overlap.h"
#include "lower/report/recompute_count.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Larger formulas are printed as their size. */
enum { READABLE_NODES = 60 };

typedef struct ExplainFrame {
    FactMark mark;
    int depth;
} ExplainFrame;

/* The line being written. */
typedef struct LineText {
    Vec(char) text;
    int depth;
    int64_t count, computed, distinct;
} LineText;

typedef struct Explain {
    ExplainTell *tell;
    void *data;
    LineText *line;
    const Lowered *lowered;
    Arena *arena;
    Pool *pool;
    Simplifier *simplifier;
    int depth;
    Vec(ExplainFrame) frames;
    Map tails; /* tails_of_program */
    RecomputeCounts counts;
    const ExplainValues *values;
    ExprMemo substituted;
} Explain;

/* ---- formulas ---- */

static const char *formula(const Explain *explain, Expr expr) {
    return expr->tree_size > READABLE_NODES ? "(a long formula)"
                                            : expr_formula(explain->arena, expr);
}

/* Returns an upper limit of the expression; false if none is known. */
static bool limit_of(const Explain *explain, Expr expr, int64_t *limit) {
    ConstantInterval interval = simplify_interval(explain->simplifier, expr);
    *limit = interval.maximum;
    return interval.has_maximum;
}

/* Returns "256", or a formula, with its limit if one is known. */
static const char *count_text(const Explain *explain, Expr expr) {
    int64_t limit;
    const char *text = formula(explain, expr);
    if (expr_is_constant(expr) || !limit_of(explain, expr, &limit))
        return text;
    return arena_format(explain->arena, "%s (at most %" PRId64 ")", text, limit);
}

/* ---- lines ---- */

static void begin_line(const Explain *explain) {
    LineText *line = explain->line;
    line->text.length = 0;
    line->depth = explain->depth;
    line->count = line->computed = line->distinct = -1;
}

__attribute__((format(printf, 2, 3))) static void put(const Explain *explain, const char *format,
                                                      ...) {
    LineText *line = explain->line;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(NULL, 0, format, arguments);
    vec_reserve(explain->arena, &line->text, line->text.length + length + 1);
    vsnprintf(line->text.data + line->text.length, length + 1, format, again);
    line->text.length += length;
    va_end(arguments);
    va_end(again);
}

/* `stmt` is what the line is about. */
static void end_line(const Explain *explain, const Stmt *stmt, bool is_otherwise) {
    const LineText *line = explain->line;
    explain->tell(explain->data, &(ExplainLine){.stmt = stmt,
                                                .is_otherwise = is_otherwise,
                                                .depth = line->depth,
                                                .text = line->text.data,
                                                .count = line->count,
                                                .computed = line->computed,
                                                .distinct = line->distinct});
}

/* ---- memory ---- */

static const char *types_text(const Explain *explain, const FuncShape *shape) {
    const char *text = type_name(shape->types[0]);
    for (int c = 1; c < shape->components; c++)
        text = arena_format(explain->arena, "%s, %s", text, type_name(shape->types[c]));
    return shape->components == 1 ? text : arena_format(explain->arena, "{%s}", text);
}

/* Returns the number of coordinates of a dimension that have places. */
static Expr places_of(const Stmt *allocate, int d) {
    const Expr *folds = allocate->allocate.folds;
    return folds && folds[d] ? folds[d] : allocate->allocate.intervals[d].length;
}

/* Prints "; 4096 bytes", or "; at most .."; nothing if a length has no limit. */
static void tell_bytes(const Explain *explain, const Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    int64_t bytes = shape_bytes(shape), limit;
    bool exact = true;
    for (int d = 0; d < shape->dimensions; d++) {
        Expr length = places_of(allocate, d);
        exact &= expr_is_constant(length);
        if (!limit_of(explain, length, &limit) || __builtin_mul_overflow(bytes, limit, &bytes))
            return;
    }
    explain->line->count = bytes;
    put(explain, "; %s%" PRId64 " bytes", exact ? "" : "at most ", bytes);
}

static void tell_allocate(const Explain *explain, const Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    begin_line(explain);
    put(explain, "%s %s: %s", shape->is_output ? "output" : "allocate", shape->name->text,
        types_text(explain, shape));
    for (int d = 0; d < shape->dimensions; d++)
        put(explain, ", %s: %s%s", shape->variables[d]->text,
            count_text(explain, places_of(allocate, d)),
            allocate->allocate.folds && allocate->allocate.folds[d] ? " (folded)" : "");
    tell_bytes(explain, allocate);
    const Storage *storage = allocate->allocate.storage;
    if (storage->table)
        put(explain, "; evaluated when compiled");
    if (storage->streams)
        put(explain, "; past the cache");
    if (storage->traced)
        put(explain, "; traced");
    if (storage->memory != MEMORY_AUTOMATIC)
        put(explain, "; in %s", memory_text(storage->memory));
    for (int n = 0; !storage_is_in_order(storage, shape->dimensions) && n < shape->dimensions; n++)
        put(explain, "%s%s",
            n ? ", " : "; closest in memory first: ", shape->variables[storage->order[n]]->text);
    end_line(explain, allocate, false);
}

/* ---- computing ---- */

static const Stmt *loop_around(const Stmt *stmt) {
    do
        stmt = stmt_parent(stmt);
    while (stmt && stmt->kind != STMT_FOR);
    return stmt;
}

static void tell_shared(const Explain *explain, const FuncShape *shape, const Overlap *overlap) {
    const char *separator = " share ";
    for (int d = 0; d < shape->dimensions; d++) {
        if (!overlap->rows[d])
            continue;
        put(explain, "%s%s in %s", separator, count_text(explain, overlap->rows[d]),
            shape->variables[d]->text);
        separator = " and ";
    }
}

/* Returns the note whether, or why not, the func slides along the loop; null if it is stored
 * inside. */
static const SlideNote *slide_note(const Explain *explain, Symbol func, Symbol loop) {
    const BoundsResult *bounds = explain->lowered->bounds;
    for (size_t i = 0; i < bounds->slides.length; i++)
        if (bounds->slides.data[i].func == func && bounds->slides.data[i].loop == loop)
            return &bounds->slides.data[i];
    return NULL;
}

/* Prints what each loop around recomputes of the func, outermost first. */
static void tell_overlaps(const Explain *explain, const Stmt *compute) {
    const FuncShape *shape = compute->compute.func;
    const Tails *tails = map_get(&explain->tails, compute);
    Vec(const Stmt *) loops = {0};
    for (const Stmt *loop = loop_around(compute); loop; loop = loop_around(loop))
        vec_push(explain->arena, &loops, loop);
    bool once = true;
    for (size_t i = loops.length; i-- > 0;) {
        Overlap overlap = overlap_along(explain->pool, explain->arena, explain->simplifier, compute,
                                        tails, loops.data[i]);
        const char *name = loops.data[i]->loop.binder->text;
        const SlideNote *note = slide_note(explain, shape->name, loops.data[i]->loop.binder);
        if (note && note->slides) {
            put(explain, "; slides along %s in %s", name, note->text);
            continue;
        }
        once &= overlap.kind == OVERLAP_NONE;
        switch (overlap.kind) {
        case OVERLAP_NONE:
            break;
        case OVERLAP_SOME:
            put(explain, "; neighbours in %s", name);
            tell_shared(explain, shape, &overlap);
            break;
        case OVERLAP_WHOLE:
            put(explain, "; the same again in each iteration of %s", name);
            break;
        case OVERLAP_UNKNOWN:
            put(explain, "; what iterations of %s share is not known", name);
            break;
        }
        if (note && overlap.kind != OVERLAP_NONE)
            put(explain, " (not slid: %s)", note->text);
    }
    if (once && loops.length > 0)
        put(explain, "; no point twice");
    if (once && loops.length > 0 && tails && tails->shifted)
        put(explain, " but in the tail of %s", tails->shifted->text);
}

static void tell_recomputation(const Explain *explain, Symbol func) {
    for (size_t i = 0; i < explain->counts.length; i++) {
        const RecomputeCount *count = &explain->counts.data[i];
        if (count->func != func || count->boxes == 0)
            continue;
        explain->line->count = count->boxes;
        explain->line->computed = count->computed;
        explain->line->distinct = count->distinct;
        put(explain, "; %" PRId64 " point%s", count->computed, count->computed == 1 ? "" : "s");
        if (count->distinct != count->computed)
            put(explain, ", %" PRId64 " of them different, each %.2f times on average",
                count->distinct, (double)count->computed / (double)count->distinct);
    }
}

/* Returns the func whose partial results this func holds; null if the author wrote the func. */
static Symbol factored_from(const Explain *explain, Symbol func) {
    const Directives *primitives = &explain->lowered->primitives;
    for (size_t i = 0; i < primitives->length; i++) {
        const Directive *directive = &primitives->data[i];
        size_t last = directive->arguments.length - 1;
        if (directive->kind == DIRECTIVE_RFACTOR && directive->arguments.data[last].name == func)
            return directive->arguments.data[0].loop.func;
    }
    return NULL;
}

static void tell_compute(const Explain *explain, const Stmt *compute) {
    const Stmt *loop = loop_around(compute);
    begin_line(explain);
    put(explain, "compute %s", compute->compute.func->name->text);
    if (compute->compute.specialization)
        put(explain, ".z%d", compute->compute.specialization);
    Symbol of = factored_from(explain, compute->compute.func->name);
    if (of)
        put(explain, " (partial results of %s)", of->text);
    put(explain, " at %s", loop ? loop->loop.binder->text : "root");
    if (stmt_is_grouped(compute))
        put(explain, ", in whose loops %s is computed, too", stmt_func(stmt_parent(compute))->text);
    tell_overlaps(explain, compute);
    tell_recomputation(explain, compute->compute.func->name);
    end_line(explain, compute, false);
}

/* ---- loops ---- */

/* Returns the variable of the directive's loop if it belongs to this stage; else null. */
static Symbol loop_of_stage(const Directive *directive, const LoopName *stage) {
    const LoopReference *loop = &directive->arguments.data[0].loop;
    bool same = loop->func == stage->func && loop->stage == stage->stage &&
                loop->specialization == stage->specialization;
    return same ? loop->variable : NULL;
}

typedef struct LoopSearch {
    LoopName name;
    bool found;
} LoopSearch;

static bool find_loop(void *data, Stmt *stmt) {
    LoopSearch *search = data;
    if (stmt->kind != STMT_FOR)
        return !search->found;
    const LoopName *name = &stmt->loop.name;
    search->found |= name->func == search->name.func && name->stage == search->name.stage &&
                     name->specialization == search->name.specialization &&
                     name->variable == search->name.variable;
    return !search->found;
}

/* Does the stage of `loop` have a loop of that variable? */
static bool stage_has(const Stmt *loop, Symbol variable) {
    LoopSearch search = {.name = loop->loop.name};
    search.name.variable = variable;
    Stmt *compute = stmt_parent(loop);
    while (compute->kind != STMT_COMPUTE || compute->compute.func->name != loop->loop.name.func)
        compute = stmt_parent(compute);
    StmtVisitor visitor = {.data = &search, .enter = find_loop};
    block_visit(&compute->compute.body, &visitor);
    return search.found;
}

/* Returns the loop whose line describes the tail of split number `at`.  That is its inner loop, or
 * the outer loop that later splits made of it, or a loop that fuses made of it.  A loop that went
 * as the inner partner of a fuse is not named there: it is in the last fused loop. */
static Symbol teller_of(const Explain *explain, size_t at, const Stmt *loop) {
    const Directives *primitives = &explain->lowered->primitives;
    Symbol teller = primitives->data[at].arguments.data[2].name, fused = NULL;
    for (size_t i = at + 1; i < primitives->length; i++) {
        const Directive *later = &primitives->data[i];
        bool renames = later->kind == DIRECTIVE_SPLIT || later->kind == DIRECTIVE_FUSE ||
                       later->kind == DIRECTIVE_START_EARLY;
        Symbol variable = renames ? loop_of_stage(later, &loop->loop.name) : NULL;
        if (!variable)
            continue;
        if (variable == teller)
            teller = later->arguments.data[1].name;
        if (later->kind == DIRECTIVE_FUSE)
            fused = later->arguments.data[1].name;
    }
    return fused && !stage_has(loop, teller) ? fused : teller;
}

/* Is it the binder of this loop or of one of its copies, `h.s1.x'2`? */
static bool is_copy_of(Symbol binder, Symbol loop) {
    size_t length = loop->length;
    return strncmp(binder->text, loop->text, length) == 0 &&
           (binder->text[length] == 0 || binder->text[length] == '\'');
}

/* The search for the rest of a split: the let of the loop that it replaced, and its guard. */
typedef struct GuardSearch {
    const Explain *explain;
    Symbol replaced, inner;
    Place place;
    bool found_let, guarded, guarded_at_place;
} GuardSearch;

static bool search_enter(void *data, Stmt *stmt) {
    GuardSearch *search = data;
    if (stmt->kind == STMT_LET)
        search->found_let |= is_copy_of(stmt->let.binder, search->replaced);
    if (stmt->kind != STMT_IF || stmt->branch.role != IF_GUARD)
        return stmt->kind != STMT_COMPUTE;
    Exprs variables = {0};
    expr_variables(search->explain->arena, stmt->branch.condition, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        search->guarded |= is_copy_of(name, search->replaced);
        search->guarded_at_place |= name == search->inner && stmt->place.line == search->place.line;
    }
    return true;
}

/* Does the guard still exist?  The simplifier removes a guard that provably never fails. */
static bool is_guarded(const Explain *explain, const Directive *split, Stmt *loop) {
    LoopName replaced = loop->loop.name;
    replaced.variable = split->arguments.data[0].loop.variable;
    GuardSearch search = {.explain = explain,
                          .replaced = loop_symbol(explain->pool->context, &replaced),
                          .inner = loop->loop.binder,
                          .place = split->place};
    StmtVisitor visitor = {.data = &search, .enter = search_enter};
    block_visit(&loop->loop.body, &visitor);
    return search.guarded || (!search.found_let && search.guarded_at_place);
}

static void tell_tails(const Explain *explain, Stmt *loop) {
    const Directives *primitives = &explain->lowered->primitives;
    const LoopName *name = &loop->loop.name;
    for (size_t i = 0; i < primitives->length; i++) {
        const Directive *split = &primitives->data[i];
        Symbol replaced = split->kind == DIRECTIVE_SPLIT ? loop_of_stage(split, name) : NULL;
        if (!replaced || teller_of(explain, i, loop) != name->variable)
            continue;
        Tail tail = split->arguments.length > 4 ? split->arguments.data[4].tail : TAILS_GUARD;
        bool guarded = is_guarded(explain, split, loop);
        if (guarded && !tail_guards(tail))
            tail = TAILS_GUARD; /* another would be unsound there */
        put(explain, ", tail of %s: %s", replaced->text,
            guarded || !tail_guards(tail) ? tail_text(tail) : "none needed");
    }
}

static void tell_loop(const Explain *explain, Stmt *loop) {
    const Extent *interval = &loop->loop.interval;
    begin_line(explain);
    const char *count = count_text(explain, interval->length);
    int64_t limit;
    if (limit_of(explain, interval->length, &limit))
        explain->line->count = limit;
    put(explain, "for %s from %s, %s iteration%s, %s", loop->loop.binder->text,
        formula(explain, interval->minimum), count, strcmp(count, "1") == 0 ? "" : "s",
        traversal_text(loop->loop.traversal));
    if (!loop->loop.pure)
        put(explain, ", a reduction");
    tell_tails(explain, loop);
    end_line(explain, loop, false);
}

static void tell_store(const Explain *explain, const Stmt *store) {
    begin_line(explain);
    if (stmt_is_extern(store))
        put(explain, "call %s: ", store->store.values[0]->name->text);
    put(explain, "write %s", store->store.func->name->text);
    if (store->store.stage)
        put(explain, ", update %d", store->store.stage);
    if (store->store.is_atomic)
        put(explain, ", atomic");
    end_line(explain, store, false);
}

/* Prints the part of a func that stands in another func's loop. */
static void tell_part(Explain *explain, const Stmt *label) {
    if (!stmt_is_part(label))
        return;
    begin_line(explain);
    put(explain, "of %s", label->label.name->text);
    end_line(explain, label, false);
    explain->depth++;
}

/* ---- the walk ---- */

/* Enters the first statement of the else branch: the condition does not hold there. */
static void cross_to_otherwise(Explain *explain, const Stmt *branch) {
    const ExplainFrame *frame = &explain->frames.data[explain->frames.length - 1];
    simplifier_release(explain->simplifier, frame->mark);
    simplifier_learn(explain->simplifier, expr_not(explain->pool, branch->branch.condition));
    if (branch->branch.role == IF_SPECIALIZE) {
        explain->depth = frame->depth;
        begin_line(explain);
        put(explain, "otherwise");
        end_line(explain, branch, true);
        explain->depth++;
    }
}

static void enter_branch(Explain *explain, const Stmt *branch) {
    if (branch->branch.role == IF_SPECIALIZE) {
        begin_line(explain);
        put(explain, "if %s", formula(explain, branch->branch.condition));
        end_line(explain, branch, false);
        explain->depth++;
    }
    simplifier_learn(explain->simplifier, branch->branch.condition);
}

/* If values are given, an assertion may be known to fail: prints that. */
static void tell_refusal(const Explain *explain, const Stmt *assertion) {
    const char *subject = assertion->assertion.subject;
    if (!expr_is_false(assertion->assertion.condition))
        return;
    begin_line(explain);
    put(explain, "refused: %s%s%s", hlc_error_name(assertion->assertion.error),
        *subject ? ", " : "", subject);
    end_line(explain, assertion, false);
}

static bool enter(void *data, Stmt *stmt) {
    Explain *explain = data;
    const Stmt *owner = stmt->block->owner;
    if (owner && owner->kind == STMT_IF && stmt == owner->branch.otherwise.first)
        cross_to_otherwise(explain, owner);
    vec_push(explain->arena, &explain->frames,
             (ExplainFrame){simplifier_mark(explain->simplifier), explain->depth});
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_PREFETCH:
        return true;
    case STMT_LABEL:
        tell_part(explain, stmt);
        return true;
    case STMT_ASSERT:
        tell_refusal(explain, stmt); /* `leave` learns it */
        return true;
    case STMT_ALLOCATE:
        tell_allocate(explain, stmt);
        return true;
    case STMT_STORE:
        tell_store(explain, stmt);
        return true;
    case STMT_IF:
        enter_branch(explain, stmt);
        return true;
    case STMT_FOR:
        tell_loop(explain, stmt);
        explain->depth++;
        learn_loop_interval(explain->simplifier, explain->pool, stmt->loop.binder,
                            stmt->loop.interval);
        return true;
    case STMT_LET:
        if (type_is_index(stmt->let.value->type))
            simplifier_learn_range(explain->simplifier, stmt->let.binder,
                                   simplify_interval(explain->simplifier, stmt->let.value));
        return true;
    case STMT_COMPUTE:
        tell_compute(explain, stmt);
        explain->depth++;
        return true;
    }
    return true;
}

/* An assertion holds in all later statements, so its facts stay until its block ends.  The facts
 * that coordinates have 32 bits are left out: limits that follow from them tell a reader
 * nothing. */
static void leave(void *data, Stmt *stmt) {
    Explain *explain = data;
    ExplainFrame frame = explain->frames.data[--explain->frames.length];
    if (stmt->kind == STMT_ASSERT) {
        if (stmt->assertion.error != HLC_ERROR_COORDINATE_RANGE)
            simplifier_learn(explain->simplifier, stmt->assertion.condition);
        return;
    }
    simplifier_release(explain->simplifier, frame.mark);
    explain->depth = frame.depth;
}

/* ---- values ---- */

static Expr put_value(void *data, Pool *pool, Expr node) {
    const Explain *explain = data;
    Bits bits;
    if (node->op != OP_VARIABLE ||
        !explain->values->value(explain->values->data, node->name, &bits))
        return node;
    return expr_constant(pool, node->type, bits);
}

static Expr put_values(void *data, Expr expr) {
    Explain *explain = data;
    return expr_rewrite(explain->pool, &explain->substituted, expr, put_value, explain);
}

void explain_lines(Lowered *lowered, Arena *arena, const ExplainValues *values, ExplainTell *tell,
                   void *data) {
    Program *program = lowered->program;
    LineText line = {0};
    Explain explain = {.tell = tell,
                       .data = data,
                       .line = &line,
                       .lowered = lowered,
                       .arena = arena,
                       .pool = program->pool,
                       .simplifier = simplifier_create(program->pool, arena),
                       .values = values,
                       .substituted = expr_memo(arena)};
    TailValues tail_values = {put_values, &explain};
    explain.tails = tails_of_program(lowered, arena, values ? &tail_values : NULL);
    if (values) {
        block_map_exprs(&program->body, put_values, &explain);
        lower_simplify(program, arena);
        explain.counts = recompute_counts(program, &explain.tails, arena);
    }
    StmtVisitor visitor = {.data = &explain, .enter = enter, .leave = leave};
    block_visit(&program->body, &visitor);
}

static void print_line(void *data, const ExplainLine *line) {
    fprintf(data, "%*s%s\n", 2 * line->depth, "", line->text);
}

void explain_nest(FILE *out, Lowered *lowered, Arena *arena, const ExplainValues *values) {
    explain_lines(lowered, arena, values, print_line, out);
}
