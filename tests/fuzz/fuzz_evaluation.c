/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_evaluation.c - what was learnt of a program: what is read has no more
 * runs than are kept, reads the same a second time, and each of its runs is one
 * of them that a history can take over */
#include "config.h"

#include "fuzz.h"

#include "profiles/history/history_evaluation.h"

static void take_over(const struct history_evaluation *evaluation)
{
    struct history history = {0};
    const int error = history_add_forgotten(&history, evaluation);

    EXPECT(error == 0 || error == MAPCORE_ENOMEM);
    EXPECT(history.n <= evaluation->n);
    for (size_t i = 0; i < history.n; i++)
        EXPECT(history.step[i].forgotten &&
               history_evaluation_has(evaluation, &history.step[i]));
    history_clear(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history_evaluation read[2];
    int error[2];

    for (int i = 0; i < 2; i++) {
        struct mapcore_error err = {""};

        error[i] = history_evaluation_parse(&read[i], "e", (const char *)data,
                                            size, &err);
        EXPECT(error[i] == 0 || err.text[0] != '\0');
    }
    EXPECT(error[0] == error[1]);
    if (error[0] == 0) {
        EXPECT(read[0].n <= HISTORY_EVALUATION_RUNS);
        EXPECT(read[0].n == read[1].n && read[0].pairs == read[1].pairs);
        EXPECT(read[0].verdict &&
               strcmp(read[0].verdict, read[1].verdict) == 0);
        take_over(&read[0]);
    }
    for (int i = 0; i < 2 && error[0] == 0; i++)
        history_evaluation_clear(&read[i]);
    return 0;
}
