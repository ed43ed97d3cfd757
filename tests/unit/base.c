/* Tests of base/: memory that runs out, names, maps, reports and the lexer. */
#include "base/context.h"
#include "base/lex.h"
#include "base/map.h"
#include "base/nearest.h"

#include "suite.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

START_TEST(arena_gives_zeroed_aligned_blocks) {
    Context *context = context_create();
    for (size_t size = 1; size < 5000; size += 37) {
        unsigned char *block = arena_allocate(context->arena, size);
        ck_assert_uint_eq((uintptr_t)block % 16, 0);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(block[i], 0);
        memset(block, 0xAA, size);
    }
    context_destroy(context);
}
END_TEST

START_TEST(arena_accounts_return_to_zero) {
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    for (int i = 0; i < 100; i++)
        arena_allocate(arena, (size_t)i * 1000);
    ck_assert_uint_gt(memory.in_use, 0);
    arena_destroy(arena);
    ck_assert_uint_eq(memory.in_use, 0);
    ck_assert_uint_gt(memory.peak, 100000);
}
END_TEST

static int fails_at(int64_t request, size_t limit) {
    static Memory memory;
    static Arena *volatile arena;
    memory = (Memory){.fail_after = -1, .limit = limit};
    jmp_buf failed;
    memory.on_failure = &failed;
    arena = NULL;
    if (setjmp(failed)) {
        arena_destroy(arena);
        ck_assert_uint_eq(memory.in_use, 0);
        return 1;
    }
    memory.fail_after = request;
    arena = arena_create(&memory);
    for (int i = 0; i < 10; i++)
        arena_allocate(arena, 100000);
    arena_destroy(arena);
    return 0;
}

START_TEST(memory_failure_leaves_through_the_handler) {
    for (int64_t request = 0; request < 5; request++)
        ck_assert_int_eq(fails_at(request, 0), 1);
    ck_assert_int_eq(fails_at(1000, 0), 0);
    ck_assert_int_eq(fails_at(-1, 500000), 1);
    ck_assert_int_eq(fails_at(-1, 50000000), 0);
}
END_TEST

START_TEST(symbols_are_equal_by_pointer) {
    Context *context = context_create();
    char text[32];
    Symbol first[2000];
    for (int i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "name%d", i);
        first[i] = context_symbol(context, text);
    }
    for (int i = 0; i < 2000; i++)
        ck_assert_ptr_eq(symbol_format(&context->symbols, "name%d", i), first[i]);
    ck_assert_str_eq(symbol_fresh(&context->symbols, "fresh")->text, "fresh");
    ck_assert_str_eq(symbol_fresh(&context->symbols, "fresh")->text, "fresh'2");
    ck_assert_str_eq(symbol_fresh(&context->symbols, "fresh")->text, "fresh'3");
    ck_assert_int_lt(symbol_compare(first[1], first[2]), 0);
    context_destroy(context);
}
END_TEST

/* Names are made without printf; these are what printf makes. */
START_TEST(names_are_formatted_as_printf_does) {
    Context *context = context_create();
    SymbolTable *symbols = &context->symbols;
    char wide[400], expected[500];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    ck_assert_str_eq(symbol_format(symbols, "%s.z%d.s%d.%s", "f", 1, -20, "x")->text,
                     "f.z1.s-20.x");
    ck_assert_str_eq(symbol_format(symbols, "%d %u %d", INT_MIN, UINT_MAX, 0)->text,
                     "-2147483648 4294967295 0");
    ck_assert_str_eq(symbol_format(symbols, "%s", "")->text, "");
    ck_assert_str_eq(symbol_format(symbols, "%c.%zu.%5.1f.%%", 'k', (size_t)7, 2.5)->text,
                     "k.7.  2.5.%");
    snprintf(expected, sizeof expected, "%s.%d", wide, 12);
    ck_assert_str_eq(symbol_format(symbols, "%s.%d", wide, 12)->text, expected);
    ck_assert_ptr_eq(symbol_format(symbols, "%s.%d", wide, 12), context_symbol(context, expected));
    context_destroy(context);
}
END_TEST

