/* versions.c -- one program for several processors in one object.
 *
 * The body is emitted once for each target. The entries are made for the baseline. First they ask
 * the run-time library for the best version that the processor can run, which is the same at each
 * call. They return an error if there is none. A single version that needs no more than the
 * baseline is called without this test.
 */
#include "codegen/emit.h"

#include <ctype.h>

/* NAME.x86_64_v3: a symbol without characters that assemblers and debuggers must quote. */
static const char *version_name(const Emitter *e, const Target *target) {
    char *name = arena_format(e->arena, "%s.%s", e->signature->name->text, target->name);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '.')
            *at = '_';
    return name;
}

const LLVMValueRef *emit_versions(Emitter *e, LLVMTypeRef type, MakeVersion *make, void *data) {
    const ModuleMachine *machine = e->machine;
    LLVMValueRef *versions = arena_array(e->arena, LLVMValueRef, machine->version_count);
    for (int i = 0; i < machine->version_count; i++) {
        e->target = &machine->versions[i];
        e->variables = map_create(e->arena);
        e->memrefs = map_create(e->arena);
        e->outputs = map_create(e->arena);
        versions[i] = LLVMAddFunction(e->module, version_name(e, e->target), type);
        LLVMSetLinkage(versions[i], LLVMInternalLinkage);
        make(data, versions[i]);
    }
    e->target = &machine->baseline;
    return versions;
}

/* The constant array of hlc_code_version. */
static LLVMValueRef version_table(Emitter *e) {
    const ModuleMachine *machine = e->machine;
    LLVMTypeRef members[] = {e->pointer, e->i64};
    LLVMTypeRef type = LLVMStructTypeInContext(e->llvm, members, 2, false);
    hlc_assert(LLVMABISizeOfType(machine->data, type) == sizeof(hlc_code_version),
               "the generated version has the layout of hlc_code_version");
    LLVMValueRef *rows = arena_array(e->arena, LLVMValueRef, machine->version_count);
    for (int i = 0; i < machine->version_count; i++) {
        const Target *target = &machine->versions[i];
        LLVMValueRef values[] = {emit_text(e, target->name),
                                 LLVMConstInt(e->i64, target->needs, false)};
        rows[i] = LLVMConstStructInContext(e->llvm, values, 2, false);
    }
    return emit_global(e, LLVMConstArray2(type, rows, (uint64_t)machine->version_count),
                       "versions");
}

LLVMValueRef emit_choice(Emitter *e) {
    int count = e->machine->version_count;
    if (count == 1 && e->machine->versions[0].needs == 0)
        return LLVMConstInt(e->i32, 0, false);
    LLVMValueRef arguments[] = {e->frame.report, version_table(e),
                                LLVMConstInt(e->i32, (unsigned long long)count, false)};
    LLVMValueRef choice = emit_runtime_call(e, RUNTIME_hlc_choose_code, arguments);
    LLVMBasicBlockRef unfit = emit_block(e, "unfit"), fit = emit_block(e, "fit");
    LLVMValueRef is_fit =
        LLVMBuildICmp(e->builder, LLVMIntSGE, choice, LLVMConstInt(e->i32, 0, false), "");
    LLVMBuildCondBr(e->builder, is_fit, fit, unfit);
    LLVMPositionBuilderAtEnd(e->builder, unfit);
    LLVMBuildRet(e->builder, choice);
    LLVMPositionBuilderAtEnd(e->builder, fit);
    return choice;
}

/* Selects the address among `versions`; the last version is the default. */
LLVMValueRef emit_chosen_call(Emitter *e, LLVMTypeRef type, const LLVMValueRef *versions,
                              LLVMValueRef choice, LLVMValueRef *arguments) {
    int last = e->machine->version_count - 1;
    LLVMValueRef callee = versions[last];
    for (int i = last - 1; i >= 0; i--) {
        LLVMValueRef is_chosen = LLVMBuildICmp(
            e->builder, LLVMIntEQ, choice, LLVMConstInt(e->i32, (unsigned long long)i, false), "");
        callee = LLVMBuildSelect(e->builder, is_chosen, versions[i], callee, "");
    }
    return LLVMBuildCall2(e->builder, type, callee, arguments, LLVMCountParamTypes(type), "");
}
