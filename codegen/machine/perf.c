/* perf.c -- tells the profiler perf the addresses of loaded functions.
 *
 * perf reads /tmp/perf-PID.map: a line for each function, with its address, length and name. The
 * symbols come from the object's own table. The linker loads a section in one piece, so a symbol is
 * as far from NAME_report in memory as in the object.
 */
#include "codegen/machine/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <llvm-c/Object.h>
#include <unistd.h>

typedef struct ElfSymbols {
    LLVMBinaryRef binary;
    LLVMSectionIteratorRef section;
    LLVMSymbolIteratorRef at;
} ElfSymbols;

/* Is the symbol a function with code? */
static bool is_function(const ElfSymbols *symbols) {
    LLVMMoveToContainingSection(symbols->section, symbols->at);
    if (LLVMObjectFileIsSectionIteratorAtEnd(symbols->binary, symbols->section))
        return false;
    const char *section = LLVMGetSectionName(symbols->section);
    return section && strcmp(section, ".text") == 0 && LLVMGetSymbolSize(symbols->at) > 0;
}

/* Writes the functions if `out` is not null. Returns the offset of NAME_report in its section. */
static uint64_t each_function(const Jit *jit, const ElfSymbols *symbols, uint64_t base, FILE *out) {
    uint64_t found = 0;
    const char *name = jit->name;
    size_t length = strlen(name);
    for (; !LLVMObjectFileIsSymbolIteratorAtEnd(symbols->binary, symbols->at);
         LLVMMoveToNextSymbol(symbols->at)) {
        if (!is_function(symbols))
            continue;
        const char *text = LLVMGetSymbolName(symbols->at);
        uint64_t offset = LLVMGetSymbolAddress(symbols->at);
        if (strncmp(text, name, length) == 0 && strcmp(text + length, "_report") == 0)
            found = offset;
        if (out)
            fprintf(out, "%" PRIx64 " %" PRIx64 " %s\n", base + offset,
                    LLVMGetSymbolSize(symbols->at), text);
    }
    return found;
}

static uint64_t walk(const Jit *jit, LLVMBinaryRef binary, uint64_t base, FILE *out) {
    ElfSymbols symbols = {binary, LLVMObjectFileCopySectionIterator(binary),
                          LLVMObjectFileCopySymbolIterator(binary)};
    uint64_t found = each_function(jit, &symbols, base, out);
    LLVMDisposeSymbolIterator(symbols.at);
    LLVMDisposeSectionIterator(symbols.section);
    return found;
}

/* Does not follow a symbolic link of this name: any user could create one. */
static FILE *open_map(char *path, size_t size) {
    snprintf(path, size, "/tmp/perf-%ld.map", (long)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
    return file < 0 ? NULL : fdopen(file, "a");
}

bool jit_write_perf_map(Context *context, const Jit *jit, const Object *object) {
    char path[64], *message = NULL;
    FILE *out = open_map(path, sizeof path);
    if (!out) {
        diag(context, DIAG_FILE_UNWRITABLE, NOWHERE, arena_format(jit->arena, "%s", path),
             strerror(errno));
        return false;
    }
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)object->bytes, object->length, "object", false);
    LLVMBinaryRef binary = LLVMCreateBinary(bytes, NULL, &message);
    hlc_assert(binary, "an object that was linked can be read");
    walk(jit, binary, (uint64_t)(uintptr_t)jit->report - walk(jit, binary, 0, NULL), out);
    LLVMDisposeBinary(binary);
    LLVMDisposeMemoryBuffer(bytes);
    if (fclose(out) == 0)
        return true;
    diag(context, DIAG_FILE_UNWRITABLE, NOWHERE, arena_format(jit->arena, "%s", path),
         strerror(errno));
    return false;
}
