/* render.c -- decisions as directives.
 *
 * For each stage, a nest of loops is kept as names, innermost first. A split changes it as the sugar
 * does that is written; at the end one `reorder` names all loops, if their order is not yet the wanted
 * one. The loops of a host are remembered, by stage, for the compute-at's that name them. */
#include "autoschedule/render.h"

#include "autoschedule/reason.h"
#include "schedule/directive_build.h"

typedef struct Nest {
    const DecisionSubject *subject;
    const FuncChoice *choice;
    int stage;
    bool is_numbered;    /* the func has several stages */
    bool is_shifted;     /* the last block of vectors and lines */
    int copy;            /* of a specialized func; 0: where no condition holds */
    Vec(Symbol) written; /* the loops in the order that the directives make */
    Vec(Symbol) wanted;
} Nest;

/* The loops of a stage that funcs can be computed at; null: none. */
typedef struct HostLoops {
    Symbol tile, block, row, lanes;
    bool is_numbered;
} HostLoops;

typedef struct Rendering {
    const Decisions *decisions;
    const FuncChoice *choices;
    Context *context;
    Pool *pool;
    Arena *arena;
    Rendered *out;
    HostLoops **hosts; /* by func and stage */
    Reasons reasons;
} Rendering;

/* ---- directives ---- */

#define emit(rendering, reason, kind, ...)                                                         \
    emit_((rendering), (reason), (kind), (DirectiveArgument[]){__VA_ARGS__},                       \
          sizeof(DirectiveArgument[]){__VA_ARGS__} / sizeof(DirectiveArgument))

static void emit_(Rendering *rendering, const char *reason, DirectiveKind kind,
                  const DirectiveArgument *arguments, size_t count) {
    Directive directive = {.kind = kind};
    for (size_t i = 0; i < count; i++)
        vec_push(rendering->arena, &directive.arguments, arguments[i]);
    vec_push(rendering->arena, &rendering->out->schedule->directives, directive);
    vec_push(rendering->arena, &rendering->out->reasons, reason);
}

static DirectiveArgument number(Rendering *rendering, int value) {
    return (DirectiveArgument){.kind = ARGUMENT_EXPR,
                               .expr = expr_index(rendering->pool, value),
                               .text = arena_format(rendering->arena, "%d", value)};
}

static DirectiveArgument loop_of(const Nest *nest, Symbol variable) {
    LoopReference reference = {.func = nest->subject->func->shape->name,
                               .variable = variable,
                               .specialization = nest->copy,
                               .stage = nest->is_numbered ? nest->stage : -1};
    return (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = reference};
}

static Symbol with_ending(Rendering *rendering, Symbol variable, const char *ending) {
    return symbol_format(&rendering->context->symbols, "%s%s", variable->text, ending);
}

/* ---- nests ---- */

/* The condition that a whole block fits into the window of an output, made as the front end makes it of the
 * text: in 32 bits. What is accepted is then what is printed. */
static void add_extent(Rendering *rendering, Expr *condition, const char **text, Symbol func,
                       int dimension, int least) {
    Pool *pool = rendering->pool;
    const Signature *signature = &rendering->decisions->pipeline->signature;
    Expr extent = signature_domain_field(signature, pool, func, FIELD_EXTENT, dimension);
    Expr fits =
        expr_binary(pool, OP_LE, expr_constant(pool, I32, least), expr_cast(pool, I32, extent));
    *condition = *condition ? expr_binary(pool, OP_AND, *condition, fits) : fits;
    *text = arena_format(rendering->arena, "%s%s%s.extent(%d) >= %d", *text, **text ? " && " : "",
                         func->text, dimension, least);
}

/* Puts the parts of a split in the loop's place. */
static void split_written(Rendering *rendering, Nest *nest, Symbol loop, Symbol outer,
                          Symbol inner) {
    size_t at = 0;
    while (nest->written.data[at] != loop)
        at++;
    vec_push(rendering->arena, &nest->written, outer);
    for (size_t i = nest->written.length - 1; i > at + 1; i--)
        nest->written.data[i] = nest->written.data[i - 1];
    nest->written.data[at] = inner;
    nest->written.data[at + 1] = outer;
}

