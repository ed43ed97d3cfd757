/* profile.c -- tells the run-time library which stage a thread computes (runtime/profile.c). Only
 * code made with CodegenOptions.profile has this.
 *
 * Each stage has a site, a global variable. A function fetches the address of its thread's word
 * once, at its beginning. At the beginning of a stage it stores the site's address there; at the
 * end of a compute statement, the address of the site around. So a stage pays for one store, and
 * which site is around is known here:
 *
 *     compute f                     word <- f.s0
 *       for f.s0.y ..
 *         compute g                 word <- g.s0
 *           ..                      word <- f.s0
 *                                   word <- the call
 *
 * The store is volatile, so LLVM keeps it, and atomic, so the sampler may read. No memory of the
 * pipeline aliases the word: nothing is kept from being hoisted.
 *
 * A chunk of a parallel loop may run in any thread. It stores the site of the loop, and restores at
 * its end what was there: nothing in a helper, the site of waiting in the thread that runs the
 * loop. A failure leaves a word as it is, until the chunk or the call restores it.
 */
#include "codegen/emit.h"

struct ProfileSite {
    LLVMValueRef global;
    const char *func, *stage; /* null for the call and waiting */
    hlc_profile_kind kind;
    bool is_parallel;
    const Target *target;
    unsigned lanes, accesses[HLC_ACCESS_KINDS];
    ProfileWork work;
};

struct Profile {
    LLVMValueRef global;
    LLVMTypeRef type, site_type;
    Vec(ProfileSite *) sites;
    ProfileSite *here; /* of the code being emitted */
    bool is_parallel;  /* it is inside a parallel loop */
    bool is_border;    /* it is a version for borders: its accesses are not counted */
};

static LLVMTypeRef struct_of(const Emitter *e, LLVMTypeRef *types, unsigned count, size_t size) {
    LLVMTypeRef type = LLVMStructTypeInContext(e->llvm, types, count, false);
    hlc_assert(LLVMABISizeOfType(e->machine->data, type) == size,
               "a generated struct has the layout of hlc_runtime.h");
    return type;
}

void profile_begin(Emitter *e) {
    if (!e->wants_profile)
        return;
    Profile *profile = e->profile = arena_new(e->arena, Profile);
    LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
    LLVMTypeRef site[] = {e->pointer,
                          e->pointer,
                          e->pointer,
                          e->i32,
                          e->i32,
                          e->i32,
                          LLVMArrayType2(e->i32, HLC_ACCESS_KINDS),
                          e->i32,
                          e->i32,
                          e->i64,
                          real};
    LLVMTypeRef whole[] = {e->pointer, e->pointer, e->i64, e->i64, e->i64, e->i64, e->i64,
                           e->i64,     e->i64,     e->i32, e->i32, e->i32, e->i32, e->pointer};
    *profile = (Profile){.site_type = struct_of(e, site, 11, sizeof(hlc_profile_site)),
                         .type = struct_of(e, whole, 14, sizeof(struct hlc_profile))};
    profile->global = LLVMAddGlobal(e->module, profile->type, "profile");
    LLVMSetLinkage(profile->global, LLVMInternalLinkage);
}

/* ---- sites ---- */

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static ProfileSite *find_site(Emitter *e, hlc_profile_kind kind, const char *func,
                              const char *stage) {
    Profile *profile = e->profile;
    for (size_t i = 0; i < profile->sites.length; i++) {
        ProfileSite *site = profile->sites.data[i];
        if (site->kind == kind && site->is_parallel == profile->is_parallel &&
            site->target == e->target && is_same_text(site->func, func) &&
            is_same_text(site->stage, stage))
            return site;
    }
    ProfileSite *site = arena_new(e->arena, ProfileSite);
    *site = (ProfileSite){.global = LLVMAddGlobal(e->module, profile->site_type, "site"),
                          .func = func,
                          .stage = stage,
                          .kind = kind,
                          .is_parallel = profile->is_parallel,
                          .target = e->target};
    LLVMSetLinkage(site->global, LLVMInternalLinkage);
    vec_push(e->arena, &profile->sites, site);
    return site;
}

