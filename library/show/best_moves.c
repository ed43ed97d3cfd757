/* best_moves.c -- hlc_best_moves: the next directives that the model of hlc_schedule predicts to bring
 * most.
 *
 * Each move is appended, lowered and estimated, as the candidates of the autoscheduler are. Of many
 * moves, those are estimated that are about the funcs with most predicted cycles. A move is shown only
 * if the longer schedule accepts all sizes that the schedule accepts: a bound of 4 would win otherwise.
 */
#include "library/schedule/estimates.h"
#include "library/schedule/machine.h"
#include "library/show/moves.h"

#include "autoschedule/contract_gate.h"
#include "lower/moves.h"

#include <stdlib.h>
#include <string.h>

/* Some that are not shown are counted. A move must save so much to be shown. */
enum { MOST_SHOWN = 10, MOST_ESTIMATED = 600, LEAST_ESTIMATED = 60, ESTIMATED_FUNCS = 8000 };
static const double LEAST_GAIN = 0.005;

typedef struct RankedMove {
    const Directive *directive;
    double weight; /* cycles of its func, as they are now; negative: it is left out */
    double cycles; /* of the whole, with it; negative: not estimated */
    size_t number; /* in the list of moves */
} RankedMove;

typedef struct BestMoves {
    hlc *h;
    const char *pipeline_name, *schedule_name;
    const Pipeline *pipeline;
    const Schedule *schedule; /* null: the empty one */
    hlc_arguments *sizes;
    AutoscheduleRequest model;
    FILE *out;
} BestMoves;

static int by_weight(const void *a, const void *b) {
    const RankedMove *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return left->number < right->number ? -1 : 1;
}

static int by_cycles(const void *a, const void *b) {
    const RankedMove *left = a, *right = b;
    bool is_left = left->cycles >= 0, is_right = right->cycles >= 0;
    if (is_left != is_right)
        return is_left ? -1 : 1;
    if (left->cycles != right->cycles)
        return left->cycles > right->cycles ? 1 : -1;
    return left->number < right->number ? -1 : 1;
}

/* The schedule with the move at its end. */
static Schedule *with_move(hlc *h, const Pipeline *pipeline, const Schedule *schedule,
                           const Directive *move, Arena *arena) {
    Schedule *longer = arena_new(arena, Schedule);
    longer->name = context_symbol(h->context, "move");
    longer->pipeline = pipeline->signature.name;
    for (size_t i = 0; schedule && i < schedule->directives.length; i++)
        vec_push(arena, &longer->directives, schedule->directives.data[i]);
    vec_push(arena, &longer->directives, *move);
    return longer;
}

/* Calls `judge` on the longer schedule. What it makes and reports is dropped. */
typedef double JudgeMove(const BestMoves *best, const Schedule *longer, Arena *arena);

static double judge(const BestMoves *best, const Directive *move, JudgeMove *judge_move) {
    Context *context = best->h->context;
    DiagMark before = diag_mark(context);
    Arena *arena = arena_create(&context->memory);
    const Schedule *longer = with_move(best->h, best->pipeline, best->schedule, move, arena);
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
    const Lowered *before = lower(best->pipeline, best->schedule, arena, &options);
    const Lowered *after = before ? lower(best->pipeline, longer, arena, &options) : NULL;
    return after && contract_is_kept(before->program, after->program, arena, &clause);
}

/* "out.s0.y" of "parallel(out.s0.y, 32)". */
static size_t subject_of(const char *text, const char **subject) {
    *subject = strchr(text, '(') + 1;
    return strcspn(*subject, ",)");
}

/* Does a shown move stand for this one: the same directive with another number, or the same gain for
 * the same loop? */
static bool is_told(Arena *arena, const RankedMove *const *shown, size_t count,
                    const RankedMove *move) {
    const char *mine, *other;
    size_t length = subject_of(directive_text(arena, move->directive), &mine);
    for (size_t i = 0; i < count; i++) {
        bool is_alike =
            shown[i]->directive->kind == move->directive->kind || shown[i]->cycles == move->cycles;
        if (is_alike && subject_of(directive_text(arena, shown[i]->directive), &other) == length &&
            strncmp(mine, other, length) == 0)
            return true;
    }
    return false;
}

