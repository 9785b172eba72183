/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_framework.c - launchers of training frameworks, behind wrappers and in
 * scripts */
#include "config.h"

#include "profiles/program/framework.h"

#include "scratch.h"

#define WORDS_MAX 16

static const struct {
    const char *name, *text;
} scripts[] = {
    {"c10d.sh", "#!/bin/sh\ncd work\nexport X=1\nif [ -n \"$X\" ]; then\n"
                "    exec torchrun --nnodes 4 \\\n        --rdzv_backend c10d "
                "train.py\nfi\n"},
    {"given.sh", "#!/bin/bash\nA=1 torchrun --node_rank=$SLURM_NODEID t.py\n"},
    {"passes.sh", "#!/bin/sh\nulimit -l unlimited\nexec \"$@\"\n"},
    {"plain.sh", "torchrun --rdzv-backend=c10d t.py\n"},
    {"loop.sh", "#!/bin/sh\n./loop.sh ./loop.sh\n"},
    {"talks.sh", "#!/bin/sh\necho torchrun --rdzv-backend=c10d\n"},
};

static const struct {
    const char *command; /* words between |; empty: none */
    const char *backend;
    const char *name;
    enum framework_order order;
} cases[] = {
    {"torchrun|train.py", NULL, "torchrun", FRAMEWORK_GIVEN},
    {"torchrun|train.py", "c10d", "torchrun", FRAMEWORK_BY_NAME},
    {"torchrun|--rdzv-backend=static|train.py", "c10d", "torchrun",
     FRAMEWORK_GIVEN},
    {"/opt/t/bin/torchrun|--rdzv-backend=c10d|t.py", NULL, "torchrun",
     FRAMEWORK_BY_NAME},
    {"torchrun|--rdzv_backend|c10d|t.py", NULL, "torchrun", FRAMEWORK_BY_NAME},
    {"torchrun|--rdzv_backend|etcd-v2|t.py", NULL, "torchrun",
     FRAMEWORK_BY_NAME},
    {"torchrun|--rdzv_backend=$B|t.py", NULL, "torchrun", FRAMEWORK_GIVEN},
    {"torchrun|--rdzv_backend=c10d|--local-addr=a|t.py", NULL, "torchrun",
     FRAMEWORK_GIVEN},
    {"topomap|torchrun|--rdzv_backend=c10d|t.py", NULL, "torchrun",
     FRAMEWORK_GIVEN},
    {"python3|-u|-m|torch.distributed.run|--rdzv_backend=c10d|t.py", NULL,
     "torchrun", FRAMEWORK_BY_NAME},
    {"python3.11|-m|torch.distributed.launch|t.py", NULL,
     "torch.distributed.launch", FRAMEWORK_GIVEN},
    {"python|/opt/bin/torchrun|--rdzv_backend=c10d|t.py", NULL, "torchrun",
     FRAMEWORK_BY_NAME},
    {"accelerate|launch|--rdzv_backend|c10d|t.py", NULL, "accelerate launch",
     FRAMEWORK_BY_NAME},
    {"accelerate|config", NULL, NULL, FRAMEWORK_GIVEN},
    {"deepspeed|t.py", "c10d", "deepspeed", FRAMEWORK_GIVEN},
    {"lightning|run|model|t.py", NULL, "lightning", FRAMEWORK_GIVEN},
    {"ray|start|--head", NULL, "ray", FRAMEWORK_OWN},
    {"env|A=1|numactl|-N|0|torchrun|--rdzv-backend=c10d|t.py", NULL, "torchrun",
     FRAMEWORK_BY_NAME},
    {"apptainer|exec|-B|/x|i.sif|torchrun|--rdzv-backend=c10d|t.py", NULL,
     "torchrun", FRAMEWORK_BY_NAME},
    {"bash|-c|ulimit -c 0; exec torchrun --rdzv-backend=c10d t.py", NULL,
     "torchrun", FRAMEWORK_BY_NAME},
    {"bash|-lc|python -m torch.distributed.run t.py", NULL, "torchrun",
     FRAMEWORK_GIVEN},
    {"./c10d.sh", NULL, "torchrun", FRAMEWORK_BY_NAME},
    {"bash|c10d.sh|x", NULL, "torchrun", FRAMEWORK_BY_NAME},
    {"./given.sh", NULL, "torchrun", FRAMEWORK_GIVEN},
    {"./passes.sh|torchrun|--rdzv-backend=c10d|t.py", NULL, "torchrun",
     FRAMEWORK_BY_NAME},
    {"bash|plain.sh", NULL, "torchrun", FRAMEWORK_BY_NAME},
    {"./plain.sh", NULL, NULL, FRAMEWORK_GIVEN},
    {"./talks.sh", NULL, NULL, FRAMEWORK_GIVEN},
    {"./loop.sh", NULL, NULL, FRAMEWORK_GIVEN},
    {"./app|torchrun|--rdzv-backend=c10d", NULL, NULL, FRAMEWORK_GIVEN},
    {"python3|train.py|torchrun", NULL, NULL, FRAMEWORK_GIVEN},
    {"bash", NULL, NULL, FRAMEWORK_GIVEN},
    {"", NULL, NULL, FRAMEWORK_GIVEN},
};

static int make_files(void **state)
{
    struct scratch *scratch;

    if (scratch_setup(state) < 0)
        return -1;
    scratch = *state;
    if (chdir(scratch->root) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
        put_text(scripts[i].name, scripts[i].text);
        if (chmod(scripts[i].name, 0755) < 0)
            return -1;
    }
    return 0;
}

static void launchers_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[256];
        const char *argv[WORDS_MAX + 1] = {NULL};
        struct framework found;
        int argc = 0;

        snprintf(text, sizeof(text), "%s", cases[i].command);
        for (char *save = NULL, *word = strtok_r(text, "|", &save); word;
             word = strtok_r(NULL, "|", &save))
            argv[argc++] = word;
        assert_ok(framework_find(&found, argc, argv, "/nowhere",
                                 cases[i].backend, NULL));
        if (!!found.name != !!cases[i].name ||
            (found.name && strcmp(found.name, cases[i].name) != 0) ||
            found.order != cases[i].order)
            fail_msg("%s: %s, order %d", cases[i].command,
                     found.name ? found.name : "nothing", (int)found.order);
        if (found.order == FRAMEWORK_BY_NAME)
            assert_non_null(found.instead);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launchers_are_found, make_files,
                                        scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
