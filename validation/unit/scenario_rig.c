/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenario_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

static char folder[256];

const char *rig_path(const char *name)
{
    static char path[512];
    const char *base = getenv("TMPDIR");
    if (!*folder) {
        snprintf(folder, sizeof folder, "%s/iwarpsim-XXXXXX", base ? base : P_tmpdir);
        assert_non_null(mkdtemp(folder));
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *rig_file(const char *name, const char *text)
{
    const char *path = rig_path(name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

static int rig_clean(void **state)
{
    char command[300];
    (void)state;
    if (!*folder)
        return 0;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
    *folder = 0;
    return 0;
}

TEST_LAST(rig_clean)

struct scenario *rig_scenario(const char *text, const char *const *sets, size_t sets_count)
{
    char error[SCENARIO_ERROR_MAX] = "";
    struct scenario *s = scenario_load(rig_file("test.yaml", text), sets, sets_count, error);
    if (!s)
        fail_msg("refused: %s", error);
    return s;
}

struct point_results rig_results(const struct scenario *s, size_t index, uint32_t repeat)
{
    struct scenario_point point;
    struct point_results results;
    char error[SCENARIO_ERROR_MAX], label[SCENARIO_LABEL_MAX];
    assert_true(scenario_point(s, index, repeat, &point, error));
    scenario_label(s, index, label);
    struct trial_files files = {.label = label};
    struct trial *t = trial_new(&point, &files);
    assert_non_null(t);
    trial_run(t, world_fabric, &results);
    trial_free(t);
    return results;
}

char *rig_row(const struct scenario *s, size_t index, uint32_t repeat)
{
    char *text = NULL;
    size_t size;
    struct point_results results = rig_results(s, index, repeat);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    results_write_row(out, s, index, repeat, &results);
    fclose(out);
    text[strcspn(text, "\n")] = 0;
    return text;
}
