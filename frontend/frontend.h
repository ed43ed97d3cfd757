/* frontend.h -- from .hl text to algorithms and schedules, with every validity rule enforced.
 *
 *   parser.c parse*.c   text -> syntax tree with places (ast.h), by base/lex.h
 *   static/         programs that build programs: expands what is known at compile time
 *   frontend.c      a file with its imports -> Module
 *   pipeline.c define.c stages.c reduce.c declarations, stages, inline reductions -> algorithm
 *   recurrence.c extended.c initial_value.c inside.c    blocks of equations, and their rules
 *   scope.c expand.c call.c boundary.c    names; lets, helpers, tables, tuples, boundary conditions
 *   types.c         literals, joins, operators, contraction
 *   valid.c         Defs 4.2 to 4.5, one function per definition
 *   directives.c    schedules
 *
 * elaborate.h describes the elaboration of expressions. docs/language.md is the reference of the
 * language.
 */
#ifndef HLC_FRONTEND_FRONTEND_H
#define HLC_FRONTEND_FRONTEND_H

#include "frontend/constants.h"
#include "ir/algorithm.h"
#include "schedule/schedule.h"

/* What a let without a written type is, as one of its uses made it. Editors show it. */
typedef struct LetType {
    Place place; /* of its name */
    Type type;
} LetType;
typedef Vec(LetType) LetTypes;

/* The contents of a file and its imports. */
typedef struct Module {
    Context *context;
    Arena *arena;
    Vec(Pipeline *) pipelines;
    Vec(Schedule *) schedules;
    Vec(struct FileSyntax *) files; /* expanded, imported ones before those that import them */
    LetTypes let_types;             /* a let's last one counts */
} Module;

/* Reads a file's text for `import`; null if it cannot. The text is copied. errno gives the reason
 * where it is EFBIG (it is longer than the limit) or EXDEV (it lies outside of the root). */
typedef const char *FrontendReader(void *data, Arena *arena, const char *path, size_t *length);

/* Parses and checks a registered file (context_add_file) and its imports. Returns null after
 * reporting. One run reports several errors. */
Module *frontend_load(Context *context, Arena *arena, uint32_t file, FrontendReader *reader,
                      void *data);

/* The same; const parameters get these values. */
Module *frontend_load_given(Context *context, Arena *arena, uint32_t file, FrontendReader *reader,
                            void *data, const GivenConstants *constants);
/* The same for editors: returns what could be elaborated of a text with faults, too. Then `*is_whole`
 * is false. Null if a file does not parse. */
Module *frontend_read(Context *context, Arena *arena, uint32_t file, FrontendReader *reader,
                      void *data, const GivenConstants *constants, bool *is_whole);
/* Resolves `path` relative to the folder of the file `from`. Removes `.` and `..`. */
const char *frontend_resolve(Arena *arena, const char *from, const char *path);
/* Has a pipeline of the module a const parameter of this name? */
bool module_has_constant(const Module *module, const char *name);
/* The name of const parameter `i` of a pipeline, and its value; null behind the last. */
const char *module_constant(const Module *module, const Pipeline *pipeline, size_t i,
                            const char **value);
/* The first parameter without a value of a schedule that can only be extended; null if the pipeline
 * has no such schedule of this name. */
const char *module_open_parameter(const Module *module, const Pipeline *pipeline,
                                  const char *schedule);
/* Schedule `i` of those of the pipeline that can only be extended, and that none extends; null behind
 * the last. */
Symbol module_unused_schedule(const Module *module, const Pipeline *pipeline, size_t i);
/* Prints the module without what is expanded at compile time: a .hl file that means the same. */
void module_print(const Module *module, Arena *arena, FILE *out);

Pipeline *module_pipeline(const Module *module, const char *name);
/* Returns the schedule `name` of a pipeline. */
Schedule *module_schedule(const Module *module, const Pipeline *pipeline, const char *name);

/* Reads a func access from the command line, e.g. `f(3, 4)`, with constant coordinates. Returns
 * false after reporting. */
bool frontend_point(const Module *module, const Pipeline *pipeline, uint32_t file, Symbol *func,
                    int64_t *point, int *dimensions);

#endif
