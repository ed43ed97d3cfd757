/* describe.c -- hlc_describe and hlc_nest: a pipeline, and its loop nest under a schedule, as JSON
 * for programs that draw them (`hlc view`).
 */
#include "library/compiler.h"

#include "library/json.h"
#include "lower/report/explain.h"

#include <inttypes.h>

/* ---- parts ---- */

static void put_separator(FILE *out, bool *is_first) {
    if (!*is_first)
        fputc(',', out);
    *is_first = false;
}

/* ,"place":[file, line, column], null for no place. */
static void put_place(FILE *out, Place place) {
    if (place.line)
        fprintf(out, ",\"place\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", place.file, place.line,
                place.column);
    else
        fputs(",\"place\":null", out);
}

/* {"name":"NAME" */
static void begin_named(FILE *out, const char *name, bool *is_first) {
    put_separator(out, is_first);
    fputs("{\"name\":", out);
    json_text(name, out);
}

/* ---- files ---- */

/* The places of all parts count files from 0, which is no file. */
static void put_files(const Context *context, FILE *out) {
    bool is_first = true;
    fputs(",\"files\":[", out);
    for (size_t i = 0; i < context->files.length; i++) {
        const SourceFile *file = &context->files.data[i];
        put_separator(out, &is_first);
        fputs("{\"path\":", out);
        json_text(i ? file->path : "", out);
        json_member("text", i ? file->text : "", out);
        fprintf(out, ",\"built_in\":%s}", i && file->is_built_in ? "true" : "false");
    }
    fputc(']', out);
}

/* ---- inputs and funcs ---- */

static void put_inputs(const Signature *signature, FILE *out) {
    bool is_first = true;
    fputs(",\"inputs\":[", out);
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        const ImageParameter *image = &signature->images.data[input.index];
        const Parameter *parameter = &signature->parameters.data[input.index];
        begin_named(out, input.is_image ? image->name->text : parameter->name->text, &is_first);
        json_member("type", type_name(input.is_image ? image->type : parameter->type), out);
        if (input.is_image)
            fprintf(out, ",\"dimensions\":%d", image->dimensions);
        put_place(out, input.is_image ? image->place : parameter->place);
        fputc('}', out);
    }
    fputs("],\"outputs\":[", out);
    is_first = true;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        put_separator(out, &is_first);
        json_text(signature->outputs.data[i].func->text, out);
    }
    fputc(']', out);
}

/* The funcs and images that expressions read, each once. */
typedef struct ReadsList {
    FILE *out;
    Map seen; /* Symbol -> itself */
    bool is_first;
} ReadsList;

static void put_read(void *data, Expr node) {
    ReadsList *reads = data;
    if (node->op != OP_ACCESS || map_get(&reads->seen, node->name))
        return;
    map_put(&reads->seen, node->name, node->name);
    put_separator(reads->out, &reads->is_first);
    json_text(node->name->text, reads->out);
}

static void put_stage(Arena *arena, const Func *func, const Stage *stage, FILE *out,
                      bool *is_first) {
    ReadsList reads = {.out = out, .seen = map_create(arena), .is_first = true};
    bool is_first_variable = true;
    put_separator(out, is_first);
    fprintf(out, "{\"number\":%d", stage->number);
    put_place(out, stage->place);
    fputs(",\"reads\":[", out);
    for (int d = 0; d < func->shape->dimensions; d++)
        expr_visit(arena, stage->indices[d], put_read, &reads);
    for (int c = 0; c < func->shape->components; c++)
        expr_visit(arena, stage->values[c], put_read, &reads);
    if (stage->predicate)
        expr_visit(arena, stage->predicate, put_read, &reads);
    fputs("],\"reduction\":[", out);
    for (size_t i = 0; i < stage->reduction.length; i++) {
        put_separator(out, &is_first_variable);
        json_text(stage->reduction.data[i].variable->text, out);
    }
    fputs("]}", out);
}

static void put_func(Arena *arena, const Func *func, FILE *out, bool *is_first) {
    const FuncShape *shape = func->shape;
    bool is_first_type = true, is_first_variable = true, is_first_stage = true;
    begin_named(out, shape->name->text, is_first);
    fprintf(out, ",\"output\":%s", shape->is_output ? "true" : "false");
    put_place(out, func->place);
    fputs(",\"types\":[", out);
    for (int c = 0; c < shape->components; c++) {
        put_separator(out, &is_first_type);
        json_text(type_name(shape->types[c]), out);
    }
    fputs("],\"variables\":[", out);
    for (int d = 0; d < shape->dimensions; d++) {
        put_separator(out, &is_first_variable);
        json_text(shape->variables[d]->text, out);
    }
    fputs("],\"stages\":[", out);
    for (size_t i = 0; i < func->stages.length; i++)
        put_stage(arena, func, func->stages.data[i], out, &is_first_stage);
    fputs("]}", out);
}

static hlc_status describe(hlc *h, void *data) {
    const ShowRequest *show = data;
    const Pipeline *pipeline = compiler_pipeline(h, show->pipeline);
    FILE *out = show->out;
    bool is_first = true;
    if (!pipeline)
        return HLC_USER;
    Map reached = map_create(h->scratch);
    pipeline_reach_outputs(pipeline, &reached, h->scratch);
    fputs("{\"name\":", out);
    json_text(pipeline->signature.name->text, out);
    put_place(out, pipeline->signature.place);
    put_files(h->context, out);
    put_inputs(&pipeline->signature, out);
    fputs(",\"funcs\":[", out);
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (map_get(&reached, pipeline->funcs.data[i]->shape->name))
            put_func(h->scratch, pipeline->funcs.data[i], out, &is_first);
    fputs("]}\n", out);
    return HLC_YES;
}

