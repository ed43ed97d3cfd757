/* best_moves.c -- hlc_best_moves: the next directives that the model of hlc_schedule predicts to bring
 * most.
 *
 * Each move is appended, lowered and estimated, as the candidates of the autoscheduler are. Of many
 * candidates, those are judged and estimated that are about the funcs with most predicted cycles: a large
 * pipeline has thousands, and to judge one takes milliseconds. A move is shown only
 * if the longer schedule accepts all sizes that the schedule accepts: a bound of 4 would win otherwise.
 *
 * A tile in vectors takes several directives, and none of them helps alone: they are one move. The model
 * does not count the cache lines of code without vectors, so it does not see what tiles save. Hence the
 * best may be measured: the model then only says which are.
 */
#include "library/schedule/estimates.h"
#include "library/schedule/machine.h"
#include "library/show/moves.h"

#include "autoschedule/contract_gate.h"
#include "lower/moves.h"
#include "schedule/directive_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A move must save so much to be shown. */
enum { MOST_SHOWN = 10, MOST_ESTIMATED = 600, LEAST_ESTIMATED = 60, ESTIMATED_FUNCS = 8000 };
static const double LEAST_GAIN = 0.005, LEAST_MEASURED_GAIN = 0.02;

/* Beside those that the model prefers, so many tiles are measured. */
enum { TILE = 32, TILE_LANES = 16, MOST_TILES = 4 };

typedef struct BestMoves {
    hlc *h;
    const char *pipeline_name, *schedule_name;
    const Pipeline *pipeline;
    const Schedule *schedule; /* null: the empty one */
    hlc_arguments *sizes;
    double seconds; /* 0: nothing is measured */
    AutoscheduleRequest model;
    const Lowered *lowered; /* the schedule as it is, up to its checks */
    FILE *out;
} BestMoves;

static int by_number(const RankedMove *left, const RankedMove *right) {
    return left->number < right->number ? -1 : 1;
}

static int by_weight(const void *a, const void *b) {
    const RankedMove *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return by_number(left, right);
}

static int by_cycles(const void *a, const void *b) {
    const RankedMove *left = a, *right = b;
    bool is_left = left->cycles >= 0, is_right = right->cycles >= 0;
    if (is_left != is_right)
        return is_left ? -1 : 1;
    if (left->cycles != right->cycles)
        return left->cycles > right->cycles ? 1 : -1;
    return by_number(left, right);
}

static int by_time(const void *a, const void *b) {
    const RankedMove *left = *(RankedMove *const *)a, *right = *(RankedMove *const *)b;
    bool is_left = left->time >= 0, is_right = right->time >= 0;
    if (is_left != is_right)
        return is_left ? -1 : 1;
    if (left->time != right->time)
        return left->time > right->time ? 1 : -1;
    return by_number(left, right);
}

/* ---- judging ---- */

/* Calls `judge` on the longer schedule. What it makes and reports is dropped. */
typedef double JudgeMove(const BestMoves *best, const Schedule *longer, Arena *arena);

static double judge(const BestMoves *best, const RankedMove *move, JudgeMove *judge_move) {
    Context *context = best->h->context;
    DiagMark before = diag_mark(context);
    Arena *arena = arena_create(&context->memory);
    const Schedule *longer = moves_append(best->h, best->pipeline, best->schedule, move, arena);
    pool_trial_begin(&best->h->trial, best->pipeline->pool, arena);
    double answer = judge_move(best, longer, arena);
    pool_trial_end(&best->h->trial);
    arena_destroy(arena);
    diag_drop(context, before);
    return answer;
}

/* Cycles of the whole; negative if it is refused. */
static double cycles_of(const BestMoves *best, const Schedule *longer, Arena *arena) {
    const Estimate *estimate = autoschedule_estimate(best->pipeline, longer, &best->model, arena);
    return estimate ? estimate->cycles : -1;
}

