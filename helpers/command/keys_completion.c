/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys_completion.c -- what completes commands, options, keys and their words in a shell: a script for each, of the same two lists. */
#include <stdio.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/command/keys_completion.h"
#include "helpers/scenario/keys.h"

/* ---- the lists ---- */

static void put_keys(const char *between)
{
    for (const struct key *key = NULL; (key = key_next(key));)
        printf("%s%s", key->name, between);
    for (size_t i = 0; i < key_families_count; i++)
        printf("%s%s", key_families[i].name, between);
}

static bool has_words(const struct key *key)
{
    return key->rules.type == VALUE_CHOICE || key->rules.type == VALUE_BOOL;
}

static void put_choices(const struct key *key, const char *before, const char *between)
{
    static const char *const truth[] = {"true", "false"};
    bool plain = key->rules.type == VALUE_BOOL;
    size_t count = plain ? 2 : key->rules.choices_end;
    for (size_t i = 0; i < count; i++)
        if (plain || key->rules.choices[i])
            printf("%s%s%s", before, plain ? truth[i] : key->rules.choices[i], between);
}

/* ---- bash and zsh ---- */

/* What prints the words of key $1. */
static void put_cases(void)
{
    puts("_iwarpsim_values() {\n  case $1 in");
    for (const struct key *key = NULL; (key = key_next(key));)
        if (has_words(key)) {
            printf("    %s) echo '", key->name);
            put_choices(key, "", " ");
            puts("' ;;");
        }
    puts("  esac\n}");
}

static const char bash[] =
    "_iwarpsim() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "  COMPREPLY=()\n"
    "  if [ \"$COMP_CWORD\" = 1 ] || [ \"$before\" = help ]; then\n"
    "    COMPREPLY=($(compgen -W \"$(iwarpsim --help | awk '/^  [a-z]/ {print $1}')\" -- \"$word\"))\n"
    "  elif [ \"$before\" = --set ]; then\n"
    "    COMPREPLY=($(compgen -S = -W \"$_iwarpsim_keys\" -- \"$word\")); compopt -o nospace\n"
    "  elif [ \"$word\" = = ]; then\n"
    "    COMPREPLY=($(_iwarpsim_values \"$before\"))\n"
    "  elif [ \"$before\" = = ]; then\n"
    "    COMPREPLY=($(compgen -W \"$(_iwarpsim_values \"${COMP_WORDS[COMP_CWORD-2]}\")\" -- \"$word\"))\n"
    "  elif [ \"${COMP_WORDS[1]}\" = keys ]; then\n"
    "    COMPREPLY=($(compgen -W \"$_iwarpsim_keys --man --completion --schema\" -- \"$word\"))\n"
    "  else\n"
    "    case $word in\n"
    "    -*) COMPREPLY=($(compgen -W \"$(iwarpsim \"${COMP_WORDS[1]}\" --help 2>/dev/null | "
    "grep -o -- '--[a-z][a-z0-9-]*' | sort -u)\" -- \"$word\")) ;;\n"
    "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
    "    esac\n"
    "  fi\n"
    "}\n"
    "complete -F _iwarpsim iwarpsim\n";

static const char zsh[] =
    "_iwarpsim() {\n"
    "  local before=$words[CURRENT-1]\n"
    "  if (( CURRENT == 2 )) || [[ $before == help ]]; then\n"
    "    compadd -- $(iwarpsim --help | awk '/^  [a-z]/ {print $1}')\n"
    "  elif [[ $before == --set ]]; then\n"
    "    if compset -P '*='; then compadd -- $(_iwarpsim_values ${IPREFIX%=})\n"
    "    else compadd -S = -- ${=_iwarpsim_keys}; fi\n"
    "  elif [[ $PREFIX == -* ]]; then\n"
    "    compadd -- $(iwarpsim $words[2] --help 2>/dev/null | grep -o -- '--[a-z][a-z0-9-]*' | sort -u)\n"
    "  elif [[ $words[2] == keys ]]; then\n"
    "    compadd -- ${=_iwarpsim_keys}\n"
    "  else\n"
    "    _files\n"
    "  fi\n"
    "}\n"
    "_iwarpsim \"$@\"\n";

static void put_of_sh(const char *first, const char *function)
{
    printf("%s made by `iwarpsim keys --completion %s`\n_iwarpsim_keys='", first,
           function == bash ? "bash" : "zsh");
    put_keys(" ");
    puts("'");
    put_cases();
    fputs(function, stdout);
}

static void put_bash(void)
{
    put_of_sh("# bash completion for iwarpsim,", bash);
}

static void put_zsh(void)
{
    put_of_sh("#compdef iwarpsim\n#", zsh);
}

/* ---- fish ---- */

/* A key with each of its words, and a bare one for what has no words: one a line. */
static void put_fish(void)
{
    puts("# fish completion for iwarpsim, made by `iwarpsim keys --completion fish`\n"
         "function __iwarpsim_settings");
    for (const struct key *key = NULL; (key = key_next(key));) {
        char with[KEY_NAME_MAX + 8];
        snprintf(with, sizeof with, " %s=", key->name);
        printf("  printf '%%s\\n' %s=", key->name);
        if (has_words(key))
            put_choices(key, with, "");
        puts("");
    }
    fputs("end\nset -g __iwarpsim_keys ", stdout);
    put_keys(" ");
    puts("\n"
         "complete -c iwarpsim -n '__fish_is_nth_token 1; or __fish_prev_arg_in help' -f -a "
         "'(iwarpsim --help | string match -rg \"^  ([a-z]+ +.*)\" | string replace -r \" +\" \\t)'\n"
         "complete -c iwarpsim -n '__fish_prev_arg_in --set' -f -a '(__iwarpsim_settings)'\n"
         "complete -c iwarpsim -n '__fish_seen_subcommand_from keys' -f -a '$__iwarpsim_keys'\n"
         "complete -c iwarpsim -n 'string match -q -- \"-*\" (commandline -ct)' -f -a "
         "'(iwarpsim (commandline -opc)[2] --help 2>/dev/null | string match -arg -- "
         "\"(--[a-z][a-z0-9-]*)\")'");
}

/* ---- which ---- */

int print_completion(const char *shell)
{
    static const struct {
        const char *name;
        void (*put)(void);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].put();
            return EXIT_DONE;
        }
    return complain(EXIT_INPUT, "keys", "--completion takes bash, zsh or fish, not '%s'", shell);
}