/* Writes `kind(loop, factor)`; sets the loop to the outer part, and returns the inner one. */
static Symbol split_by(Rendering *rendering, Nest *nest, DirectiveKind kind, Symbol *loop,
                       int factor, const char *reason) {
    const char *outer_ending = kind == DIRECTIVE_PARALLEL ? "_p" : "_o";
    const char *inner_ending = kind == DIRECTIVE_VECTORIZE ? "_v"
                               : kind == DIRECTIVE_UNROLL  ? "_u"
                                                           : "_i";
    Symbol outer = with_ending(rendering, *loop, outer_ending);
    Symbol inner = with_ending(rendering, *loop, inner_ending);
    bool is_shifted = nest->is_shifted && (kind == DIRECTIVE_SPLIT || kind == DIRECTIVE_UNROLL);
    DirectiveArgument tail = {.kind = ARGUMENT_TAIL, .tail = TAILS_SHIFT_INWARDS};
    if (kind == DIRECTIVE_SPLIT && is_shifted)
        emit(rendering, reason, kind, loop_of(nest, *loop), argument_name(outer),
             argument_name(inner), number(rendering, factor), tail);
    else if (kind == DIRECTIVE_SPLIT)
        emit(rendering, reason, kind, loop_of(nest, *loop), argument_name(outer),
             argument_name(inner), number(rendering, factor));
    else if (is_shifted)
        emit(rendering, reason, kind, loop_of(nest, *loop), number(rendering, factor), tail);
    else
        emit(rendering, reason, kind, loop_of(nest, *loop), number(rendering, factor));
    split_written(rendering, nest, *loop, outer, inner);
    *loop = outer;
    return inner;
}

static void want(Rendering *rendering, Nest *nest, Symbol loop) {
    if (loop)
        vec_push(rendering->arena, &nest->wanted, loop);
}

/* Reductions, and pure loops that no level names, in the order of the stage: only those that are not
 * wanted yet. */
static void want_rest(Rendering *rendering, Nest *nest, bool reductions) {
    const Stage *stage = nest->subject->func->stages.data[nest->stage];
    for (size_t i = 0; i < nest->written.length; i++) {
        Symbol loop = nest->written.data[i];
        bool is_reduction = false, is_wanted = false;
        for (size_t r = 0; r < stage->reduction.length; r++)
            is_reduction |= stage->reduction.data[r].variable == loop;
        for (size_t k = 0; k < nest->wanted.length; k++)
            is_wanted |= nest->wanted.data[k] == loop;
        if (!is_wanted && is_reduction == reductions)
            want(rendering, nest, loop);
    }
}

/* The loops in which `wanted` and `written` differ, from the first to the last of them. */
static void reorder(Rendering *rendering, Nest *nest) {
    size_t first = 0, end = nest->wanted.length;
    if (nest->wanted.length != nest->written.length)
        return;
    while (first < end && nest->wanted.data[first] == nest->written.data[first])
        first++;
    while (end > first && nest->wanted.data[end - 1] == nest->written.data[end - 1])
        end--;
    if (first == end)
        return;
    Vec(DirectiveArgument) loops = {0};
    for (size_t i = first; i < end; i++)
        vec_push(rendering->arena, &loops, loop_of(nest, nest->wanted.data[i]));
    emit_(rendering, reason_of_order(&rendering->reasons, nest->subject, nest->choice, nest->stage),
          DIRECTIVE_REORDER, loops.data, loops.length);
}

static Symbol variable_of(const Nest *nest, int dimension) {
    const Stage *stage = nest->subject->func->stages.data[nest->stage];
    return stage_has_dimension(stage, dimension) ? nest->subject->func->shape->variables[dimension]
                                                 : NULL;
}

static Nest stage_nest(Rendering *rendering, int func, size_t stage) {
    const DecisionSubject *subject = &rendering->decisions->subjects[func];
    Nest nest = {.subject = subject,
                 .choice = &rendering->choices[func],
                 .stage = (int)stage,
                 .is_numbered = subject->func->stages.length > 1};
    StageLoops loops =
        stage_loops(rendering->arena, subject->func, subject->func->stages.data[stage]);
    for (size_t i = loops.length; i-- > 0;)
        vec_push(rendering->arena, &nest.written, loops.data[i].variable);
    return nest;
}

