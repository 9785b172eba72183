/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_weighted.c - MPIX_Dims_weighted_create and MPIX_Cart_weighted_create */
#include "config.h"

#include "libtopomap-cart/topomap_cart.h"

#include "libtopomap-cart/cart_grid.h"
#include "libtopomap-cart/cart_weighted.h"

#include "libtopomap-cart/machine.h"

#include "cart/dims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the program links to. */
#define TOPOMAP_CART_API __attribute__((visibility("default")))

/* Ranks into their cells, then the grid over them, which MPI need not reorder
 * any more. */
static int create(MPI_Comm *out,
                  MPI_Comm comm,
                  int cell,
                  int ndims,
                  const int *dims,
                  const int *periods)
{
    MPI_Comm ordered = MPI_COMM_NULL;
    int error = PMPI_Comm_split(comm, 0, cell, &ordered);

    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Cart_create(ordered, ndims, dims, periods, 0, out);
    PMPI_Comm_free(&ordered);
    return error;
}

/* What the program asks for, as rank 0 was given it, so that all ranks do the
 * same. */
enum { WISH_LEVELS, WISH_WIDTHS, WISH_ELEMENTS, WISHES, WISH_TEXT = 512 };
struct wish_words {
    int error; /* an MPI error code */
    int reports;
    char text[WISHES][WISH_TEXT]; /* "": not given */
};

static void read_words(struct wish_words *out, MPI_Info info)
{
    static const char *const keys[WISHES] = {"topomap_levels", "topomap_widths",
                                             "topomap_elements"};
    const char *levels = getenv("TOPOMAP_CART_LEVELS");
    const char *report = getenv("TOPOMAP_CART_REPORT");

    out->reports = report && report[0] != '\0' && strcmp(report, "0") != 0;
    if (levels && (size_t)snprintf(out->text[WISH_LEVELS], WISH_TEXT, "%s",
                                   levels) >= WISH_TEXT)
        out->error = MPI_ERR_INFO_VALUE;
    for (int i = 0; info != MPI_INFO_NULL && i < WISHES; i++) {
        int length, given = 0;

        if (out->error == MPI_SUCCESS)
            out->error = PMPI_Info_get_valuelen(info, keys[i], &length, &given);
        if (out->error != MPI_SUCCESS || !given)
            continue;
        out->error = length >= WISH_TEXT
                         ? MPI_ERR_INFO_VALUE
                         : PMPI_Info_get(info, keys[i], WISH_TEXT - 1,
                                         out->text[i], &given);
    }
}

/* What a grid costs where, from those words. */
struct cart_wish {
    struct levels_wish levels;
    int reports;
    double *weights;  /* [ndims], owned; NULL: none given */
    double *elements; /* [ndims], owned; NULL: none given */
};

static void clear_wish(struct cart_wish *wish)
{
    free(wish->weights);
    free(wish->elements);
}

/* Weights are those given, times widths, over elements (Niethammer and
 * Rabenseifner, slide 13). */
static int weigh(struct cart_wish *out,
                 const struct wish_words *words,
                 int ndims,
                 const double *weights)
{
    const char *widths = words->text[WISH_WIDTHS];
    const char *elements = words->text[WISH_ELEMENTS];

    if (!weights && widths[0] == '\0' && elements[0] == '\0')
        return MPI_SUCCESS;
    out->weights = malloc((size_t)ndims * sizeof(double));
    if (!out->weights)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < ndims; i++)
        out->weights[i] = 1;
    if (widths[0] != '\0' &&
        levels_read_numbers(out->weights, ndims, widths) < 0)
        return MPI_ERR_INFO_VALUE;
    if (elements[0] != '\0' &&
        !(out->elements = malloc((size_t)ndims * sizeof(double))))
        return MPI_ERR_NO_MEM;
    if (out->elements &&
        levels_read_numbers(out->elements, ndims, elements) < 0)
        return MPI_ERR_INFO_VALUE;
    for (int i = 0; i < ndims; i++) {
        if (weights)
            out->weights[i] *= weights[i];
        if (out->elements)
            out->weights[i] /= out->elements[i];
    }
    return MPI_SUCCESS;
}

/* Collective: what rank 0 has read. */
static int read_wish(struct cart_wish *out,
                     MPI_Comm comm,
                     MPI_Info info,
                     int ndims,
                     const double *weights)
{
    struct wish_words words = {.error = MPI_SUCCESS};
    const char *levels = words.text[WISH_LEVELS];
    int rank, error = PMPI_Comm_rank(comm, &rank);

    *out = (struct cart_wish){.levels = {.kinds = LEVELS_ALL}};
    if (error != MPI_SUCCESS)
        return error;
    if (rank == 0)
        read_words(&words, info);
    error = PMPI_Bcast(&words, sizeof(words), MPI_BYTE, 0, comm);
    if (error == MPI_SUCCESS)
        error = words.error;
    if (error == MPI_SUCCESS && levels[0] != '\0' &&
        levels_read_wish(&out->levels, levels) < 0)
        error = MPI_ERR_INFO_VALUE;
    if (error == MPI_SUCCESS)
        error = weigh(out, &words, ndims, weights);
    out->reports = words.reports;
    if (error != MPI_SUCCESS)
        clear_wish(out);
    return error;
}

