/* fold.c -- PASS_FOLD: makes folded memory hold F coordinates of a dimension, addressed by
 * remainders; allocates hoisted memory further out, addressed from its beginning.
 *
 *     allocate f: [(m, w), (n, h)] folding y by 4        allocate f: [(m, w), (0, 4)] folded y
 *     f[x, y] <- ..                                ->    f[x, (y - n) % 4] <- ..
 *     .. f[x, y + 1]                                     .. f[x, (y + 1 - n) % 4]
 *
 * The allocate statement records it: `folded y`.
 *
 * bounds/fold.c says why this changes no value.  `hlc certify` proves it of the program before this
 * pass.  After the pass, coordinates of f are places in its memory.
 *
 *     for y ..                                           allocate f: [(0, n)]
 *       allocate f: [(y*8, 8)] hoisted 1 reserving [n]  for y ..
 *       f[x] <- ..                                  ->     f[x - y*8] <- ..
 *
 * Traced code reports coordinates, so nothing is folded or hoisted in it (lower_unfold).
 *
 * Remainders count from the beginning of the memory.  A split's block often begins there, too: if
 * the loop over the block is unrolled, the remainders are constants.  To see this, the pass expands
 * lets before it simplifies.
 */
#include "lower/passes/lets.h"
#include "lower/lower.h"

typedef struct Folded {
    const FuncShape *func;
    Expr minimum[MAX_DIMENSIONS]; /* of memory, without lets; null: coordinates are places */
    Expr factor[MAX_DIMENSIONS];  /* null: not folded */
    Stmt *allocate;               /* the one that stays */
} Folded;

typedef struct Folder {
    Program *program;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    Map folded;                 /* Symbol of a func -> Folded */
    Lets lets;                  /* those of sort index, without reads */
    ExprMemo memo;              /* of the rewriting, since the last allocate statement */
    Vec(Stmt *) hoisted, rooms; /* allocate statements to remove, and the replacement of each */
} Folder;

/* ---- lets ---- */

enum { LARGEST_INLINED = 200 }; /* nodes as a tree */

/* ---- indices ---- */

static Expr place_of(Folder *folder, const Folded *folded, int k, Expr index) {
    Expr whole = lets_expand(&folder->lets, index);
    if (whole->tree_size > LARGEST_INLINED)
        whole = index;
    Expr offset = simplify(folder->simplifier, expr_sub(folder->pool, whole, folded->minimum[k]));
    Expr plain = simplify(folder->simplifier, expr_sub(folder->pool, index, folded->minimum[k]));
    if (plain->tree_size < offset->tree_size)
        offset = plain;
    if (!folded->factor[k])
        return offset;
    return simplify(folder->simplifier, expr_mod(folder->pool, offset, folded->factor[k]));
}

static Expr rewrite_access(void *data, Pool *pool, Expr node) {
    Folder *folder = data;
    Expr arguments[MAX_DIMENSIONS];
    const Folded *folded = node->op == OP_ACCESS ? map_get(&folder->folded, node->name) : NULL;
    if (!folded)
        return node;
    for (int k = 0; k < node->arity; k++)
        arguments[k] = folded->minimum[k] ? place_of(folder, folded, k, node->arguments[k])
                                          : node->arguments[k];
    return expr_with_arguments(pool, node, arguments);
}

static Expr rewrite(void *data, Expr expr) {
    Folder *folder = data;
    return expr_rewrite(folder->pool, &folder->memo, expr, rewrite_access, folder);
}

/* ---- statements ---- */

static void mark_place(Folder *folder, Stmt *stmt, int k) {
    if (!stmt->allocate.places)
        stmt->allocate.places =
            arena_array(folder->program->arena, bool, stmt->allocate.func->dimensions);
    stmt->allocate.places[k] = true;
}

/* Returns the func's memory before the loop: what another branch of a specialization has allocated
 * there, or else new memory, without lengths. */
