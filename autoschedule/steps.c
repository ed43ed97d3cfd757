/* steps.c -- the starting points of a search, and the changes of one func's choice.
 *
 * A starting point is a template for the whole pipeline. A change is another placement, shape of
 * blocks, number of lanes, order or sweep. A func that moves into the loops of another one takes its
 * producers along in a second try. */
#include "autoschedule/search.h"

#include <string.h>

enum {
    LEAST_LANES = 4,
    MOST_TABLES = 4,  /* more than hide the latency of an update fill the first cache */
    LONG_STRETCH = 32 /* rows of a reduction: a func of few rows has many of these */
};

/* ---- starting points ---- */

static void set_start(ScheduleSearch *search, Start start) {
    for (int f = 0; f < search->decisions->count; f++) {
        const DecisionSubject *subject = &search->decisions->subjects[f];
        FuncChoice choice = decisions_plain(search->decisions, f);
        bool is_inlined = start == START_INLINED ? subject->is_inlinable
                                                 : start != START_ROOT && subject->is_cheap;
        if (is_inlined)
            choice.placement = PLACE_INLINE;
        else if (subject->is_output || subject->is_fixed)
            choice.placement = PLACE_ROOT;
        else if (start == START_BLOCKS || start == START_INLINED)
            choice.placement = PLACE_BLOCK;
        else if (start == START_SLIDING)
            choice.placement = PLACE_SLIDE;
        else if (start == START_ROWS)
            choice.placement = PLACE_ROW;
        search->trying[f] = choice;
    }
}

/* ---- steps ---- */

static void begin_step(ScheduleSearch *search) {
    memcpy(search->trying, search->best, choices_size(search));
}

static bool try_choice(ScheduleSearch *search, int f, FuncChoice choice) {
    begin_step(search);
    search->trying[f] = choice;
    return candidate_try(search);
}

/* Does the func read this one, whose placement can be changed? */
static bool is_read_by(const DecisionSubject *producer, int f) {
    for (size_t r = 0; r < producer->readers.length; r++)
        if (producer->readers.data[r].func == f && !producer->is_output && !producer->is_fixed)
            return true;
    return false;
}

static void try_placements(ScheduleSearch *search, int f) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (subject->is_output || subject->is_fixed)
        return;
    static const Placement PLACEMENTS[] = {PLACE_ROOT, PLACE_INLINE, PLACE_TILE, PLACE_BLOCK,
                                           PLACE_ROW,  PLACE_SLIDE,  PLACE_LANES};
    for (size_t i = 0; i < sizeof PLACEMENTS / sizeof *PLACEMENTS; i++) {
        FuncChoice choice = search->best[f];
        if (choice.placement == PLACEMENTS[i] ||
            (PLACEMENTS[i] == PLACE_INLINE && !subject->is_inlinable))
            continue;
        choice.placement = PLACEMENTS[i];
        if (try_choice(search, f, choice))
            continue;
        /* The same with its producers that are at root. Those of a func at root go into its blocks. */
        if (choice.placement != PLACE_BLOCK && choice.placement != PLACE_SLIDE &&
            choice.placement != PLACE_ROOT)
            continue;
        Placement along = choice.placement == PLACE_ROOT ? PLACE_BLOCK : choice.placement;
        begin_step(search);
        search->trying[f] = choice;
        for (int p = 0; p < f; p++) {
            if (is_read_by(&search->decisions->subjects[p], f) &&
                search->trying[p].placement == PLACE_ROOT)
                search->trying[p].placement = along;
        }
        candidate_try(search);
    }
}

static void try_blocks(ScheduleSearch *search, int f) {
    static const int ROWS[] = {1, 4, 8, 16, 32, 64, 128}, COLUMNS[] = {0, 32, 128, 256, 512};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (search->best[f].placement != PLACE_ROOT || subject->lane < 0)
        return;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        FuncChoice choice = search->best[f];
        double length = subject->length[subject->row < 0 ? subject->lane : subject->row];
        choice.rows = ROWS[i];
        if (choice.rows != search->best[f].rows && choice.rows <= length)
            try_choice(search, f, choice);
    }
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        FuncChoice choice = search->best[f];
        choice.columns = COLUMNS[i];
        if (choice.columns != search->best[f].columns &&
            choice.columns < subject->length[subject->lane])
            try_choice(search, f, choice);
    }
    FuncChoice serial = search->best[f];
    serial.rows = 0;
    if (search->best[f].rows)
        try_choice(search, f, serial);
}

