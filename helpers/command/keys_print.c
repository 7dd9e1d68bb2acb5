/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys_print.c -- iwarpsim keys: the table of keys as text, as a manual page, as shell completion. */
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/scenario/keys.h"
#include "helpers/trial/results.h"

static const char help[] = "usage: iwarpsim keys [PREFIX]\n"
                           "       iwarpsim keys --man | --completion bash\n"
                           "\n"
                           "Prints the keys of a scenario file that start with PREFIX: what is allowed, the "
                           "default, what it counts\n"
                           "and where it acts. --man: the manual page iwarpsim-scenario(5); --completion "
                           "bash: a script to source.\n";

/* ---- text ---- */

static void print_key(FILE *out, const struct key *key)
{
    char allowed[1024];
    value_allowed(&key->rules, allowed, sizeof allowed);
    fprintf(out, "%s: %s", key->name, allowed);
    if (*key->initial)
        fprintf(out, "; default %s", key->initial);
    fprintf(out, "\n    %s\n", key->what);
    if (key->counts)
        fprintf(out, "    Counts: %s.\n", key->counts);
    if (key->acts)
        fprintf(out, "    Acts: %s.\n", key->acts);
    if (key->with)
        fprintf(out, "    Only with: %s %s.\n", key->with, key->is);
}

static int print_keys(const char *prefix)
{
    size_t count, printed = 0, len = strlen(prefix);
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(keys[i].name, prefix, len) == 0) {
            print_key(stdout, &keys[i]);
            printed++;
        }
    if (printed)
        return EXIT_DONE;
    const char *near = key_suggest(prefix);
    fprintf(stderr, "iwarpsim keys: no key starts with '%s'%s%s%s\n", prefix, near ? " (did you mean " : "",
            near ? near : "", near ? "?)" : "");
    return EXIT_INPUT;
}

/* ---- manual page ---- */

/* Text with what troff would take for its own made harmless. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void roff_line(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    roff(text);
    fputs(after, stdout);
}

static void man_key(const struct key *key)
{
    char allowed[1024];
    value_allowed(&key->rules, allowed, sizeof allowed);
    roff_line(".TP\n.B ", key->name, "\n");
    roff(key->what);
    roff_line(" Allowed: ", allowed, ".");
    if (*key->initial)
        roff_line(" Default: ", key->initial, ".");
    if (key->counts)
        roff_line(" Counts: ", key->counts, ".");
    if (key->acts)
        roff_line(" Acts: ", key->acts, ".");
    if (key->with) {
        roff_line(" Only with ", key->with, "");
        roff_line(" ", key->is, ".");
    }
    putchar('\n');
}

static int print_man(void)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    puts(".TH IWARPSIM\\-SCENARIO 5 \"\" \"iwarpsim " IWARPSIM_VERSION "\"\n"
         ".SH NAME\niwarpsim\\-scenario \\- scenario files and results of iwarpsim\n"
         ".SH DESCRIPTION\nA scenario is a YAML file of keys and values. Keys stand in groups or are written "
         "with dots;\n"
         ".B sweep\nholds lists, KEY: [A, B, C]; the points of the scenario are their cross product. Sizes "
         "take the units B KiB MiB GiB\n"
         "kB MB GB, rates bps Kbps Mbps Gbps, times ps ns us ms s. A key that is unknown, a unit that is "
         "missing, a value out\n"
         "of range or a pair of values that makes no sense is an error, and nothing runs.\n"
         ".SH KEYS");
    for (size_t i = 0; i < count; i++)
        man_key(&keys[i]);
    puts(".SH COLUMNS OF results.csv");
    for (size_t i = 0; i < result_columns_count; i++) {
        roff_line(".TP\n.B ", result_columns[i].name, "\n");
        roff_line("", result_columns[i].definition, "");
        roff_line(" (", result_columns[i].unit, ")\n");
    }
    puts(".SH SEE ALSO\n.BR iwarpsim (1)");
    return EXIT_DONE;
}

/* ---- completion ---- */

static void completion_values(const struct key *key)
{
    if (key->rules.type != VALUE_CHOICE && key->rules.type != VALUE_BOOL)
        return;
    printf("    %s) words='", key->name);
    for (size_t i = 0; key->rules.type == VALUE_CHOICE && key->rules.choices[i]; i++)
        printf("%s%s", i ? " " : "", key->rules.choices[i]);
    printf("%s' ;;\n", key->rules.type == VALUE_BOOL ? "true false" : "");
}

static int print_completion(void)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    puts("# bash completion for iwarpsim; made by `iwarpsim keys --completion bash`\n"
         "_iwarpsim_values() {\n  local words=''\n  case $1 in");
    for (size_t i = 0; i < count; i++)
        completion_values(&keys[i]);
    fputs("  esac\n  echo \"$words\"\n}\n_iwarpsim() {\n  local word=${COMP_WORDS[COMP_CWORD]} "
          "before=${COMP_WORDS[COMP_CWORD-1]} keys='",
          stdout);
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? " " : "", keys[i].name);
    puts(
        "'\n"
        "  COMPREPLY=()\n"
        "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
        "    COMPREPLY=($(compgen -W \"$(iwarpsim --help | awk '/^  [a-z]/ {print $1}')\" -- \"$word\"))\n"
        "  elif [ \"$before\" = --set ]; then\n"
        "    COMPREPLY=($(compgen -S = -W \"$keys\" -- \"$word\")); compopt -o nospace\n"
        "  elif [ \"$word\" = = ]; then\n"
        "    COMPREPLY=($(_iwarpsim_values \"$before\"))\n"
        "  elif [ \"$before\" = = ]; then\n"
        "    COMPREPLY=($(compgen -W \"$(_iwarpsim_values \"${COMP_WORDS[COMP_CWORD-2]}\")\" -- \"$word\"))\n"
        "  elif [ \"${COMP_WORDS[1]}\" = keys ]; then\n"
        "    COMPREPLY=($(compgen -W \"$keys --man --completion\" -- \"$word\"))\n"
        "  else\n"
        "    case $word in\n"
        "    -*) COMPREPLY=($(compgen -W '--set --out --jobs --shard --sshloginfile --plot --messages "
        "--trace --pcap "
        "--point --repeat --x --y --by --panels --table --size --logx --logy --title --label --name --notes "
        "--wide --from --to --conn --only --markdown --pictures --beside --student --answers' -- "
        "\"$word\")) ;;\n"
        "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
        "    esac\n"
        "  fi\n"
        "}\n"
        "complete -F _iwarpsim iwarpsim");
    return EXIT_DONE;
}

int command_keys(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc == 2 && strcmp(what, "--man") == 0)
        return print_man();
    if (argc == 3 && strcmp(what, "--completion") == 0 && strcmp(argv[2], "bash") == 0)
        return print_completion();
    if (argc <= 2 && *what != '-')
        return print_keys(what);
    fputs("iwarpsim keys: one prefix, --man, or --completion bash. Try `iwarpsim keys --help`.\n", stderr);
    return EXIT_INPUT;
}