/* ---- the word ---- */

/* Fetched in the entry block, which the stack slots precede. */
static LLVMValueRef word(Emitter *e) {
    if (e->frame.profile_word)
        return e->frame.profile_word;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(e->builder);
    LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->frame.entry));
    LLVMSetCurrentDebugLocation2(e->builder, location);
    e->frame.profile_word = emit_runtime_call(e, RUNTIME_hlc_profile_word, NULL);
    LLVMPositionBuilderAtEnd(e->builder, here);
    LLVMSetCurrentDebugLocation2(e->builder, location);
    return e->frame.profile_word;
}

static LLVMValueRef set_access(const Emitter *e, LLVMValueRef access) {
    LLVMSetVolatile(access, true);
    LLVMSetOrdering(access, LLVMAtomicOrderingUnordered);
    LLVMSetAlignment(access, LLVMABIAlignmentOfType(e->machine->data, e->pointer));
    return access;
}

static void put(Emitter *e, LLVMValueRef site) {
    LLVMValueRef address = word(e);
    set_access(e, LLVMBuildStore(e->builder, site, address));
}

/* Stores even what is there in the order of the text: another branch may have run. */
static void go(Emitter *e, ProfileSite *site) {
    put(e, site->global);
    e->profile->here = site;
}

/* ---- statements ---- */

ProfileSite *profile_here(const Emitter *e) {
    return e->profile ? e->profile->here : NULL;
}

void profile_return(Emitter *e, ProfileSite *around) {
    if (e->profile && !e->lanes.count)
        go(e, around);
}

static bool has_loop(const Stmt *label) {
    for (const Stmt *stmt = label->label.body.first; stmt; stmt = stmt->next)
        if (stmt->kind == STMT_FOR)
            return true;
    return false;
}

/* A label in a shared loop is a part of each iteration: it counts if it has a loop itself. */
void profile_label(Emitter *e, const Stmt *label) {
    if (!e->profile || e->lanes.count)
        return;
    const Stmt *stage = stmt_stage(label);
    bool is_part = stmt_is_part(label) && has_loop(label);
    if (stage != label && !is_part)
        return;
    go(e, find_site(e, HLC_PROFILE_STAGE, stmt_func(label)->text,
                    stage ? stage->label.name->text : "s0"));
    ProfileWork work = profile_work(e, label), *known = &e->profile->here->work;
    *known = work.operations + work.bytes > known->operations + known->bytes ? work : *known;
}

ProfileSite *profile_copy(Emitter *e, Symbol func) {
    ProfileSite *around = profile_here(e);
    if (e->profile)
        go(e, find_site(e, HLC_PROFILE_COPY, func->text, ""));
    return around;
}

/* ---- calls and parallel loops ---- */

LLVMValueRef profile_enter(Emitter *e) {
    if (!e->profile)
        return NULL;
    ProfileSite *site = find_site(e, HLC_PROFILE_CALL, NULL, NULL);
    LLVMTypeRef words = LLVMArrayType2(e->i64, sizeof(hlc_profile_call) / 8);
    LLVMValueRef arguments[] = {emit_slot(e, words, "call"), site->global};
    emit_runtime_call(e, RUNTIME_hlc_profile_enter, arguments);
    return arguments[0];
}

void profile_leave(Emitter *e, LLVMValueRef call) {
    if (!e->profile)
        return;
    LLVMValueRef arguments[] = {call, find_site(e, HLC_PROFILE_CALL, NULL, NULL)->global};
    emit_runtime_call(e, RUNTIME_hlc_profile_leave, arguments);
}

void profile_body(Emitter *e) {
    if (e->profile)
        e->profile->here = find_site(e, HLC_PROFILE_CALL, NULL, NULL);
}

ProfileLoop profile_loop_begin(Emitter *e) {
    Profile *profile = e->profile;
    if (!profile)
        return (ProfileLoop){0};
    ProfileLoop loop = {.around = profile->here, .was_parallel = profile->is_parallel};
    profile->is_parallel = true;
    loop.inside = find_site(e, loop.around->kind, loop.around->func, loop.around->stage);
    loop.inside->work = loop.around->work;
    profile->here = loop.inside;
    return loop;
}