hlc_status hlc_describe_pipeline(hlc *h, const char *pipeline, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest show = {.pipeline = pipeline, .out = out};
    return compiler_enter(h, describe, &show);
}

/* ---- the loop nest ---- */

static void put_directive(Arena *arena, const Directive *directive, FILE *out) {
    bool is_first = true;
    fputs("{\"text\":", out);
    json_text(directive_text(arena, directive), out);
    put_place(out, directive->place);
    Symbol func = argument_func(&directive->arguments.data[0]);
    json_member("func", func ? func->text : NULL, out);
    fputs(",\"names\":[", out);
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = &directive->arguments.data[i];
        Symbol name = argument->kind == ARGUMENT_LOOP   ? argument->loop.variable
                      : argument->kind == ARGUMENT_NAME ? argument->name
                                                        : NULL;
        if (!name)
            continue;
        put_separator(out, &is_first);
        json_text(name->text, out);
    }
    fputs("]}", out);
}

typedef struct NestLines {
    FILE *out;
    bool is_first;
} NestLines;

static const char *line_kind(const ExplainLine *line) {
    switch (line->stmt->kind) {
    case STMT_FOR:
        return "loop";
    case STMT_ALLOCATE:
        return "allocate";
    case STMT_COMPUTE:
        return "compute";
    case STMT_STORE:
        return "store";
    case STMT_IF:
        return line->is_otherwise ? "otherwise" : "if";
    case STMT_LABEL:
        return "part";
    case STMT_ASSERT:
        return "refused";
    case STMT_NOP:
    case STMT_LET:
    case STMT_PREFETCH:
        break;
    }
    return "other";
}

static void put_loop(const Stmt *loop, FILE *out) {
    const LoopName *name = &loop->loop.name;
    json_member("func", name->func->text, out);
    fprintf(out, ",\"stage\":%d", name->stage);
    json_member("loop", loop->loop.binder->text, out);
    json_member("variable", name->variable->text, out);
    json_member("traversal", traversal_text(loop->loop.traversal), out);
}

static void put_line(void *data, const ExplainLine *line) {
    NestLines *lines = data;
    FILE *out = lines->out;
    const Stmt *stmt = line->stmt;
    put_separator(out, &lines->is_first);
    fprintf(out, "\n{\"kind\":\"%s\",\"depth\":%d", line_kind(line), line->depth);
    json_member("text", line->text, out);
    if (stmt->kind == STMT_FOR)
        put_loop(stmt, out);
    if (stmt->kind == STMT_ALLOCATE)
        json_member("func", stmt->allocate.func->name->text, out);
    if (stmt->kind == STMT_ALLOCATE)
        fprintf(out, ",\"output\":%s", stmt->allocate.func->is_output ? "true" : "false");
    if (stmt->kind == STMT_COMPUTE)
        json_member("func", stmt->compute.func->name->text, out);
    if (stmt->kind == STMT_STORE)
        json_member("func", stmt->store.func->name->text, out);
    if (stmt->kind == STMT_STORE)
        fprintf(out, ",\"stage\":%d", stmt->store.stage);
    if (line->count >= 0)
        fprintf(out, ",\"count\":%" PRId64, line->count);
    if (line->computed >= 0)
        fprintf(out, ",\"computed\":%" PRId64 ",\"distinct\":%" PRId64, line->computed,
                line->distinct);
    put_place(out, stmt->place);
    fputc('}', out);
}

static bool known_value(void *data, Symbol name, Bits *bits) {
    return arguments_known(data, name, bits);
}

/* The prefix of a schedule may be no schedule: prints why, and reports nothing. */
static hlc_status put_refusal(hlc *h, DiagMark before, FILE *out) {
    const char *message = "";
    for (size_t i = before.reports; i < h->context->reports.length; i++)
        if (h->context->reports.data[i].severity == SEVERITY_ERROR)
            message = h->context->reports.data[i].message;
    diag_drop(h->context, before);
    fputs("{\"refused\":", out);
    json_text(message, out);
    fputs("}\n", out);
    return HLC_YES;
}

static hlc_status nest(hlc *h, void *data) {
    const ShowRequest *show = data;
    FILE *out = show->out;
    size_t until =
        show->lowering && show->lowering->until >= 0 ? (size_t)show->lowering->until : SIZE_MAX;
    DiagMark before = diag_mark(h->context);
    const Pipeline *pipeline = compiler_pipeline(h, show->pipeline);
    const Schedule *schedule;
    if (!pipeline || !compiler_schedule(h, pipeline, show->schedule, &schedule))
        return HLC_USER;
    Lowered *lowered = compiler_lower(h, pipeline, show->schedule, PASS_EAGER, until);
    if (!lowered && until != SIZE_MAX)
        return put_refusal(h, before, out);
    if (!lowered)
        return HLC_USER;
    fputs("{\"directives\":[", out);
    for (size_t i = 0; i < lowered->primitives.length; i++) {
        fputs(i ? "," : "", out);
        put_directive(h->scratch, &lowered->primitives.data[i], out);
    }
    fputs("],\"lines\":[", out);
    NestLines lines = {out, true};
    ExplainValues values = {.value = known_value, .data = (void *)show->fixed};
    explain_lines(lowered, h->scratch, show->fixed ? &values : NULL, put_line, &lines);
    fputs("]}\n", out);
    return HLC_YES;
}

hlc_status hlc_nest(hlc *h, const char *pipeline, const char *schedule, int64_t until,
                    const hlc_arguments *fixed, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    hlc_lower_options lowering = {.until = until};
    ShowRequest show = {.pipeline = pipeline,
                        .schedule = schedule,
                        .lowering = &lowering,
                        .fixed = fixed,
                        .out = out};
    return compiler_enter(h, nest, &show);
}
