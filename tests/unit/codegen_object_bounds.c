/* codegen_object_bounds.c -- which accesses stay inside the object that LLVM sees, and that a
 * module with any other one is our fault.
 *
 * The modules are LLVM's text: the emitter makes none that is refused.
 */
#include "codegen/emit.h"
#include "suite.h"

#include <llvm-c/IRReader.h>
#include <signal.h>

typedef struct Module {
    Context *context;
    ModuleMachine machine;
    Emitter emitter;
} Module;

/* A function with a slot of 64 bytes, a table of 16, an address from elsewhere, and `code`. */
static void read_module(Module *m, const char *code) {
    *m = (Module){.context = context_create()};
    char *message = NULL;
    const char *text = arena_format(
        m->context->arena,
        "@table = private constant [16 x i8] zeroinitializer\n"
        "declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, i32, <16 x i1>, <16 x i32>)\n"
        "declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, i32, <16 x i1>)\n"
        "define void @f(ptr %%far, i64 %%i, <16 x i1> %%m, <16 x i32> %%v) {\n"
        "  %%slot = alloca [64 x i8]\n  %%small = alloca [4 x i8]\n%s\n  ret void\n}\n",
        code);
    ck_assert(machine_read(m->context, m->context->arena, "x86-64-v4", &m->machine));
    ck_assert(machine_open(&m->machine, 0, &message));
    m->emitter = (Emitter){.context = m->context,
                           .arena = m->context->arena,
                           .machine = &m->machine,
                           .llvm = LLVMContextCreate()};
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "text");
    bool is_wrong = LLVMParseIRInContext(m->emitter.llvm, buffer, &m->emitter.module, &message);
    ck_assert_msg(!is_wrong, "%s", message);
    LLVMSetModuleDataLayout(m->emitter.module, m->machine.data);
}

static const char *const inside[] = {
    "  store i32 0, ptr %slot",
    "  %a = getelementptr i8, ptr %slot, i64 60\n  store i32 0, ptr %a",
    "  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v, ptr %slot, i32 4, <16 x i1> %m)",
    /* where it lies is not known */
    "  %a = getelementptr i8, ptr %slot, i64 %i\n  store <16 x i32> %v, ptr %a",
    "  store <64 x i64> zeroinitializer, ptr %far",
    "  %a = getelementptr i8, ptr @table, i64 12\n  %b = load i32, ptr %a",
    "  %b = load i32, ptr getelementptr (i8, ptr @table, i64 12)",
    /* 13 lanes have LLVM's size of 16, but 52 bytes are touched */
    "  %a = getelementptr i8, ptr %slot, i64 12\n  store <13 x i32> zeroinitializer, ptr %a",
};

static const char *const outside[] = {
    /* the fault that this file is about: one lane of 16 runs, and the slot holds one */
    "  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v, ptr %small, i32 4, <16 x i1> %m)",
    "  %l = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr %small, i32 4, <16 x i1> %m, <16 x "
    "i32> "
    "%v)",
    "  %a = getelementptr i8, ptr %small, i64 %i\n  store i64 0, ptr %a",
    "  %a = getelementptr i8, ptr %slot, i64 61\n  store i32 0, ptr %a",
    "  %a = getelementptr i32, ptr %slot, i64 -1\n  store i32 0, ptr %a",
    "  %a = getelementptr i8, ptr %slot, i64 32\n  %b = getelementptr i32, ptr %a, i64 8\n"
    "  store i32 0, ptr %b",
    "  %b = load i64, ptr getelementptr (i8, ptr @table, i64 12)",
    "  %b = atomicrmw add ptr %small, i64 1 monotonic",
    "  %a = getelementptr i8, ptr %slot, i64 9223372036854775807\n  store i32 0, ptr %a",
};

enum { INSIDE = sizeof inside / sizeof *inside, OUTSIDE = sizeof outside / sizeof *outside };

START_TEST(accesses_inside_are_let_through) {
    Module m;
    read_module(&m, inside[_i]);
    object_bounds_check(&m.emitter);
    LLVMDisposeModule(m.emitter.module);
    LLVMContextDispose(m.emitter.llvm);
    machine_close(&m.machine);
    context_destroy(m.context);
}
END_TEST

START_TEST(accesses_outside_are_our_fault) {
    Module m;
    read_module(&m, outside[_i]);
    object_bounds_check(&m.emitter);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("object bounds");
    tcase_add_loop_test(tests, accesses_inside_are_let_through, 0, INSIDE);
    tcase_add_loop_test_raise_signal(tests, accesses_outside_are_our_fault, SIGABRT, 0, OUTSIDE);
    return run_suite("codegen_object_bounds", tests);
}
