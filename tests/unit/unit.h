/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit.h - what every test program includes: cmocka, and what it needs first */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What returns 0 or an error has returned 0. */
#define assert_ok(status) assert_int_equal(status, 0)

#endif
