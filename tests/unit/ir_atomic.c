/* ir_atomic.c -- what an atomic store reads, whether it has to be one, and which others it is like.
 */
#include "ir/atomic.h"

#include "ir/read.h"
#include "suite.h"

#include <check.h>
#include <string.h>

static Context *context;
static Arena *arena;
static Program *program;
static Vec(Stmt *) stores;

static bool collect(void *data, Stmt *stmt) {
    (void)data;
    if (stmt->kind == STMT_STORE)
        vec_push(arena, &stores, stmt);
    return true;
}

static void begin(const char *text) {
    context = context_create();
    arena = arena_create(&context->memory);
    program = program_read(pool_create(context, arena), arena,
                           context_add_file(context, "t.ir", text, strlen(text)));
    if (!program)
        diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(program);
    stores = (typeof(stores)){0};
    StmtVisitor visitor = {.enter = collect};
    block_visit(&program->body, &visitor);
}

static void end(void) {
    arena_destroy(arena);
    context_destroy(context);
}

#define HEAD                                                                                       \
    "pipeline p(n: i32) -> (h)\n"                                                                  \
    "  func h(x): i32\n"                                                                           \
    "  allocate h: i32 [(0, 9)]\n"                                                                 \
    "  compute h on [(0, 9)]\n"

START_TEST(elements_are_integers_and_bools) {
    static const Type good[] = {BOOL, I8, I16, I32, I64, U8, U16, U32, U64}, bad[] = {F32, F64};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert(atomic_has_type(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert(!atomic_has_type(bad[i]));
    ck_assert(!atomic_has_type(INDEX));
}
END_TEST

/* Where a pass has said the point of a read otherwise, it is said as the store's own again. */
START_TEST(reads_are_settled) {
    begin(HEAD "    for h.s1.r in (0, 9) reduction parallel do\n"
               "      atomic h[min(h.s1.r, 5)] <- select(n < 3:i32, h[min(h.s1.r, 5)] + 1:i32, "
               "h[min(h.s1.r, 5)]*2:i32)\n");
    Stmt *store = stores.data[0];
    Pool *pool = program->pool;
    Expr kept = store->store.values[0], other = expr_index(pool, 5);
    Expr read = expr_access(pool, store->store.func->name, 0, I32, &other, 1);
    ck_assert(atomic_reads_in_place(arena, store));
    atomic_settle(program, arena);
    ck_assert_ptr_eq(store->store.values[0], kept);
    store->store.values[0] = expr_select(pool, kept->arguments[0], kept->arguments[1],
                                         expr_mul(pool, read, kept->arguments[2]->arguments[1]));
    ck_assert(!atomic_reads_in_place(arena, store));
    atomic_settle(program, arena);
    ck_assert(atomic_reads_in_place(arena, store));
    ck_assert_ptr_eq(store->store.values[0], kept);
    end();
}
END_TEST

START_TEST(plain_stores_are_left_alone) {
    begin(HEAD "    for h.s1.r in (0, 8) reduction do\n"
               "      h[h.s1.r] <- h[h.s1.r + 1] + 1:i32\n");
    Expr kept = stores.data[0]->store.values[0];
    ck_assert(!atomic_reads_in_place(arena, stores.data[0]));
    atomic_settle(program, arena);
    ck_assert_ptr_eq(stores.data[0]->store.values[0], kept);
    end();
}
END_TEST

START_TEST(stores_are_told_apart) {
    begin(HEAD "    atomic h[0] <- h[0] + 1:i32 stage 1\n"
               "    for h.s1.r in (0, 9) reduction parallel do\n"
               "      let v = 3:i32 in\n"
               "        atomic h[1] <- h[1] + v stage 1\n"
               "    atomic h[0] <- h[0] + 1:i32 stage 2\n"
               "    h[0] <- h[0] + 1:i32 stage 1\n");
    ck_assert(!atomic_is_needed(stores.data[0]));
    ck_assert(atomic_is_needed(stores.data[1]));
    ck_assert(atomic_is_same_update(stores.data[0], stores.data[1]));
    ck_assert(!atomic_is_same_update(stores.data[0], stores.data[2]));
    ck_assert(!atomic_is_same_update(stores.data[0], stores.data[3]));
    ck_assert(!atomic_is_same_update(stores.data[3], stores.data[0]));
    ck_assert(!atomic_is_same_update(stmt_parent(stores.data[1]), stores.data[0]));
    end();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("atomic");
    tcase_add_test(cases, elements_are_integers_and_bools);
    tcase_add_test(cases, reads_are_settled);
    tcase_add_test(cases, plain_stores_are_left_alone);
    tcase_add_test(cases, stores_are_told_apart);
    return run_suite("ir_atomic", cases);
}