START_TEST(map_keeps_and_replaces) {
    Context *context = context_create();
    Map map = map_create(context->arena);
    static int keys[1000], more[1000];
    for (int i = 0; i < 1000; i++)
        map_put(&map, &keys[i], &keys[(i * 7) % 1000]);
    map_put(&map, &keys[5], &keys[5]);
    ck_assert_uint_eq(map_count(&map), 1000);
    for (int i = 0; i < 1000; i++)
        ck_assert_ptr_eq(map_get(&map, &keys[i]), i == 5 ? &keys[5] : &keys[(i * 7) % 1000]);
    ck_assert_ptr_null(map_get(&map, &map));
    Map copy = map, none = {0};
    for (int i = 0; i < 1000; i++)
        map_put(&copy, &more[i], &keys[i]);
    ck_assert_ptr_eq(map_get(&map, &more[8]), &keys[8]); // a copy is the same map, though it grew
    ck_assert_ptr_null(map_get(&none, &keys[1]));
    map_clear(&map);
    ck_assert_ptr_null(map_get(&map, &keys[1]));
    context_destroy(context);
}
END_TEST

static char *printed(Context *context) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    diag_print_all(context, out);
    fclose(out);
    return text;
}

START_TEST(reports_show_the_line_and_a_caret) {
    Context *context = context_create();
    const char *source = "one\n\ttwo \xc3\xa9 three\n";
    uint32_t file = context_add_file(context, "a.hl", source, strlen(source));
    Place place = {file, 2, 9, 5};
    diag(context, DIAG_TOO_MANY_ERRORS, place, "seven");
    diag(context, DIAG_TOO_MANY_ERRORS, place, "seven"); /* the same: once */
    char *text = printed(context);
    ck_assert_str_eq(text, "a.hl:2:9: note[E0901]: seven more errors are not shown\n"
                           "    2 | \ttwo \xc3\xa9 three\n"
                           "      | \t      ^~~~~\n");
    free(text);
    context_destroy(context);
}
END_TEST

static const char *lexed(const char *source, LexOptions options) {
    static char all[1000];
    Context *context = context_create();
    Lexer lexer = lex_begin(context->arena, source, strlen(source), (Place){0, 1, 1, 0}, options);
    all[0] = '\0';
    for (;;) {
        Token token = lex_next(&lexer);
        static const char kinds[] = {'$', 'n', 'i', 'f', 's', 'p', '!'};
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%c%u:%u(%.*s)", kinds[token.kind],
                 token.place.line, token.place.column, (int)token.length, token.text);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR)
            break;
    }
    context_destroy(context);
    return all;
}

START_TEST(lexer_finds_tokens_and_places) {
    LexOptions plain = {0}, dotted = {.dotted_names = true, .hash_comments = true};
    ck_assert_str_eq(lexed("ab<-1..2", plain), "n1:1(ab)p1:3(<-)i1:5(1)p1:6(..)i1:8(2)$1:9()");
    ck_assert_str_eq(lexed("x // c\n /* d\n*/ 1.5e-3", plain), "n1:1(x)f3:4(1.5e-3)$3:10()");
    ck_assert_str_eq(lexed("f(x).0", plain), "n1:1(f)p1:2(()n1:3(x)p1:4())p1:5(.)i1:6(0)$1:7()");
    ck_assert_str_eq(lexed("h.s1.x'2 ?cpu.f.x.min # no", dotted),
                     "n1:1(h.s1.x'2)n1:10(?cpu.f.x.min)$1:27()");
    ck_assert_str_eq(lexed("a %3 % 3", dotted), "n1:1(a)n1:3(%3)p1:6(%)i1:8(3)$1:9()");
    ck_assert_str_eq(lexed("\"a\\n\\\"\"", plain), "s1:1(a\n\")$1:8()");
    ck_assert_str_eq(lexed("0xFf", plain), "i1:1(0xFf)$1:5()");
}
END_TEST

