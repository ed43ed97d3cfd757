/* debug.c -- debug information: DWARF for gdb, made by LLVM's DIBuilder.
 *
 * The object has one compile unit, the file of the pipeline. Each emitted function is a subprogram.
 * A loop or a let opens a lexical block that contains its variable. The variable has the
 * programmer's name (`x` for the symbol `h.s1.x`), so an inner func's x hides an outer one's. The
 * line of code is the place of its statement. A store has the place of its definition or update. A
 * loop that a directive made has the place of the directive. A text-form program has the lines of
 * its text. The variable of a vectorized loop has the value of the first lane.
 *
 * Files have the paths that the user gave, and the compilation directory (DW_AT_comp_dir) is ".".
 * So an object contains nothing of the machine that made it, and gdb finds the sources from the
 * folder in which hlc was called.
 *
 * The state is FunctionFrame.where. Without CodegenOptions.debug all functions here do nothing.
 */
#include "codegen/emit.h"

#include "ir/printer.h"

struct Debug {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit, signature; /* of all functions */
    LLVMMetadataRef *files;          /* by Place.file; made when first met */
    LLVMMetadataRef types[TYPE_COUNT];
    bool is_optimized;
};

static LLVMMetadataRef file_at(Emitter *e, uint32_t file) {
    LLVMMetadataRef *made = &e->debug->files[file];
    const char *path = file ? e->context->files.data[file].path : "nowhere";
    if (!*made)
        *made = LLVMDIBuilderCreateFile(e->debug->builder, path, strlen(path), "", 0);
    return *made;
}

static void add_flag(Emitter *e, const char *name, unsigned value) {
    LLVMAddModuleFlag(e->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(e->i32, value, false)));
}

void debug_begin(Emitter *e, bool is_optimized) {
    static const char producer[] = "hlc";
    e->debug = arena_new(e->arena, Debug);
    e->debug->is_optimized = is_optimized;
    e->debug->files = arena_array(e->arena, LLVMMetadataRef, e->context->files.length);
    e->debug->builder = LLVMCreateDIBuilder(e->module);
    e->debug->unit = LLVMDIBuilderCreateCompileUnit(
        e->debug->builder, LLVMDWARFSourceLanguageC11, file_at(e, e->signature->place.file),
        producer, strlen(producer), is_optimized, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false,
        false, "", 0, "", 0);
    e->debug->signature = LLVMDIBuilderCreateSubroutineType(
        e->debug->builder, file_at(e, e->signature->place.file), NULL, 0, LLVMDIFlagZero);
    add_flag(e, "Debug Info Version", LLVMDebugMetadataVersion());
    /* For version 5 LLVM writes an index of names. gdb 13 takes it for the index of the whole
     * program into which the object is linked. */
    add_flag(e, "Dwarf Version", 4);
}

void debug_finish(Emitter *e) {
    if (e->debug)
        LLVMDIBuilderFinalize(e->debug->builder);
}

void debug_dispose(Emitter *e) {
    if (e->debug && e->debug->builder)
        LLVMDisposeDIBuilder(e->debug->builder);
}

/* ---- places ---- */

static void set_location(Emitter *e) {
    const Where *where = &e->frame.where;
    if (e->debug)
        LLVMSetCurrentDebugLocation2(
            e->builder, LLVMDIBuilderCreateDebugLocation(e->llvm, where->place.line,
                                                         where->place.column, where->scope, NULL));
}

void debug_begin_function(Emitter *e) {
    if (!e->debug)
        return;
    Place place = e->frame.where.place;
    const char *name = LLVMGetValueName(e->frame.function);
    LLVMMetadataRef file = file_at(e, place.file);
    bool is_local = LLVMGetLinkage(e->frame.function) == LLVMInternalLinkage;
    LLVMMetadataRef function = LLVMDIBuilderCreateFunction(
        e->debug->builder, e->debug->unit, name, strlen(name), "", 0, file, place.line,
        e->debug->signature, is_local, true, place.line, LLVMDIFlagZero, e->debug->is_optimized);
    LLVMSetSubprogram(e->frame.function, function);
    e->frame.where.scope = function;
    set_location(e);
}