static Stmt *room_before(Folder *folder, Stmt *loop, const Stmt *stmt) {
    FuncShape *func = stmt->allocate.func;
    for (size_t i = 0; i < folder->rooms.length; i++)
        if (folder->rooms.data[i]->allocate.func == func &&
            folder->rooms.data[i]->block == loop->block)
            return folder->rooms.data[i];
    Stmt *room = stmt_create(folder->program, STMT_ALLOCATE, stmt->place);
    room->allocate.func = func;
    room->allocate.storage = stmt->allocate.storage;
    room->allocate.intervals = arena_array(folder->program->arena, Extent, func->dimensions + 1);
    for (int k = 0; k < func->dimensions; k++)
        room->allocate.intervals[k].minimum = expr_index(folder->pool, 0);
    stmt_insert_before(loop, room);
    return room;
}

/* Allocates the memory for all iterations of the loops that it is hoisted out of, before the
 * outermost of them.  The statement itself is removed when the walk is over. */
static void hoist(Folder *folder, Folded *folded, Stmt *stmt) {
    Stmt *loop = stmt;
    for (int left = stmt->allocate.hoisted; left; left -= loop->kind == STMT_FOR)
        loop = stmt_parent(loop);
    Stmt *room = room_before(folder, loop, stmt);
    for (int k = 0; k < stmt->allocate.func->dimensions; k++) {
        const Expr *folds = stmt->allocate.folds;
        Expr length = folds && folds[k] ? folds[k] : stmt->allocate.reserve[k],
             *all = &room->allocate.intervals[k].length;
        *all = *all ? simplify(folder->simplifier, expr_max(folder->pool, *all, length)) : length;
        if (folds && folds[k])
            mark_place(folder, room, k);
    }
    folded->allocate = room;
    vec_push(folder->arena, &folder->hoisted, stmt);
    vec_push(folder->arena, &folder->rooms, room);
}

/* Starts a new record of the func: it holds while its memory lives.  In another specialization the
 * func has other memory. */
static void enter_allocate(Folder *folder, Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    bool is_hoisted = stmt->allocate.hoisted > 0;
    if (map_get(&folder->folded, func->name)) {
        map_put(&folder->folded, func->name, NULL);
        folder->memo = expr_memo(folder->arena);
    }
    if (!stmt->allocate.folds && !is_hoisted)
        return;
    Folded *folded = arena_new(folder->arena, Folded);
    folded->func = func;
    folded->allocate = stmt;
    for (int k = 0; k < func->dimensions; k++) {
        Extent *interval = &stmt->allocate.intervals[k];
        Expr factor = stmt->allocate.folds ? stmt->allocate.folds[k] : NULL;
        if (!factor && !is_hoisted)
            continue;
        folded->minimum[k] = lets_expand(&folder->lets, interval->minimum);
        folded->factor[k] = factor;
        if (!is_hoisted)
            *interval = (Extent){expr_index(folder->pool, 0), factor};
        if (factor)
            mark_place(folder, stmt, k);
    }
    if (is_hoisted)
        hoist(folder, folded, stmt);
    stmt->allocate.folds = NULL;
    map_put(&folder->folded, func->name, folded);
    folder->memo = expr_memo(folder->arena);
}

/* Returns the places of the computed interval if they are consecutive.  If they wrap at the end of
 * the ring, they are no interval, and the result is empty.  The whole ring would be too much: a
 * tail that writes beyond the computed region may store values there that depend on memory never
 * written. */
static Extent places_of(Folder *folder, const Folded *folded, int k, Extent interval) {
    Pool *pool = folder->pool;
    Expr first = place_of(folder, folded, k, interval.minimum), length = interval.length;
    Expr fits = expr_le(pool, expr_add(pool, first, length), folded->factor[k]);
    length = expr_select(pool, fits, length, expr_index(pool, 0));
    return (Extent){first, simplify(folder->simplifier, length)};
}