/* ---- templates ---- */

/* Tiles of sums in registers: `vectors` vectors by `lines` lines, all unrolled. At root perhaps in tiles of
 * `columns` by `rows`, so that what their sums read stays in a cache. */
static HostLoops tile_of_registers(Rendering *rendering, Nest *nest, bool is_root) {
    const FuncChoice *choice = nest->choice;
    Reasons *reasons = &rendering->reasons;
    int lane = nest->subject->lane, line = lane == 0 ? 1 : 0;
    Symbol x = variable_of(nest, lane);
    Symbol y = line < nest->subject->func->shape->dimensions ? variable_of(nest, line) : NULL;
    Symbol inner = x, vectors = NULL, lines = NULL, across = NULL, down = NULL;
    bool is_shifted = nest->is_shifted, has_tiles = is_root && y && choice_has_tiles(choice);
    if (has_tiles) {
        across = x;
        x = split_by(rendering, nest, DIRECTIVE_SPLIT, &across, choice->columns,
                     reason_of_columns(reasons, nest->subject, choice));
        down = y;
        y = split_by(rendering, nest, DIRECTIVE_SPLIT, &down, choice->rows, "");
        nest->is_shifted = false; /* tiles of registers divide them */
        inner = x;
    }
    if (choice->vectors > 1 || choice->whole) {
        inner = split_by(rendering, nest, DIRECTIVE_SPLIT, &x, choice->lanes * choice->vectors,
                         reason_of_tile(reasons, choice));
        vectors = inner;
        inner = split_by(rendering, nest, DIRECTIVE_VECTORIZE, &vectors, choice->lanes,
                         reason_of_lanes(reasons, nest->subject, choice));
        if (choice->vectors > 1)
            emit(rendering, "", DIRECTIVE_UNROLL, loop_of(nest, vectors));
    } else {
        inner = split_by(rendering, nest, DIRECTIVE_VECTORIZE, &x, choice->lanes,
                         reason_of_lanes(reasons, nest->subject, choice));
    }
    if (y && choice->lines > 1)
        lines = split_by(rendering, nest, DIRECTIVE_UNROLL, &y, choice->lines,
                         reason_of_tile(reasons, choice));
    want(rendering, nest, inner);
    want(rendering, nest, vectors);
    want(rendering, nest, lines);
    want_rest(rendering, nest, true);
    nest->is_shifted = is_shifted;
    bool rows_outside =
        !has_tiles && nest->subject->length[lane] <
                          4.0 * rendering->decisions->threads * choice->lanes * choice->vectors;
    want(rendering, nest, rows_outside || !y ? x : y);
    want(rendering, nest, rows_outside || !y ? y : x);
    want(rendering, nest, across);
    want_rest(rendering, nest, false);
    if (down) { /* the last one that is wanted */
        size_t at = 0;
        while (nest->wanted.data[at] != down)
            at++;
        for (; at + 1 < nest->wanted.length; at++)
            nest->wanted.data[at] = nest->wanted.data[at + 1];
        nest->wanted.data[at] = down;
    }
    reorder(rendering, nest);
    Symbol outermost = nest->wanted.data[nest->wanted.length - 1];
    if (is_root)
        emit(rendering, reason_of_threads(reasons, nest->subject, choice), DIRECTIVE_PARALLEL,
             loop_of(nest, outermost));
    return (HostLoops){
        .tile = across, .block = rows_outside || !y ? x : y, .is_numbered = nest->is_numbered};
}