/* One line on stderr: levels, dimensions, and whether ranks moved. */
static void report(const struct levels *levels,
                   const struct cart_grid *grid,
                   bool moves)
{
    fprintf(stderr, "topomap-cart: grid ");
    for (int i = 0; i < grid->ndims; i++)
        fprintf(stderr, "%s%d", i > 0 ? "x" : "", grid->dims[i]);
    for (uint32_t l = 0; l < levels->nlevels; l++)
        fprintf(stderr, "%s%u %s", l > 0 ? " x " : " on ", levels->counts[l],
                levels->kind[l] == LEVELS_KINDS && l + 1 < levels->nlevels
                    ? "part"
                    : levels_word(levels->kind[l]));
    fprintf(stderr, "; ranks %s\n", moves ? "move" : "stay");
}

int weighted_create(MPI_Comm *comm_cart,
                    MPI_Comm comm,
                    int ndims,
                    const double *weights,
                    const int *periods,
                    MPI_Info info,
                    int *dims)
{
    struct levels levels = {0};
    struct cart_wish wish = {0};
    struct cart_grid grid = {.ndims = ndims, .periods = periods};
    uint32_t *cell = NULL;
    int rank, error, inter;
    bool moves;

    if (ndims < 1 || ndims > MAPCORE_DIMS_MAX || !periods || !dims ||
        !comm_cart)
        return MPI_ERR_ARG;
    if ((error = PMPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS)
        return error;
    if (inter)
        return MPI_ERR_COMM;
    if ((error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS ||
        (error = read_wish(&wish, comm, info, ndims, weights)) != MPI_SUCCESS)
        return error;
    if ((error = machine_find_levels(&levels, comm, &wish.levels)) !=
        MPI_SUCCESS)
        goto out;
    cell = malloc(levels.ntasks * sizeof(*cell));
    grid.dims = malloc((size_t)ndims * sizeof(*dims));
    error = MPI_ERR_NO_MEM;
    if (!cell || !grid.dims)
        goto out;
    memcpy(grid.dims, dims, (size_t)ndims * sizeof(*dims));
    grid.weights = wish.weights;
    grid.elements = wish.elements;
    /* All ranks compute alike, each for itself. */
    error = machine_error(grid_choose(cell, &moves, &grid, &levels));
    if (error == MPI_SUCCESS && wish.reports && rank == 0)
        report(&levels, &grid, moves);
    if (error == MPI_SUCCESS)
        error =
            create(comm_cart, comm, (int)cell[rank], ndims, grid.dims, periods);
    if (error == MPI_SUCCESS)
        memcpy(dims, grid.dims, (size_t)ndims * sizeof(*dims));
out:
    free(grid.dims);
    free(cell);
    levels_clear(&levels);
    clear_wish(&wish);
    return error;
}

int weighted_world(struct levels *out, MPI_Comm comm)
{
    struct cart_wish wish;
    int error = read_wish(&wish, comm, MPI_INFO_NULL, 1, NULL);

    if (error == MPI_SUCCESS) {
        error = machine_find_levels(out, comm, &wish.levels);
        clear_wish(&wish);
    }
    return error;
}

TOPOMAP_CART_API int MPIX_Cart_weighted_create(MPI_Comm comm,
                                               int ndims,
                                               const double dim_weights[],
                                               const int periods[],
                                               MPI_Info info,
                                               int dims[],
                                               MPI_Comm *comm_cart)
{
    int error = weighted_create(comm_cart, comm, ndims, dim_weights, periods,
                                info, dims);

    if (error == MPI_SUCCESS)
        return error;
    PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm,
                              error);
    return error;
}

TOPOMAP_CART_API int MPIX_Dims_weighted_create(int nnodes,
                                               int ndims,
                                               const double dim_weights[],
                                               int dims[])
{
    struct levels flat = {.nlevels = 1};

    if (nnodes < 1 || !dims)
        return MPI_ERR_ARG;
    flat.ntasks = flat.counts[0] = (uint32_t)nnodes;
    flat.kind[0] = LEVELS_KINDS;
    return machine_error(
        grid_lay_out(NULL,
                     &(struct cart_grid){
                         .ndims = ndims, .dims = dims, .weights = dim_weights},
                     &flat));
}