static void enter_compute(Folder *folder, Stmt *stmt) {
    const Folded *folded = map_get(&folder->folded, stmt->compute.func->name);
    for (int k = 0; folded && k < stmt->compute.func->dimensions; k++) {
        Extent *interval = &stmt->compute.intervals[k];
        if (folded->factor[k])
            *interval = places_of(folder, folded, k, *interval);
        else if (folded->minimum[k])
            interval->minimum = place_of(folder, folded, k, interval->minimum);
    }
    if (!folded)
        return;
    for (int i = 0; i < stmt->compute.slide_count;
         i++) /* the held region is not recorded anymore */
        mark_place(folder, folded->allocate, stmt->compute.slides[i].dimension);
    stmt->compute.held = NULL;
    stmt->compute.slides = NULL;
    stmt->compute.slide_count = 0;
}

static void enter_store(Folder *folder, Stmt *stmt) {
    const Folded *folded = map_get(&folder->folded, stmt->store.func->name);
    for (int k = 0; folded && k < stmt->store.func->dimensions; k++)
        if (folded->minimum[k])
            stmt->store.indices[k] = place_of(folder, folded, k, stmt->store.indices[k]);
}

static void enter_let(Folder *folder, const Stmt *let) {
    Expr value = let->let.value;
    if (type_is_index(value->type) && !expr_has_access(value))
        lets_bind(&folder->lets, let->let.binder, value);
}

static bool enter(void *data, Stmt *stmt) {
    Folder *folder = data;
    stmt_map_own_exprs(stmt, rewrite, folder);
    switch (stmt->kind) {
    case STMT_ALLOCATE:
        enter_allocate(folder, stmt);
        break;
    case STMT_COMPUTE:
        enter_compute(folder, stmt);
        break;
    case STMT_STORE:
        enter_store(folder, stmt);
        break;
    case STMT_LET:
        enter_let(folder, stmt);
        break;
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_IF:
    case STMT_FOR:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    }
    return true;
}

static bool is_folded(const Program *program) {
    for (size_t i = 0; i < program->funcs.length; i++)
        for (size_t k = 0; k < program->funcs.data[i]->allocates.length; k++)
            if (program->funcs.data[i]->allocates.data[k]->allocate.folds ||
                program->funcs.data[i]->allocates.data[k]->allocate.hoisted)
                return true;
    return false;
}

/* The index lists the room, once, in place of the hoisted statement. */
static void replace_site(Program *program, const Stmt *hoisted, Stmt *room) {
    FuncSites *sites = program_func(program, hoisted->allocate.func->name);
    bool is_listed = false;
    size_t kept = 0;
    for (size_t k = 0; k < sites->allocates.length; k++)
        is_listed |= sites->allocates.data[k] == room;
    for (size_t k = 0; k < sites->allocates.length; k++)
        if (sites->allocates.data[k] != hoisted)
            sites->allocates.data[kept++] = sites->allocates.data[k];
        else if (!is_listed)
            sites->allocates.data[kept++] = room;
    sites->allocates.length = kept;
}

void lower_fold(Program *program, Arena *arena) {
    if (!is_folded(program))
        return;
    Folder folder = {.program = program,
                     .pool = program->pool,
                     .arena = arena,
                     .simplifier = simplifier_create(program->pool, arena),
                     .folded = map_create(arena),
                     .lets = lets_create(program->pool, arena),
                     .memo = expr_memo(arena)};
    block_visit(&program->body, &(StmtVisitor){.data = &folder, .enter = enter});
    for (size_t i = 0; i < folder.hoisted.length; i++) {
        replace_site(program, folder.hoisted.data[i], folder.rooms.data[i]);
        stmt_unlink(folder.hoisted.data[i]);
    }
}

void lower_unfold(Program *program) {
    for (size_t i = 0; i < program->funcs.length; i++)
        for (size_t k = 0; k < program->funcs.data[i]->allocates.length; k++) {
            Stmt *stmt = program->funcs.data[i]->allocates.data[k];
            if (!stmt->allocate.folds && !stmt->allocate.hoisted)
                continue;
            Storage *storage = arena_new(program->arena, Storage);
            *storage = *stmt->allocate.storage;
            storage->memory = MEMORY_AUTOMATIC; /* all coordinates may be too many for another */
            stmt->allocate.storage = storage;
            stmt->allocate.folds = stmt->allocate.reserve = NULL;
            stmt->allocate.hoisted = 0;
        }
}