/* The reduction runs in lanes, or in stretches: partial results, which sugar makes. */
static void reduce_apart(Rendering *rendering, Nest *nest, bool is_root) {
    const Stage *stage = nest->subject->func->stages.data[nest->stage];
    const FuncChoice *choice = nest->choice;
    Reasons *reasons = &rendering->reasons;
    if (stage->reduction.length == 0)
        return;
    Symbol inner = stage->reduction.data[0].variable;
    Symbol outer = stage->reduction.data[stage->reduction.length - 1].variable;
    bool is_split = is_root;
    if (is_split) {
        int stretch = inner == outer ? 64 * choice->rows * choice->lanes : choice->rows;
        emit(rendering, reason_of_threads(reasons, nest->subject, choice), DIRECTIVE_PARALLEL,
             loop_of(nest, outer), number(rendering, stretch < 1 ? 1 : stretch));
        if (inner == outer)
            inner = with_ending(rendering, inner, "_i");
    }
    if (choice->sweep == SWEEP_LANES && choice->lanes > 1)
        emit(rendering, reason_of_partial(reasons, choice), DIRECTIVE_VECTORIZE,
             loop_of(nest, inner), number(rendering, choice->lanes * choice->vectors));
}

static DirectiveArgument loop_of_part(Symbol part, Symbol variable) {
    LoopReference reference = {.func = part, .variable = variable, .stage = 1};
    return (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = reference};
}

/* Neighbours of the reduction update tables of their own, so that an update need not wait for the one before;
 * stretches for the threads have theirs, too. */
static void reduce_in_tables(Rendering *rendering, Nest *nest) {
    const Stage *stage = nest->subject->func->stages.data[nest->stage];
    const FuncChoice *choice = nest->choice;
    Reasons *reasons = &rendering->reasons;
    Symbol func = nest->subject->func->shape->name, stretch = NULL;
    Symbol part = nest->stage == 1 ? with_ending(rendering, func, "_tables")
                                   : symbol_format(&rendering->context->symbols, "%s_tables%d",
                                                   func->text, nest->stage);
    Symbol across = stage->reduction.data[0].variable;
    Symbol down = stage->reduction.data[stage->reduction.length - 1].variable;
    if (down != across && choice->rows > 0 && rendering->decisions->threads > 1) {
        stretch = down;
        split_by(rendering, nest, DIRECTIVE_PARALLEL, &stretch, choice->rows,
                 reason_of_threads(reasons, nest->subject, choice));
    }
    Symbol table = split_by(rendering, nest, DIRECTIVE_UNROLL, &across, choice->vectors,
                            reason_of_tables(reasons, choice));
    if (stretch)
        emit(rendering, "", DIRECTIVE_RFACTOR, loop_of(nest, table), argument_name(table),
             loop_of(nest, stretch), argument_name(stretch), argument_name(part));
    else
        emit(rendering, "", DIRECTIVE_RFACTOR, loop_of(nest, table), argument_name(table),
             argument_name(part));
    Vec(DirectiveArgument) loops = {0};
    vec_push(rendering->arena, &loops, loop_of_part(part, table));
    for (size_t i = 0; i < nest->written.length; i++)
        if (nest->written.data[i] != table && nest->written.data[i] != stretch)
            vec_push(rendering->arena, &loops, loop_of_part(part, nest->written.data[i]));
    if (stretch)
        vec_push(rendering->arena, &loops, loop_of_part(part, stretch));
    emit_(rendering, "", DIRECTIVE_REORDER, loops.data, loops.length);
}

/* Unrolls a loop that is mostly so long: the copies, and around them a loop of one iteration. In other windows
 * a copy has a guard. Sets the loop to the outer one, and returns the inner one. */
static Symbol unroll_whole(Rendering *rendering, Nest *nest, Symbol *loop, int length) {
    bool is_shifted = nest->is_shifted;
    nest->is_shifted = false;
    Symbol copies = split_by(rendering, nest, DIRECTIVE_UNROLL, loop, length,
                             reason_of_copies(&rendering->reasons, length));
    nest->is_shifted = is_shifted;
    return copies;
}

/* The loops of a strip: those over the lanes' and the rows' dimension as they are split further, and the
 * parts that stay. Null: none. */
typedef struct StripLoops {
    Symbol x, y;
    Symbol block, tile, row, lines, lanes, inner, unrolled;
    Symbol others[MAX_DIMENSIONS]; /* over the other dimensions, and their copies */
    Symbol copies[MAX_DIMENSIONS];
} StripLoops;