/* Does it accept all sizes that the schedule accepts? */
static double keeps_sizes(const BestMoves *best, const Schedule *longer, Arena *arena) {
    const char *clause;
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    const Lowered *after = lower(best->pipeline, longer, arena, &options);
    return after && contract_is_kept(best->lowered->program, after->program, arena, &clause);
}

/* ---- what is shown ---- */

static bool is_tile(const RankedMove *move) {
    return move->directives.length > 1 && !move->replaces;
}

static const char *move_text(Arena *arena, const RankedMove *move) {
    const char *text = "";
    for (size_t i = 0; i < move->directives.length; i++)
        text = arena_format(arena, "%s%s%s;", text, i ? "  " : "",
                            directive_text(arena, &move->directives.data[i]));
    return text;
}

/* "out.s0.y" of "parallel(out.s0.y, 32)". */
static size_t subject_of(const char *text, const char **subject) {
    *subject = strchr(text, '(') + 1;
    return strcspn(*subject, ",)");
}

static const char *replaces_text(const BestMoves *best, const RankedMove *move) {
    bool drops = false;
    for (size_t i = 0; best->schedule && i < best->schedule->directives.length; i++)
        drops |= moves_drops(move, &best->schedule->directives.data[i]);
    if (!drops)
        return "";
    return move->directives.length > 1 ? "; instead of all directives about them"
                                       : "; instead of all directives about it";
}

typedef struct ShownMoves {
    RankedMove *moves[MOST_SHOWN + MOST_TILES];
    size_t count;
} ShownMoves;

/* Does a shown move stand for this one: the same directive with another number, or the same gain for
 * the same loop? */
static bool is_told(Arena *arena, const ShownMoves *shown, const RankedMove *move) {
    const char *mine, *other;
    size_t length = subject_of(move_text(arena, move), &mine);
    for (size_t i = 0; i < shown->count; i++) {
        const RankedMove *told = shown->moves[i];
        bool is_alike = is_tile(told) == is_tile(move) && told->replaces == move->replaces &&
                        told->directives.length == move->directives.length &&
                        (told->directives.data[0].kind == move->directives.data[0].kind ||
                         told->cycles == move->cycles);
        if (is_alike && subject_of(move_text(arena, told), &other) == length &&
            strncmp(mine, other, length) == 0)
            return true;
    }
    return false;
}

/* Takes moves from the best on, below `most` cycles: all kinds, or tiles alone. */
static void take_best(const BestMoves *best, RankedMoves *moves, size_t estimated, double most,
                      bool tiles, size_t room, ShownMoves *shown) {
    size_t full = shown->count + room;
    for (size_t i = 0; i < estimated && shown->count < full; i++) {
        RankedMove *move = &moves->data[i];
        if (move->cycles >= 0 && move->cycles < most && (!tiles || is_tile(move)) &&
            !is_told(best->h->scratch, shown, move) && judge(best, move, keeps_sizes))
            shown->moves[shown->count++] = move;
    }
}

static void print_end(const BestMoves *best, size_t estimated, bool are_all) {
    fprintf(best->out, "// %s, with %d thread%s; ", best->seconds > 0 ? "measured" : "by the model",
            best->model.threads, best->model.threads == 1 ? "" : "s");
    if (are_all)
        fprintf(best->out, "%zu directives may come next; --all prints them\n", estimated);
    else
        fprintf(best->out,
                "%zu directives were estimated, of the funcs that take most of the time; --all "
                "prints all\n",
                estimated);
}

static void print_predicted(const BestMoves *best, RankedMoves *moves, size_t estimated,
                            double now) {
    ShownMoves shown = {.count = 0};
    take_best(best, moves, estimated, now * (1 - LEAST_GAIN), false, MOST_SHOWN, &shown);
    for (size_t i = 0; i < shown.count; i++)
        fprintf(best->out, "%-44s // %.2f of the time%s\n",
                move_text(best->h->scratch, shown.moves[i]), shown.moves[i]->cycles / now,
                replaces_text(best, shown.moves[i]));
    if (shown.count == 0)
        fputs("// no directive alone is predicted to make it faster on all sizes\n", best->out);
}