/* A scope determines the file of its lines. */
static LLVMMetadataRef scope_in(Emitter *e, Place place) {
    const Where *where = &e->frame.where;
    if (place.file == where->place.file)
        return where->scope;
    return LLVMDIBuilderCreateLexicalBlockFile(e->debug->builder, where->scope,
                                               file_at(e, place.file), 0);
}

static bool is_one_line(Place a, Place b) {
    return a.line == b.line && a.file == b.file;
}

/* gdb stops only where the line changes. It must stop at each point of a definition. So loops on
 * the definition's own line, such as those over the pure variables, get the pipeline's line. */
static Place shown_place(Emitter *e, const Stmt *stmt) {
    if (stmt->kind == STMT_LABEL)
        e->frame.where.definition = stmt->place;
    bool is_control = stmt->kind == STMT_FOR || stmt->kind == STMT_LET || stmt->kind == STMT_IF;
    return is_control && is_one_line(stmt->place, e->frame.where.definition) ? e->signature->place
                                                                             : stmt->place;
}

Where debug_enter(Emitter *e, const Stmt *stmt) {
    Where around = e->frame.where;
    if (!e->debug)
        return around;
    Place place = shown_place(e, stmt);
    if (place.line > 0) {
        e->frame.where.scope = scope_in(e, place);
        e->frame.where.place = place;
        set_location(e);
    }
    return around;
}

void debug_leave(Emitter *e, Where around) {
    e->frame.where = around;
    set_location(e);
}

/* ---- variables ---- */

static LLVMMetadataRef type_of(Emitter *e, Type type) {
    enum { BOOLEAN = 2, FLOAT = 4, SIGNED = 5, UNSIGNED = 7 }; /* DW_ATE_.. */
    LLVMMetadataRef *made = &e->debug->types[type_number(type)];
    unsigned encoding = type_is_bool(type)                            ? BOOLEAN
                        : type_is_float(type)                         ? FLOAT
                        : type_is_index(type) || type_is_signed(type) ? SIGNED
                                                                      : UNSIGNED;
    const char *name = type_name(type);
    if (!*made)
        *made =
            LLVMDIBuilderCreateBasicType(e->debug->builder, name, strlen(name),
                                         8 * (uint64_t)type_bytes(type), encoding, LLVMDIFlagZero);
    return *made;
}

/* `x` of `h.s1.x`; null for a name that gdb could not read. */
static const char *shown_name(Emitter *e, Symbol name) {
    LoopName loop;
    const char *text = name->text;
    if (loop_name_parse(e->context, name, &loop))
        text = loop.variable->text;
    return strpbrk(text, ".'") ? NULL : text;
}

void debug_variable(Emitter *e, Symbol name, Type type, LLVMValueRef value) {
    const char *text = e->debug ? shown_name(e, name) : NULL;
    if (!text || emit_lane_count(value) > 1)
        return;
    LLVMDIBuilderRef builder = e->debug->builder;
    Where *where = &e->frame.where;
    LLVMMetadataRef file = file_at(e, where->place.file);
    where->scope = LLVMDIBuilderCreateLexicalBlock(builder, where->scope, file, where->place.line,
                                                   where->place.column);
    set_location(e);
    LLVMMetadataRef variable = LLVMDIBuilderCreateAutoVariable(
        builder, where->scope, text, strlen(text), file, where->place.line, type_of(e, type), true,
        LLVMDIFlagZero, 0);
    LLVMDIBuilderInsertDbgValueRecordAtEnd(
        builder, value, variable, LLVMDIBuilderCreateExpression(builder, NULL, 0),
        LLVMGetCurrentDebugLocation2(e->builder), LLVMGetInsertBlock(e->builder));
}

/* In an outlined function: parameters and the variables of enclosing loops. */
void debug_argument(Emitter *e, Symbol name, LLVMValueRef value) {
    const Parameter *parameter = signature_parameter(e->signature, name);
    LoopName loop;
    if (parameter)
        debug_variable(e, name, parameter->type, value);
    else if (loop_name_parse(e->context, name, &loop) && LLVMTypeOf(value) == e->i64)
        debug_variable(e, name, INDEX, value);
}
