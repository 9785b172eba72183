/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* package.h - the package that a task is bound to */
#ifndef TOPOMAP_CART_PACKAGE_H
#define TOPOMAP_CART_PACKAGE_H

/* The number of the package (socket) that holds every CPU that the calling
 * thread may use, or -1 when there is none such. */
int package_of_task(void);

#endif