static hlc_status print_measured(const BestMoves *best, RankedMoves *moves, size_t estimated,
                                 double now) {
    ShownMoves shown = {.count = 0};
    size_t faster = 0;
    take_best(best, moves, estimated, INFINITY, false, MOST_SHOWN, &shown);
    take_best(best, moves, estimated, INFINITY, true, MOST_TILES, &shown);
    hlc_status status = moves_measure(best->h, best->schedule, best->schedule_name, best->sizes,
                                      best->model.threads, best->seconds, shown.moves, shown.count);
    if (status != HLC_YES)
        return status;
    qsort(shown.moves, shown.count, sizeof *shown.moves, by_time);
    for (size_t i = 0; i < shown.count && faster < MOST_SHOWN; i++) {
        const RankedMove *move = shown.moves[i];
        if (move->time < 0 || move->time > 1 - LEAST_MEASURED_GAIN)
            continue;
        fprintf(best->out, "%-44s // %.2f of the time; %.2f by the model%s\n",
                move_text(best->h->scratch, move), move->time, move->cycles / now,
                replaces_text(best, move));
        faster++;
    }
    if (faster == 0)
        fprintf(best->out, "// of %zu that were measured, none makes it faster\n", shown.count);
    return HLC_YES;
}

/* ---- all moves ---- */

static Directive directive_of(Arena *arena, DirectiveKind kind, DirectiveArgument loop,
                              const DirectiveArgument *number) {
    Directive directive = {.kind = kind};
    vec_push(arena, &directive.arguments, loop);
    if (number)
        vec_push(arena, &directive.arguments, *number);
    return directive;
}

static DirectiveArgument constant(const BestMoves *best, int value) {
    NumberChoice number = {arena_format(best->h->scratch, "%d", value),
                           expr_index(best->pipeline->pool, value)};
    return argument_number(&number);
}

/* From tile(x, y, xo, yo, xi, yi, 32, 4): a square one, in vectors, its rows on all threads. */
static bool tile_in_vectors(const BestMoves *best, const Directive *tile, Directives *directives) {
    enum { X, Y, XO, YO, XI, YI, X_FACTOR, Y_FACTOR, ALL };
    Arena *arena = best->h->scratch;
    int64_t columns;
    if (tile->kind != DIRECTIVE_TILE || tile->arguments.length != ALL ||
        !expr_constant_integer(tile->arguments.data[X_FACTOR].expr, &columns) || columns != TILE)
        return false;
    Directive square = {.kind = tile->kind};
    for (size_t i = 0; i < ALL; i++)
        vec_push(arena, &square.arguments,
                 i < X_FACTOR ? tile->arguments.data[i] : constant(best, TILE));
    DirectiveArgument x = tile->arguments.data[X], y = tile->arguments.data[Y];
    DirectiveArgument lanes = constant(best, TILE_LANES);
    x.loop.variable = tile->arguments.data[XI].name;
    y.loop.variable = tile->arguments.data[YO].name;
    vec_push(arena, directives, square);
    vec_push(arena, directives, directive_of(arena, DIRECTIVE_VECTORIZE, x, &lanes));
    if (best->model.threads > 1)
        vec_push(arena, directives, directive_of(arena, DIRECTIVE_PARALLEL, y, NULL));
    return true;
}

/* Puts all candidates into `ranked`, and the tiles. */
static void weigh(const BestMoves *best, const Directives *moves, const Estimate *now,
                  RankedMoves *ranked) {
    Arena *arena = best->h->scratch;
    for (size_t i = 0; i < moves->length; i++) {
        const Directive *directive = &moves->data[i];
        Symbol func = argument_func(&directive->arguments.data[0]);
        const FuncEstimate *of = func ? estimate_of(now, func) : NULL;
        /* `parallel` and `vectorize` say it shorter. A fused loop divides in each iteration, and its masks
         * are those of rows that the model no longer sees: it would come first, and is measured slower. */
        bool is_left = directive->kind == DIRECTIVE_TRAVERSE || directive->kind == DIRECTIVE_FUSE ||
                       directive_info(directive->kind)->phase == PHASE_BOUNDS;
        RankedMove move = {.weight = is_left ? -1
                                     : of    ? of->cycles
                                             : 0,
                           .cycles = -1,
                           .time = -1,
                           .number = ranked->length};
        vec_push(arena, &move.directives, *directive);
        vec_push(arena, ranked, move);
        RankedMove tile = {
            .weight = move.weight, .cycles = -1, .time = -1, .number = ranked->length};
        if (tile_in_vectors(best, directive, &tile.directives))
            vec_push(arena, ranked, tile);
    }
}