START_TEST(lexer_reads_members_of_families) {
    Context *context = context_create();
    SymbolTable families = {.arena = context->arena};
    symbol_from(&families, "g");
    symbol_from(&families, "g[3].d");
    LexOptions members = {.dotted_names = true, .families = &families};
    ck_assert_str_eq(lexed("g[3].s0.x", members), "n1:1(g[3].s0.x)$1:10()");
    ck_assert_str_eq(lexed("g[-1][2]", members), "n1:1(g[-1])p1:6([)i1:7(2)p1:8(])$1:9()");
    ck_assert_str_eq(lexed("?mem.g[3].d[0].x.min", members), "n1:1(?mem.g[3].d[0].x.min)$1:21()");
    ck_assert_str_eq(lexed("g[3]_sum", members), "n1:1(g[3]_sum)$1:9()");
    ck_assert_str_eq(lexed("f[3]", members), "n1:1(f)p1:2([)i1:3(3)p1:4(])$1:5()");
    context_destroy(context);
}
END_TEST

START_TEST(lexer_refuses_what_begins_no_token) {
    LexOptions plain = {0};
    ck_assert_str_eq(lexed("\xc3\xa9", plain), "!1:1(a character that begins no word)");
    ck_assert_str_eq(lexed("\"a", plain), "!1:1(a string that is not closed on its line)");
    ck_assert_str_eq(lexed(" /* a", plain), "!1:1(a comment that is not closed)");
    ck_assert_str_eq(lexed("12ab", plain), "!1:1(a number with letters after it)");
    ck_assert_str_eq(lexed("18446744073709551616", plain),
                     "!1:1(an integer that does not fit into 64 bits)");
    ck_assert_str_eq(lexed("0x", plain), "!1:1(a malformed number)");
}
END_TEST

/* Nearest in spelling, if near enough for the length of the name. */
static const char *nearest_of(const char *name, const char *const *candidates) {
    Nearest nearest = {.name = name};
    for (; *candidates; candidates++)
        nearest_offer(&nearest, *candidates);
    return nearest.best;
}

START_TEST(the_nearest_name_is_found) {
    const char *const names[] = {"blur", "schedule", "seconds", "x", "yo", "tiled", "tiles", NULL};
    const char *const none[] = {NULL};
    ck_assert_str_eq(nearest_of("blru", names), "blur");
    ck_assert_str_eq(nearest_of("shedule", names), "schedule");
    ck_assert_str_eq(nearest_of("scehdule", names), "schedule"); /* an exchange is one step */
    ck_assert_str_eq(nearest_of("yoo", names), "yo");
    ck_assert_str_eq(nearest_of("tile", names), "tiled"); /* the first of equally near ones */
    ck_assert_ptr_null(nearest_of("y", names));           /* all of a name would have to change */
    ck_assert_ptr_null(nearest_of("frobnicate", names));
    ck_assert_ptr_null(nearest_of("", names));
    ck_assert_ptr_null(nearest_of("blur", none));
    ck_assert_ptr_null(
        nearest_of("a_name_of_more_than_thirty_one_letters", names)); /* not looked at */
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("base");
    tcase_add_test(tests, arena_gives_zeroed_aligned_blocks);
    tcase_add_test(tests, arena_accounts_return_to_zero);
    tcase_add_test(tests, memory_failure_leaves_through_the_handler);
    tcase_add_test(tests, symbols_are_equal_by_pointer);
    tcase_add_test(tests, names_are_formatted_as_printf_does);
    tcase_add_test(tests, map_keeps_and_replaces);
    tcase_add_test(tests, reports_show_the_line_and_a_caret);
    tcase_add_test(tests, lexer_finds_tokens_and_places);
    tcase_add_test(tests, lexer_reads_members_of_families);
    tcase_add_test(tests, lexer_refuses_what_begins_no_token);
    tcase_add_test(tests, the_nearest_name_is_found);
    return run_suite("base", tests);
}