static void try_lanes(ScheduleSearch *search, int f) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (subject->lane < 0 || subject->length[subject->lane] < LEAST_LANES)
        return;
    for (int times = 1; times <= 8; times *= 2) {
        FuncChoice choice = search->best[f];
        choice.lanes = subject->natural_lanes * times / 4;
        if (choice.lanes < 2 || choice.lanes > 64 || choice.lanes == search->best[f].lanes)
            continue;
        try_choice(search, f, choice);
    }
    FuncChoice scalar = search->best[f];
    scalar.lanes = 1;
    if (search->best[f].lanes > 1)
        try_choice(search, f, scalar);
}

static void try_orders(ScheduleSearch *search, int f) {
    static const OtherLoops ORDERS[] = {ORDER_OUTSIDE, ORDER_ROWS, ORDER_VECTORS, ORDER_UNROLLED};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    int dimensions = subject->func->shape->dimensions;
    bool is_short = false;
    for (int d = 0; d < dimensions; d++)
        is_short |= subject_is_short(subject, d);
    for (size_t i = 0; dimensions > 2 && i < sizeof ORDERS / sizeof *ORDERS; i++) {
        FuncChoice choice = search->best[f];
        choice.order = ORDERS[i];
        if (choice.order != search->best[f].order && (is_short || choice.order != ORDER_UNROLLED))
            try_choice(search, f, choice);
    }
}

static void try_sweeps(ScheduleSearch *search, int f) {
    static const Sweep SWEEPS_[] = {SWEEP_INSIDE, SWEEP_ROWS, SWEEP_LANES, SWEEP_STRETCHES};
    static const int VECTORS[] = {1, 2, 4};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    double length = subject->lane < 0 ? 1 : subject->length[subject->lane];
    if (!subject_has_updates(subject))
        return;
    for (int i = 0; i < 4; i++)
        for (int v = 0; v < 3; v++) {
            FuncChoice choice = search->best[f];
            choice.sweep = SWEEPS_[i];
            choice.registers = false;
            choice.lines = 1;
            choice.vectors = VECTORS[v];
            bool is_apart = choice.sweep == SWEEP_LANES || choice.sweep == SWEEP_STRETCHES;
            if (choice.sweep == SWEEP_LANES && choice.lanes == 1)
                choice.lanes =
                    subject->natural_lanes < LEAST_LANES ? LEAST_LANES : subject->natural_lanes;
            if (v > 0 && (choice.sweep == SWEEP_STRETCHES ||
                          (!is_apart && choice.lanes * choice.vectors > length)))
                continue;
            try_choice(search, f, choice);
            if (is_apart && choice.rows < LONG_STRETCH) {
                choice.rows = LONG_STRETCH;
                try_choice(search, f, choice);
            }
        }
}

/* Updates of places that values choose, in tables side by side. */
static void try_tables(ScheduleSearch *search, int f) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    bool scatters = false;
    for (size_t s = 0; s < subject->func->stages.length; s++)
        scatters |= stage_scatters(subject->func->stages.data[s], subject->func->shape);
    for (int tables = 2; scatters && tables <= MOST_TABLES; tables *= 2) {
        FuncChoice choice = search->best[f];
        choice.placement = PLACE_ROOT;
        choice.sweep = SWEEP_TABLES;
        choice.registers = false;
        choice.lines = 1;
        choice.vectors = tables;
        try_choice(search, f, choice);
        if (search->request->threads == 1)
            continue;
        for (choice.rows = LONG_STRETCH; choice.rows <= 4 * LONG_STRETCH; choice.rows *= 2)
            try_choice(search, f, choice);
    }
}

/* Blocks without guards: what is computed inside them keeps its sums in registers. */
static void try_whole(ScheduleSearch *search, int f) {
    FuncChoice choice = search->best[f];
    choice.whole = !choice.whole;
    if (!choice.whole || subject_can_be_whole(&search->decisions->subjects[f], &choice))
        try_choice(search, f, choice);
    choice = search->best[f];
    for (int vectors = 1; vectors <= 4; vectors *= 2) {
        choice.whole = true;
        choice.vectors = vectors;
        if (vectors != search->best[f].vectors &&
            subject_can_be_whole(&search->decisions->subjects[f], &choice))
            try_choice(search, f, choice);
    }
}