void profile_loop_end(Emitter *e, const ProfileLoop *loop) {
    if (!e->profile)
        return;
    e->profile->is_parallel = loop->was_parallel;
    e->profile->here = loop->around;
}

void profile_loop_call(Emitter *e) {
    if (e->profile)
        put(e, find_site(e, HLC_PROFILE_WAIT, NULL, NULL)->global);
}

void profile_loop_return(Emitter *e) {
    if (e->profile)
        put(e, e->profile->here->global);
}

LLVMValueRef profile_chunk_begin(Emitter *e, const ProfileLoop *loop) {
    if (!e->profile)
        return NULL;
    LLVMValueRef before = set_access(e, LLVMBuildLoad2(e->builder, e->pointer, word(e), "before"));
    put(e, loop->inside->global);
    return before;
}

void profile_chunk_end(Emitter *e, LLVMValueRef before) {
    if (e->profile)
        put(e, before);
}

/* ---- what is known of the code ---- */

void profile_border(Emitter *e, bool is_border) {
    if (e->profile)
        e->profile->is_border = is_border;
}

void profile_access(Emitter *e, unsigned kind) {
    Profile *profile = e->profile;
    if (profile && !profile->is_border && !e->rare && !e->lanes.mask)
        profile->here->accesses[kind]++;
}

void profile_lanes(Emitter *e, unsigned lanes) {
    if (e->profile && lanes > e->profile->here->lanes)
        e->profile->here->lanes = lanes;
}

/* ---- NAME_profile ---- */

static LLVMValueRef text(Emitter *e, const char *written) {
    return written ? emit_text(e, written) : LLVMConstNull(e->pointer);
}

static void fill_site(Emitter *e, const ProfileSite *site) {
    LLVMValueRef accesses[HLC_ACCESS_KINDS];
    for (int k = 0; k < HLC_ACCESS_KINDS; k++)
        accesses[k] = LLVMConstInt(e->i32, site->accesses[k], false);
    LLVMValueRef fields[] = {e->profile->global,
                             text(e, site->func),
                             text(e, site->stage),
                             LLVMConstInt(e->i32, site->kind, false),
                             LLVMConstInt(e->i32, site->is_parallel, false),
                             LLVMConstInt(e->i32, site->lanes, false),
                             LLVMConstArray2(e->i32, accesses, HLC_ACCESS_KINDS),
                             LLVMConstInt(e->i32, site->work.operations, false),
                             LLVMConstInt(e->i32, site->work.bytes, false),
                             LLVMConstInt(e->i64, 0, false),
                             LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), 0)};
    LLVMSetInitializer(site->global, LLVMConstStructInContext(e->llvm, fields, 11, false));
}

void profile_finish(Emitter *e) {
    Profile *profile = e->profile;
    if (!profile)
        return;
    LLVMValueRef *sites = arena_array(e->arena, LLVMValueRef, profile->sites.length);
    for (size_t i = 0; i < profile->sites.length; i++) {
        fill_site(e, profile->sites.data[i]);
        sites[i] = profile->sites.data[i]->global;
    }
    LLVMValueRef fields[14] = {
        emit_text(e, e->signature->name->text),
        emit_global(e, LLVMConstArray2(e->pointer, sites, profile->sites.length), "sites"),
        LLVMConstInt(e->i64, profile->sites.length, false)};
    LLVMTypeRef types[14];
    LLVMGetStructElementTypes(profile->type, types);
    for (int i = 3; i < 14; i++)
        fields[i] = LLVMConstNull(types[i]);
    LLVMSetInitializer(profile->global, LLVMConstStructInContext(e->llvm, fields, 14, false));
    LLVMValueRef function =
        LLVMAddFunction(e->module, arena_format(e->arena, "%s_profile", e->signature->name->text),
                        LLVMFunctionType(e->pointer, NULL, 0, false));
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->llvm, function, "entry"));
    LLVMBuildRet(e->builder, profile->global);
}