/* Blocks of rows for the threads; without rows, blocks of points. */
static void split_rows(Rendering *rendering, Nest *nest, bool is_root, StripLoops *loops) {
    const DecisionSubject *subject = nest->subject;
    const FuncChoice *choice = nest->choice;
    const char *reason = reason_of_threads(&rendering->reasons, subject, choice);
    bool is_split = is_root && choice->rows > 0;
    if (is_split && loops->y) {
        loops->block = loops->y;
        if (choice_has_whole_strips(subject, choice)) {
            loops->row =
                split_by(rendering, nest, DIRECTIVE_SPLIT, &loops->block, choice->rows, reason);
            emit(rendering, "", DIRECTIVE_PARALLEL, loop_of(nest, loops->block));
        } else if (choice->rows > 1)
            loops->row =
                split_by(rendering, nest, DIRECTIVE_PARALLEL, &loops->block, choice->rows, reason);
        else
            emit(rendering, reason, DIRECTIVE_PARALLEL, loop_of(nest, loops->block));
    } else if (is_split && loops->x) {
        loops->block = loops->x;
        int chunk = choice->columns ? choice->columns : 64 * choice->lanes;
        loops->x = split_by(rendering, nest, DIRECTIVE_PARALLEL, &loops->block, chunk, reason);
    } else {
        loops->row = loops->y;
    }
    if (loops->row && choice_unrolls_lines(subject, choice)) {
        Symbol rows = loops->row;
        bool is_shifted = nest->is_shifted;
        nest->is_shifted = false; /* they divide a strip */
        loops->lines = split_by(rendering, nest, DIRECTIVE_UNROLL, &rows, choice->lines,
                                reason_of_lines(&rendering->reasons, choice));
        loops->row = rows;
        nest->is_shifted = is_shifted;
    }
    if (is_root && choice->columns > 0 && loops->y && loops->x) {
        loops->tile = loops->x;
        loops->x = split_by(rendering, nest, DIRECTIVE_SPLIT, &loops->tile, choice->columns,
                            reason_of_columns(&rendering->reasons, subject, choice));
    }
}

/* Whole blocks of vectors: the last one is shifted inwards. */
static void split_whole(Rendering *rendering, Nest *nest, StripLoops *loops) {
    const DecisionSubject *subject = nest->subject;
    const FuncChoice *choice = nest->choice;
    const Reasons *reasons = &rendering->reasons;
    loops->lanes = loops->x;
    loops->unrolled =
        split_by(rendering, nest, DIRECTIVE_SPLIT, &loops->lanes, choice->lanes * choice->vectors,
                 reason_of_whole(reasons, subject, choice));
    loops->inner = split_by(rendering, nest, DIRECTIVE_VECTORIZE, &loops->unrolled, choice->lanes,
                            reason_of_lanes(reasons, subject, choice));
    if (choice->vectors > 1)
        emit(rendering, reason_of_unrolling(reasons, choice), DIRECTIVE_UNROLL,
             loop_of(nest, loops->unrolled));
}

static void split_lanes(Rendering *rendering, Nest *nest, StripLoops *loops) {
    const DecisionSubject *subject = nest->subject;
    const FuncChoice *choice = nest->choice;
    const Reasons *reasons = &rendering->reasons;
    bool is_shifted = nest->is_shifted;
    if (!loops->x || choice->lanes == 1) {
        loops->inner = loops->x;
        return;
    }
    if (choice->whole && !loops->tile) {
        split_whole(rendering, nest, loops);
        return;
    }
    nest->is_shifted = false; /* a tile is whole, and its vectors divide it */
    loops->lanes = loops->x;
    loops->inner = split_by(rendering, nest, DIRECTIVE_VECTORIZE, &loops->lanes, choice->lanes,
                            reason_of_lanes(reasons, subject, choice));
    if (choice->vectors > 1)
        loops->unrolled = split_by(rendering, nest, DIRECTIVE_UNROLL, &loops->lanes,
                                   choice->vectors, reason_of_unrolling(reasons, choice));
    nest->is_shifted = is_shifted;
}