/* Rows side by side: what is read across them comes in blocks. */
static void try_lines(ScheduleSearch *search, int f) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    for (int lines = 1; subject->reads_across && lines <= 8; lines *= lines == 1 ? 4 : 2) {
        FuncChoice choice = search->best[f];
        choice.lines = lines;
        if (lines != search->best[f].lines && choice.lanes > 1 &&
            (choice_unrolls_lines(subject, &choice) ||
             (lines == 1 && choice_unrolls_lines(subject, &search->best[f]))))
            try_choice(search, f, choice);
        choice = search->best[f];
        choice.lines = lines;
        choice.whole = true;
        if (lines > 1 && choice.lanes > 1 && choice_unrolls_lines(subject, &choice) &&
            subject_can_be_whole(subject, &choice))
            try_choice(search, f, choice);
    }
}

/* How the tiles of registers stand in the func that reads the sums. */
typedef enum TileForm {
    TILE_GUARDED,
    TILE_WHOLE,
    TILE_IN_TILES,
    TILE_OF_TILES, /* and what the sums read is computed in these tiles */
    TILE_FORMS
} TileForm;

/* Of a tile that is more than one tile of registers. */
enum { TILE_BLOCKS = 8, TILE_LINES = 96 };

static void try_tile(ScheduleSearch *search, int f, int vectors, int lines, TileForm form) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    begin_step(search);
    FuncChoice *choice = &search->trying[f];
    choice->sweep = SWEEP_TILE;
    choice->registers = !subject->is_output;
    choice->lanes = subject->natural_lanes;
    choice->vectors = vectors;
    choice->lines = lines;
    Reader host;
    if (!subject->is_output) {
        choice->placement = PLACE_BLOCK;
        if (decisions_host(search->decisions, search->trying, f, &host)) {
            FuncChoice *around = &search->trying[host.func];
            around->registers = true;
            around->lanes = choice->lanes;
            around->vectors = vectors;
            around->lines = lines;
            around->whole = form != TILE_GUARDED;
            around->columns = 0;
            if (form == TILE_IN_TILES || form == TILE_OF_TILES) {
                around->columns = TILE_BLOCKS * choice->lanes * choice->vectors;
                around->rows = TILE_LINES / lines * lines;
                if (!subject_can_be_whole(&search->decisions->subjects[host.func], around))
                    return;
            }
        }
    }
    for (int p = 0; form == TILE_OF_TILES && p < f; p++)
        if (is_read_by(&search->decisions->subjects[p], f) &&
            search->trying[p].placement != PLACE_INLINE)
            search->trying[p].placement = PLACE_TILE;
    candidate_try(search);
}

/* Tiles of sums in registers, inside tiles of the func that reads them. */
static void try_registers(ScheduleSearch *search, int f) {
    static const struct {
        int vectors, lines;
    } TILES[] = {{1, 4}, {1, 8}, {2, 4}, {2, 6}, {4, 3}, {4, 1}};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (!subject_has_updates(subject) || subject->lane < 0 ||
        subject->length[subject->lane] < LEAST_LANES)
        return;
    for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++)
        for (int form = 0; form < (subject->is_output ? 1 : TILE_FORMS); form++)
            try_tile(search, f, TILES[i].vectors, TILES[i].lines, (TileForm)form);
}

void steps_start(ScheduleSearch *search) {
    for (int start = 0; start < STARTS; start++) {
        set_start(search, (Start)start);
        candidate_try(search);
    }
}

void steps_of_func(ScheduleSearch *search, int f) {
    if (search->decisions->subjects[f].is_fixed)
        return;
    try_placements(search, f);
    if (search->best[f].placement == PLACE_INLINE)
        return;
    try_orders(search, f);
    try_registers(search, f);
    try_sweeps(search, f);
    try_tables(search, f);
    try_lanes(search, f);
    try_blocks(search, f);
    try_lines(search, f);
    try_whole(search, f);
}