static void print_best(const BestMoves *best, const RankedMove *moves, size_t count,
                       size_t estimated, double now) {
    size_t shown = 0;
    const RankedMove *told[MOST_SHOWN];
    Arena *arena = best->h->scratch;
    for (size_t i = 0; i < estimated && shown < MOST_SHOWN && moves[i].cycles >= 0 &&
                       moves[i].cycles < now * (1 - LEAST_GAIN);
         i++) {
        if (is_told(arena, told, shown, &moves[i]) || !judge(best, moves[i].directive, keeps_sizes))
            continue;
        fprintf(best->out, "%-44s // %.2f of the time\n",
                arena_format(arena, "%s;", directive_text(arena, moves[i].directive)),
                moves[i].cycles / now);
        told[shown++] = &moves[i];
    }
    if (shown == 0)
        fputs("// no directive alone is predicted to make it faster on all sizes\n", best->out);
    fprintf(best->out, "// by the model, with %d thread%s; %zu directives may come next",
            best->model.threads, best->model.threads == 1 ? "" : "s", count);
    if (estimated < count)
        fprintf(best->out, ", of which %zu were estimated", estimated);
    fputs("; --all prints them\n", best->out);
}

static hlc_status show_best(hlc *h, void *data) {
    BestMoves *best = data;
    Directives moves = {0};
    best->h = h;
    best->pipeline = compiler_pipeline(h, best->pipeline_name);
    if (!best->pipeline ||
        !compiler_schedule(h, best->pipeline, best->schedule_name, &best->schedule) ||
        !moves_list(h, best->pipeline, best->schedule_name, &moves))
        return HLC_USER;
    Estimates estimates = estimates_of(h, best->pipeline, best->sizes);
    best->model.machine = machine_of(h);
    best->model.startup = estimates_value;
    best->model.data = &estimates;
    const Estimate *now =
        autoschedule_estimate(best->pipeline, best->schedule, &best->model, h->scratch);
    if (!now)
        return HLC_USER;
    RankedMove *ranked = arena_array(h->scratch, RankedMove, moves.length + 1);
    for (size_t i = 0; i < moves.length; i++) {
        Symbol func = argument_func(&moves.data[i].arguments.data[0]);
        const FuncEstimate *of = func ? estimate_of(now, func) : NULL;
        DirectiveKind kind = moves.data[i].kind;
        /* `parallel` and `vectorize` say it shorter. */
        bool is_left = kind == DIRECTIVE_TRAVERSE || directive_info(kind)->phase == PHASE_BOUNDS;
        ranked[i] = (RankedMove){&moves.data[i], is_left ? -1 : of ? of->cycles : 0, -1, i};
    }
    qsort(ranked, moves.length, sizeof *ranked, by_weight);
    size_t most = ESTIMATED_FUNCS / (best->pipeline->funcs.length + 1);
    most = most < LEAST_ESTIMATED ? LEAST_ESTIMATED : most > MOST_ESTIMATED ? MOST_ESTIMATED : most;
    size_t estimated = moves.length < most ? moves.length : most;
    for (size_t i = 0; i < estimated; i++)
        if (ranked[i].weight >= 0)
            ranked[i].cycles = judge(best, ranked[i].directive, cycles_of);
    qsort(ranked, moves.length, sizeof *ranked, by_cycles);
    print_best(best, ranked, moves.length, estimated, now->cycles);
    return HLC_YES;
}

hlc_status hlc_best_moves(hlc *h, const char *pipeline, const char *schedule, int threads,
                          hlc_arguments *sizes, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    BestMoves best = {.pipeline_name = pipeline,
                      .schedule_name = schedule,
                      .sizes = sizes,
                      .model = {.threads = threads > 0 ? threads : hlc_thread_count()},
                      .out = out};
    return compiler_enter(h, show_best, &best);
}
