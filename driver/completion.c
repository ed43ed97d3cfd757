/* completion.c -- completions for bash, zsh and fish, from the tables.
 *
 * Each script knows the commands, a command's options and the words of an option. It reads the
 * values of --pipeline and --schedule from the .hl file on the command line. Everything else is
 * completed as a file name.
 */
#include "driver/driver.h"

#include <string.h>

/* A sed command for the names of pipelines or schedules in a file; `%s` is the keyword. */
#define NAMES_IN_FILE "s/^ *%s  *\\([A-Za-z_][A-Za-z_0-9]*\\).*/\\1/p"

static bool takes_names(Option option) {
    const char *text = option_info(option)->text;
    return strcmp(text, "pipeline") == 0 || strcmp(text, "schedule") == 0;
}

static bool takes_files(Option option) {
    const char *argument = option_info(option)->argument;
    return strncmp(argument, "FILE", 4) == 0 || strncmp(argument, "PATH", 4) == 0 ||
           strncmp(argument, "OTHER", 5) == 0;
}

static void put_choices(Option option, const char *separator, FILE *out) {
    size_t length;
    const char *choice;
    for (int i = 0; (choice = option_choice(option, i, &length)); i++)
        fprintf(out, "%s%.*s", i ? separator : "", (int)length, choice);
}

static void put_commands(const char *separator, FILE *out) {
    const CommandInfo *info;
    for (int i = 0; (info = command_info(i)); i++)
        fprintf(out, "%s%s", i ? separator : "", info->text);
}

/* ---- bash ---- */

static void put_bash_options(FILE *out) {
    const CommandInfo *info;
    fputs("    case $command in\n", out);
    for (int c = 0; (info = command_info(c)); c++) {
        fprintf(out, "    %s) options='", info->text);
        const char *separator = "";
        for (int i = 0; i < OPTION_COUNT; i++)
            if (command_has_option(info->text, (Option)i)) {
                fprintf(out, "%s--%s%s", separator, option_info((Option)i)->text,
                        option_is_flag((Option)i) ? "" : "=");
                separator = " ";
            }
        fputs("' ;;\n", out);
    }
    fputs("    esac\n", out);
}

static void put_bash_values(FILE *out) {
    size_t length;
    fputs("    case $option in\n", out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *text = option_info((Option)i)->text;
        if (takes_names((Option)i))
            fprintf(out,
                    "    --%s) words=$(sed -n '" NAMES_IN_FILE "' \"$file\" 2> /dev/null) ;;\n",
                    text, text);
        else if (option_choice((Option)i, 0, &length)) {
            fprintf(out, "    --%s) words='", text);
            put_choices((Option)i, " ", out);
            fputs("' ;;\n", out);
        } else if (!option_is_flag((Option)i) && !takes_files((Option)i))
            fprintf(out, "    --%s) COMPREPLY=(); return ;;\n", text);
    }
    fputs("    esac\n", out);
}

static void put_bash(FILE *out) {
    fputs(
        "# bash completion of hlc\n"
        "_hlc() {\n"
        "    local line=${COMP_LINE:0:COMP_POINT} current command='' file='' option='' options='' "
        "words='' word before\n"
        "    local -a parts\n"
        "    read -ra parts <<< \"$line\"\n"
        "    case $line in *[[:space:]]) parts+=('') ;; esac\n"
        "    local last=$((${#parts[@]} - 1))\n"
        "    current=${parts[last]}\n"
        "    before=${parts[last - 1]}\n"
        "    command=${parts[1]}\n"
        "    for word in \"${parts[@]:2}\"; do\n"
        "        case $word in -*) ;; *.hl) file=$word ;; esac\n"
        "    done\n"
        "    if [ \"$last\" -le 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '",
        out);
    put_commands(" ", out);
    fputs("' -- \"$current\"))\n"
          "        return\n"
          "    fi\n",
          out);
    put_bash_options(out);
    fputs("    case $current in\n"
          "    --*=*) option=${current%%=*} current=${current#*=} ;;\n"
          "    --*)\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
          "        [ ${#COMPREPLY[@]} -eq 1 ] && [ \"${COMPREPLY[0]: -1}\" = = ] && compopt -o "
          "nospace "
          "2> /dev/null\n"
          "        return ;;\n"
          "    *) case \" $options \" in *\" $before= \"*) option=$before ;; esac ;;\n"
          "    esac\n",
          out);
    put_bash_values(out);
    fputs("    if [ -n \"$words\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "    else\n"
          "        compopt -o filenames 2> /dev/null\n"
          "        COMPREPLY=($(compgen -f -- \"${current#*=}\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _hlc hlc\n",
          out);
}