/* The loops over the dimensions that are neither the lanes' nor the rows'. */
static void split_others(Rendering *rendering, Nest *nest, StripLoops *loops) {
    const DecisionSubject *subject = nest->subject;
    for (int d = 0; d < subject->func->shape->dimensions; d++) {
        Symbol *other = &loops->others[d];
        *other = d == subject->lane || d == subject->row ? NULL : variable_of(nest, d);
        if (*other && nest->choice->order == ORDER_UNROLLED && subject_is_short(subject, d))
            loops->copies[d] = unroll_whole(rendering, nest, other, (int)subject->length[d]);
    }
}

static void want_all(Rendering *rendering, Nest *nest, const Symbol *loops) {
    for (int d = 0; d < MAX_DIMENSIONS; d++)
        want(rendering, nest, loops[d]);
}

/* The order, from the innermost loop to the outermost. */
static void order_strip(Rendering *rendering, Nest *nest, const StripLoops *loops) {
    const FuncChoice *choice = nest->choice;
    want(rendering, nest, loops->inner);
    want(rendering, nest, loops->unrolled);
    want(rendering, nest, loops->lines);
    if (choice->sweep != SWEEP_ROWS)
        want_rest(rendering, nest, true);
    want_all(rendering, nest, loops->copies);
    if (choice->order == ORDER_VECTORS)
        want_all(rendering, nest, loops->others);
    want(rendering, nest, loops->lanes);
    if (choice->order == ORDER_ROWS)
        want_all(rendering, nest, loops->others);
    want_rest(rendering, nest, true);
    want(rendering, nest, loops->row);
    want(rendering, nest, loops->tile);
    if (choice->order != ORDER_OUTSIDE || loops->block != loops->row)
        want(rendering, nest, loops->block);
    want_rest(rendering, nest, false);
    reorder(rendering, nest);
}

/* Strips of rows or tiles, in vectors; the loops of a reduction inside or around the rows. */
static HostLoops strips(Rendering *rendering, Nest *nest, bool is_root) {
    StripLoops loops = {.x = variable_of(nest, nest->subject->lane),
                        .y = variable_of(nest, nest->subject->row)};
    split_rows(rendering, nest, is_root, &loops);
    split_lanes(rendering, nest, &loops);
    split_others(rendering, nest, &loops);
    order_strip(rendering, nest, &loops);
    return (HostLoops){.block = loops.tile ? loops.tile : loops.block,
                       .row = loops.row,
                       .lanes = loops.lanes,
                       .is_numbered = nest->is_numbered};
}

static HostLoops render_stage(Rendering *rendering, int func, size_t stage, bool is_shifted) {
    Nest nest = stage_nest(rendering, func, stage);
    const FuncChoice *choice = nest.choice;
    bool is_specialized = choice->whole && nest.subject->is_output;
    nest.copy = is_specialized && is_shifted;
    nest.is_shifted = choice->whole && (is_shifted || !is_specialized);
    bool is_root = choice->placement == PLACE_ROOT;
    bool has_lane = variable_of(&nest, nest.subject->lane) && choice->lanes > 1;
    if (stage > 0 && (choice->sweep == SWEEP_LANES || choice->sweep == SWEEP_STRETCHES)) {
        reduce_apart(rendering, &nest, is_root);
        return (HostLoops){0};
    }
    if (choice->sweep == SWEEP_TABLES && is_root &&
        stage_scatters(nest.subject->func->stages.data[stage], nest.subject->func->shape)) {
        reduce_in_tables(rendering, &nest);
        return (HostLoops){0};
    }
    bool is_tile = stage > 0 ? choice->sweep == SWEEP_TILE : choice->registers;
    return is_tile && has_lane ? tile_of_registers(rendering, &nest, is_root)
                               : strips(rendering, &nest, is_root);
}

/* ---- funcs ---- */

static void render_inline(Rendering *rendering, int func) {
    const DecisionSubject *subject = &rendering->decisions->subjects[func];
    emit(rendering, reason_of_inlining(&rendering->reasons, subject), DIRECTIVE_INLINE,
         argument_func_named(subject->func->shape->name));
}

/* One copy for windows that have a whole block, which shifts its last one, and one for others. Both have
 * the same loops. */