/* Is the first directive of the move one that may come next? The rest of a tile, and what replaces
 * others, is judged when it is estimated. */
static bool is_legal(const BestMoves *best, const RankedMove *move) {
    return move->replaces ||
           lower_accepts_move(best->pipeline, best->schedule, &move->directives.data[0]);
}

/* Estimates the legal moves of most weight, until there are so many. Illegal ones stay without an
 * estimate. Returns how many single directives are legal, and in `end` where it stopped. */
static size_t estimate_moves(const BestMoves *best, RankedMoves *ranked, size_t *end) {
    size_t most = ESTIMATED_FUNCS / (best->pipeline->funcs.length + 1), count = 0, singles = 0, i;
    most = most < LEAST_ESTIMATED ? LEAST_ESTIMATED : most > MOST_ESTIMATED ? MOST_ESTIMATED : most;
    for (i = 0; i < ranked->length && count < most; i++) {
        RankedMove *move = &ranked->data[i];
        if (!is_legal(best, move))
            continue;
        if (move->weight >= 0)
            move->cycles = judge(best, move, cycles_of);
        count++;
        singles += !is_tile(move) && !move->replaces;
    }
    *end = i;
    return singles;
}

static hlc_status show_best(hlc *h, void *data) {
    BestMoves *best = data;
    Directives moves = {0};
    best->h = h;
    best->pipeline = compiler_pipeline(h, best->pipeline_name);
    if (!best->pipeline ||
        !compiler_schedule(h, best->pipeline, best->schedule_name, &best->schedule) ||
        !moves_propose(h, best->pipeline, best->schedule_name, &moves))
        return HLC_USER;
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    best->lowered = lower(best->pipeline, best->schedule, h->scratch, &options);
    Estimates estimates = estimates_of(h, best->pipeline, best->sizes);
    best->model.machine = machine_of(h);
    best->model.startup = estimates_value;
    best->model.data = &estimates;
    const Estimate *now =
        autoschedule_estimate(best->pipeline, best->schedule, &best->model, h->scratch);
    if (!now || !best->lowered)
        return HLC_USER;
    RankedMoves ranked = {0};
    weigh(best, &moves, now, &ranked);
    moves_add_inlines(best->pipeline, best->schedule, now, h->scratch, &ranked);
    qsort(ranked.data, ranked.length, sizeof *ranked.data, by_weight);
    size_t end, count = estimate_moves(best, &ranked, &end);
    qsort(ranked.data, ranked.length, sizeof *ranked.data, by_cycles);
    hlc_status status = HLC_YES;
    if (best->seconds > 0)
        status = print_measured(best, &ranked, end, now->cycles);
    else
        print_predicted(best, &ranked, end, now->cycles);
    if (status == HLC_YES)
        print_end(best, count, end == ranked.length);
    return status;
}

hlc_status hlc_best_moves(hlc *h, const char *pipeline, const char *schedule, int threads,
                          hlc_arguments *sizes, double seconds, FILE *out) {
    if (!out || (seconds > 0 && !sizes))
        return compiler_null(h, out ? "sizes" : "out");
    BestMoves best = {.pipeline_name = pipeline,
                      .schedule_name = schedule,
                      .sizes = sizes,
                      .seconds = seconds,
                      .model = {.threads = threads > 0 ? threads : hlc_thread_count()},
                      .out = out};
    return compiler_enter(h, show_best, &best);
}