/* ---- zsh ---- */

/* Prints inside single quotes, in a description between brackets: escapes characters that zsh would
 * interpret. */
static void put_zsh_text(const char *text, FILE *out) {
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static void put_zsh_option(Option option, FILE *out) {
    const OptionInfo *info = option_info(option);
    size_t length;
    fprintf(out, "            '%s--%s%s[", option_may_repeat(option) ? "*" : "", info->text,
            option_is_flag(option) ? "" : "=");
    put_zsh_text(info->sentence, out);
    fputc(']', out);
    if (takes_names(option))
        fprintf(out, ":name:{_hlc_names %s}", info->text);
    else if (option_choice(option, 0, &length)) {
        fputs(":word:(", out);
        put_choices(option, " ", out);
        fputc(')', out);
    } else if (takes_files(option))
        fputs(":file:_files", out);
    else if (!option_is_flag(option))
        fputs(":value: ", out);
    fputs("' \\\n", out);
}

static void put_zsh(FILE *out) {
    const CommandInfo *info;
    fputs("#compdef hlc\n"
          "# zsh completion of hlc\n"
          "_hlc_names() {\n"
          "    local -a files names\n"
          "    files=(${(M)words:#*.hl})\n"
          "    names=(${(f)\"$(sed -n \"s/^ *$1  *\\([A-Za-z_][A-Za-z_0-9]*\\).*/\\1/p\" $files[1] "
          "2> "
          "/dev/null)\"})\n"
          "    compadd -a names\n"
          "}\n"
          "_hlc() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          out);
    for (int i = 0; (info = command_info(i)); i++) {
        fprintf(out, "        '%s:", info->text);
        put_zsh_text(info->sentence, out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (int c = 0; (info = command_info(c)); c++) {
        fprintf(out, "    %s)\n        _arguments \\\n", info->text);
        for (int i = 0; i < OPTION_COUNT; i++)
            if (command_has_option(info->text, (Option)i))
                put_zsh_option((Option)i, out);
        fputs("            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n"
          "}\n"
          "_hlc \"$@\"\n",
          out);
}

/* ---- fish ---- */

/* Inside single quotes. */
static void put_fish_text(const char *text, FILE *out) {
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_fish_option(const CommandInfo *info, Option option, FILE *out) {
    const OptionInfo *row = option_info(option);
    size_t length;
    fprintf(out, "complete -c hlc -n '__fish_seen_subcommand_from %s' -l %s%s -d '", info->text,
            row->text,
            option_is_flag(option) ? ""
            : takes_files(option)  ? " -r"
                                   : " -x");
    put_fish_text(row->sentence, out);
    fputc('\'', out);
    if (takes_names(option))
        fprintf(out, " -a '(__hlc_names %s)'", row->text);
    else if (option_choice(option, 0, &length)) {
        fputs(" -a '", out);
        put_choices(option, " ", out);
        fputc('\'', out);
    }
    fputc('\n', out);
}

static void put_fish(FILE *out) {
    const CommandInfo *info;
    fputs("# fish completion of hlc\n"
          "function __hlc_names\n"
          "    for file in (string match -- '*.hl' (commandline -opc))\n"
          "        sed -n \"s/^ *$argv[1]  *\\([A-Za-z_][A-Za-z_0-9]*\\).*/\\1/p\" $file 2> "
          "/dev/null\n"
          "    end\n"
          "end\n",
          out);
    for (int i = 0; (info = command_info(i)); i++) {
        fprintf(out, "complete -c hlc -f -n '__fish_use_subcommand' -a %s -d '", info->text);
        put_fish_text(info->sentence, out);
        fputs("'\n", out);
    }
    for (int c = 0; (info = command_info(c)); c++)
        for (int i = 0; i < OPTION_COUNT; i++)
            if (command_has_option(info->text, (Option)i))
                put_fish_option(info, (Option)i, out);
}

bool completion_print(const char *shell, FILE *out) {
    static const struct {
        const char *shell;
        void (*put)(FILE *out);
    } SHELLS[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof SHELLS / sizeof *SHELLS; i++)
        if (strcmp(SHELLS[i].shell, shell) == 0) {
            SHELLS[i].put(out);
            return true;
        }
    return false;
}