static void render_specialize(Rendering *rendering, int func) {
    const FuncChoice *choice = &rendering->choices[func];
    const DecisionSubject *subject = &rendering->decisions->subjects[func];
    Symbol name = subject->func->shape->name;
    int line = subject->lane == 0 ? 1 : 0;
    Expr condition = NULL;
    const char *text = "";
    int columns, lines;
    choice_whole_block(subject, choice, &columns, &lines);
    add_extent(rendering, &condition, &text, name, subject->lane, columns);
    if (lines > 1 && line < subject->func->shape->dimensions)
        add_extent(rendering, &condition, &text, name, line, lines);
    DirectiveArgument argument = {.kind = ARGUMENT_EXPR, .expr = condition, .text = text};
    emit(rendering, reason_of_whole(&rendering->reasons, subject, choice), DIRECTIVE_SPECIALIZE,
         argument_func_named(name), argument);
}

static void render_level(Rendering *rendering, int func) {
    const FuncChoice *choice = &rendering->choices[func];
    const DecisionSubject *subject = &rendering->decisions->subjects[func];
    Reader host;
    if (choice->placement == PLACE_ROOT ||
        !decisions_host(rendering->decisions, rendering->choices, func, &host))
        return;
    const HostLoops *loops = &rendering->hosts[host.func][host.stage];
    Symbol block = loops->block, row = loops->row ? loops->row : block;
    Symbol at = choice->placement == PLACE_TILE    ? (loops->tile ? loops->tile : block)
                : choice->placement == PLACE_BLOCK ? block
                : choice->placement == PLACE_LANES ? loops->lanes
                                                   : row;
    Nest nest = {.subject = &rendering->decisions->subjects[host.func],
                 .stage = host.stage,
                 .is_numbered = loops->is_numbered};
    if (!at)
        return;
    DirectiveArgument name = argument_func_named(subject->func->shape->name);
    const char *reason =
        reason_of_level(&rendering->reasons, subject, choice, nest.subject, at->text);
    if (choice->placement == PLACE_SLIDE && block && block != at) {
        emit(rendering, reason, DIRECTIVE_STORE_AT, name, loop_of(&nest, block));
        reason = "";
    } else if (choice->placement == PLACE_SLIDE && !block) {
        emit(rendering, reason, DIRECTIVE_STORE_ROOT, name);
        reason = "";
    }
    emit(rendering, reason, DIRECTIVE_COMPUTE_AT, name, loop_of(&nest, at));
}

/* What is extended comes first. */
static void render_base(Rendering *rendering) {
    const Schedule *base = rendering->decisions->base;
    Rendered *out = rendering->out;
    for (size_t i = 0; base && i < base->directives.length; i++) {
        vec_push(rendering->arena, &out->schedule->directives, base->directives.data[i]);
        vec_push(rendering->arena, &out->reasons, "as it was");
    }
}

Rendered *render(const Decisions *decisions, const FuncChoice *choices, Symbol name,
                 const Estimate *estimate, const Estimate *empty, Arena *arena) {
    const Pipeline *pipeline = decisions->pipeline;
    Rendering rendering = {.decisions = decisions,
                           .choices = choices,
                           .context = pipeline->pool->context,
                           .pool = pipeline->pool,
                           .arena = arena,
                           .out = arena_new(arena, Rendered),
                           .hosts = arena_array(arena, HostLoops *, decisions->count),
                           .reasons = {arena, estimate, empty, decisions->threads}};
    Schedule *schedule = arena_new(arena, Schedule);
    schedule->name = name;
    schedule->pipeline = pipeline->signature.name;
    rendering.out->schedule = schedule;
    render_base(&rendering);
    for (int f = decisions->count; f-- > 0;) {
        const DecisionSubject *subject = &decisions->subjects[f];
        rendering.hosts[f] = arena_array(arena, HostLoops, subject->func->stages.length);
        if (choices[f].placement == PLACE_INLINE) {
            render_inline(&rendering, f);
            continue;
        }
        if (subject->is_fixed)
            continue;
        render_level(&rendering, f);
        if (choices[f].whole && subject->is_output) {
            render_specialize(&rendering, f);
            render_stage(&rendering, f, 0, true);
        }
        for (size_t s = 0; s < subject->func->stages.length; s++)
            rendering.hosts[f][s] = render_stage(&rendering, f, s, false);
    }
    return rendering.out;
}
