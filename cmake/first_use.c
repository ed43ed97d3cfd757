/* first_use.c -- writes the names of the functions that a start and compiling call, in the order of
 * their first calls: the linker lays them out so in `hlc` (cmake/llvm.cmake).
 *
 *     first_use OUT FILE.hl ..
 *
 * Of LLVM's 65,000 functions a compilation calls some 12,000, which lie scattered over 33 MB of
 * code.  The kernel maps code in pieces of 64 KB, so nearly all of it becomes resident; laid out
 * together it is 9 MB, and a start has fewer page faults.
 *
 * How: the first byte of each function of this process (of its own symbol table) is replaced by a
 * breakpoint before LLVM's constructors run; the handler of the first call puts the byte back and
 * notes the function.  Then each pipeline of the files is compiled under each of its schedules.
 * What they do not use is only laid out elsewhere, so which ones they are is no question of
 * correctness.  x86-64 and ELF only; the executable lies at fixed addresses (-no-pie).
 */
#include "include/hlc.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { BREAKPOINT = 0xcc, PAGE = 4096 };

typedef struct Function {
    unsigned char *code;
    const char *name;
    unsigned char first; /* its first byte */
} Function;

static struct {
    Function *functions; /* by address */
    size_t count;
    const Function **called; /* by first call */
    size_t called_count;
    bool are_watched;
} all;

/* ---- the functions of this process ---- */

static int by_address(const void *a, const void *b) {
    const Function *left = a, *right = b;
    return (left->code > right->code) - (left->code < right->code);
}

/* Sorts, and keeps one of those that share an address. */
static void sort_functions(void) {
    size_t kept = 0;
    qsort(all.functions, all.count, sizeof *all.functions, by_address);
    for (size_t i = 0; i < all.count; i++)
        if (!kept || all.functions[kept - 1].code != all.functions[i].code)
            all.functions[kept++] = all.functions[i];
    all.count = kept;
}

static bool is_code(const Elf64_Sym *symbol, const Elf64_Shdr *sections, const char *names) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_shndx >= SHN_LORESERVE || symbol->st_size == 0)
        return false;
    return strcmp(names + sections[symbol->st_shndx].sh_name, ".text") == 0;
}

static bool read_symbols(void) {
    struct stat about;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0)
        return false;
    const char *image = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED)
        return false;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + head->e_shoff);
    const char *section_names = image + sections[head->e_shstrndx].sh_offset;
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image + sections[i].sh_offset);
        const char *names = image + sections[sections[i].sh_link].sh_offset;
        size_t count = sections[i].sh_size / sizeof *symbols;
        all.functions = calloc(count, sizeof *all.functions);
        all.called = calloc(count, sizeof *all.called);
        for (size_t k = 0; all.functions && all.called && k < count; k++)
            if (is_code(&symbols[k], sections, section_names))
                all.functions[all.count++] =
                    (Function){(unsigned char *)symbols[k].st_value, names + symbols[k].st_name, 0};
    }
    sort_functions();
    return all.count > 0;
}

/* ---- breakpoints ---- */

/* Calls nothing that could have a breakpoint. */
static void note_call(int number, siginfo_t *info, void *data) {
    (void)number, (void)info;
    greg_t *counter = &((ucontext_t *)data)->uc_mcontext.gregs[REG_RIP];
    unsigned char *code = (unsigned char *)*counter - 1; /* the counter is behind the breakpoint */
    size_t low = 0, high = all.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all.functions[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == all.count || all.functions[low].code != code)
        _exit(1); /* a breakpoint of another */
    *code = all.functions[low].first;
    *counter = (greg_t)code;
    all.called[all.called_count++] = &all.functions[low];
}

static bool set_breakpoints(void) {
    uintptr_t begin = (uintptr_t)all.functions[0].code / PAGE * PAGE,
              end = (uintptr_t)all.functions[all.count - 1].code + PAGE;
    struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 ||
        sigaction(SIGTRAP, &action, NULL) != 0)
        return false;
    for (size_t i = 0; i < all.count; i++) {
        Function *function = &all.functions[i];
        function->first = *function->code;
        if (function->code != (unsigned char *)(uintptr_t)note_call)
            *function->code = BREAKPOINT;
    }
    return true;
}

/* At addresses that are the same each time: LLVM's hash tables go by them, and so what is called.
 */
static void start_again(char **arguments) {
    int now = personality(0xffffffff);
    if (now >= 0 && !(now & ADDR_NO_RANDOMIZE) && personality(now | ADDR_NO_RANDOMIZE) >= 0)
        execv("/proc/self/exe", arguments);
}

/* Before LLVM's own constructors. */
__attribute__((constructor(101))) static void watch(int count, char **arguments) {
    (void)count;
    start_again(arguments);
    all.are_watched = read_symbols() && set_breakpoints();
}

/* ---- what is watched ---- */

static bool compile_all(const char *path) {
    hlc *h = hlc_create();
    bool is_made = hlc_load(h, path) == HLC_YES;
    for (size_t i = 0; is_made && i < hlc_schedule_count(h); i++)
        is_made = hlc_compile_function(h, hlc_schedule_pipeline(h, i), hlc_schedule_name(h, i),
                                       NULL) != NULL;
    hlc_print_diagnostics(h, stderr);
    hlc_destroy(h);
    return is_made;
}

static bool write_names(const char *path) {
    FILE *out = fopen(path, "w");
    for (size_t i = 0; out && i < all.called_count; i++)
        fprintf(out, "%s\n", all.called[i]->name);
    return out && fclose(out) == 0;
}

int main(int count, char **arguments) {
    bool is_done = count > 2 && all.are_watched;
    for (int i = 2; is_done && i < count; i++)
        is_done = compile_all(arguments[i]);
    return is_done && write_names(arguments[1]) ? 0 : 1;
}
