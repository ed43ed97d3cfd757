/* help.c -- prints --help and the manual pages, in scdoc's language, from the tables. */
#include "driver/driver.h"

#include <string.h>

enum { OPTION_TEXT = 256 }; /* the longest lists all passes */

/* "--after=PASS" */
static const char *option_text(Option option, char *text, size_t size) {
    const OptionInfo *info = option_info(option);
    snprintf(text, size, "--%s%s%s", info->text, *info->argument ? "=" : "", info->argument);
    return text;
}

/* Prints two columns; a text too wide for the left one has a line of its own. */
static void print_row(const char *left, int width, const char *right, FILE *out) {
    if ((int)strlen(left) > width)
        fprintf(out, "  %s\n  %*s  %s\n", left, width, "", right);
    else
        fprintf(out, "  %-*s  %s\n", width, left, right);
}

static void print_command(const CommandInfo *info, FILE *out) {
    fprintf(out, "usage: hlc %s %s\n\n%s.\n\n", info->text, info->usage, info->sentence);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char text[OPTION_TEXT];
        if (command_has_option(info->text, (Option)i))
            print_row(option_text((Option)i, text, sizeof text), 18,
                      option_info((Option)i)->sentence, out);
    }
}

void help_print(const CommandInfo *info, FILE *out) {
    if (info) {
        print_command(info, out);
        return;
    }
    fputs("usage: hlc COMMAND ..\n\n", out);
    for (int i = 0; (info = command_info(i)); i++) {
        char left[120];
        snprintf(left, sizeof left, "%-9s %s", info->text, info->usage);
        print_row(left, 42, info->sentence, out);
    }
    fputs("\nhlc COMMAND --help lists a command's options; hlc --version says which version this "
          "is;\nhlc --completion=bash|zsh|fish prints completions for a shell, hlc --manual=PAGE a "
          "manual\npage's source for scdoc.\n\nexit codes:\n",
          out);
    const ExitInfo *exit;
    for (int i = 0; (exit = exit_info(i)); i++)
        fprintf(out, "  %d  %s\n", (int)exit->status, exit->sentence);
}

/* ---- manual pages ----
 *
 * scdoc: `# SECTION`, `*bold*`, `_underlined_`, a tab indents; a backslash takes a character as it
 * is. */

static void put(const char *text, FILE *out) {
    for (; *text; text++) {
        if (strchr("\\*_#[|.<", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_entry(const char *bold, const char *rest, const char *sentence, FILE *out) {
    fputc('*', out);
    put(bold, out);
    fputc('*', out);
    put(rest, out);
    fputs("\n\t", out);
    put(sentence, out);
    fputs("\n\n", out);
}

static void put_exits(FILE *out) {
    const ExitInfo *exit;
    fputs("# EXIT STATUS\n\n", out);
    for (int i = 0; (exit = exit_info(i)); i++) {
        char code[4];
        snprintf(code, sizeof code, "%d", (int)exit->status);
        put_entry(code, "", exit->sentence, out);
    }
}

static void put_head(const char *name, const char *sentence, FILE *out) {
    fprintf(out, "%s(1) \"hlc %s\" \"hlc manual\"\n\n# NAME\n\n%s - ", name, hlc_version(), name);
    put(sentence, out);
    fputs("\n\n# SYNOPSIS\n\n", out);
}

static void put_command_page(const CommandInfo *info, FILE *out) {
    char text[OPTION_TEXT];
    snprintf(text, sizeof text, "hlc-%s", info->text);
    put_head(text, info->sentence, out);
    fprintf(out, "*hlc %s* ", info->text);
    put(info->usage, out);
    fputs("\n\n# OPTIONS\n\nOptions may stand anywhere behind the command, as --option=value or as "
          "--option value; \\-- ends them.\n\n",
          out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const OptionInfo *option = option_info((Option)i);
        if (!command_has_option(info->text, (Option)i))
            continue;
        snprintf(text, sizeof text, "--%s", option->text);
        char value[64];
        snprintf(value, sizeof value, "%s%s", *option->argument ? "=" : "", option->argument);
        put_entry(text, value, option->sentence, out);
    }
    put_exits(out);
    fputs("# SEE ALSO\n\n*hlc*(1)\n", out);
}

bool manual_print(const char *page, FILE *out) {
    const CommandInfo *info;
    int row = strncmp(page, "hlc-", 4) == 0 ? command_find(page + 4) : -1;
    if (row >= 0) {
        put_command_page(command_info(row), out);
        return true;
    }
    if (strcmp(page, "hlc") != 0)
        return false;
    put_head("hlc", "compiles and runs array pipelines under schedules", out);
    fputs("*hlc* COMMAND ..\n\n# COMMANDS\n\n", out);
    for (int i = 0; (info = command_info(i)); i++) {
        char rest[160];
        snprintf(rest, sizeof rest, " %s", info->usage);
        put_entry(info->text, rest, info->sentence, out);
    }
    put_exits(out);
    fputs("# SEE ALSO\n\n", out);
    for (int i = 0; (info = command_info(i)); i++)
        fprintf(out, "%s*hlc-%s*(1)", i ? ", " : "", info->text);
    fputc('\n', out);
    return true;
}
