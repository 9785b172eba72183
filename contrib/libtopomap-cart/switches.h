/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* switches.h - the leaf switch of a node, as topomap's description of the
 * network has it */
#ifndef TOPOMAP_CART_SWITCHES_H
#define TOPOMAP_CART_SWITCHES_H

/* What `topomap topology show --all` prints of the job's nodes; owned, NULL
 * where there is none: outside of Slurm, no network described, no answer within
 * seconds. Runs a process, without copying this one. */
char *switches_ask(double seconds);

/* The number of a node's switch in such a text: the line of the first node that
 * is at the same; -1: not in it. */
int switches_find(const char *text, const char *node);

#endif
