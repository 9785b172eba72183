/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* curve.c - Hilbert's curve for boxes of any dimension and any sizes, and two
 * simpler orders */
#include "config.h"

#include "cart/curve.h"

#include <stdbool.h>

/* Hilbert's curve halves a square by a U of three pieces, and so on inside
 * each. The same works in a box of any dimension whose sizes are no powers of
 * two. A piece is a box, the corner where the curve enters, and one dimension
 * along which it must leave: at the corner opposite in that dimension alone.
 * Chessboard colours say when there is such a curve: when the size along that
 * dimension is even, or all other sizes are odd, or the box is a line. Every
 * split below makes pieces for which that holds again, and the last cell of a
 * piece is a neighbour of the first cell of the next. In a square or cube of a
 * power of two the pieces are Hilbert's; choosing even halves for two
 * dimensions is Cerveny's "generalized Hilbert curve" (2018). */
struct curve_piece {
    uint32_t n[CURVE_DIMS];     /* sizes */
    uint32_t start[CURVE_DIMS]; /* the corner */
    bool down[CURVE_DIMS];      /* the box lies towards lower coordinates */
};

struct curve {
    uint32_t ndims;
    uint32_t stride[CURVE_DIMS];
    uint32_t *cell;
    size_t ncells;
};

/* Coordinates that lie further into the piece. */
static void advance(struct curve_piece *piece, uint32_t dim, uint32_t by)
{
    piece->start[dim] += piece->down[dim] ? 0 - by : by;
}

/* The piece entered at the other end of a dimension. */
static void turn(struct curve_piece *piece, uint32_t dim)
{
    advance(piece, dim, piece->n[dim] - 1);
    piece->down[dim] = !piece->down[dim];
}

static void emit_line(struct curve *curve,
                      struct curve_piece *piece,
                      uint32_t dim)
{
    for (uint32_t k = 0; k < piece->n[dim]; k++) {
        uint32_t cell = 0;

        for (uint32_t i = 0; i < curve->ndims; i++)
            cell += piece->start[i] * curve->stride[i];
        curve->cell[curve->ncells++] = cell;
        advance(piece, dim, 1);
    }
}

/* The even number next to the half of n, from above. */
static uint32_t even_half(uint32_t n)
{
    return (n / 2 + 1) & ~(uint32_t)1;
}

/* The largest dimension but `along`, or `along` when the box is a line. */
static uint32_t widest(const struct curve *curve,
                       const struct curve_piece *piece,
                       uint32_t along)
{
    uint32_t wide = along;

    for (uint32_t i = 0; i < curve->ndims; i++)
        if (i != along && piece->n[i] > 1 &&
            (wide == along || piece->n[i] > piece->n[wide]))
            wide = i;
    return wide;
}

/* Depth: each split halves a size, so twice the sum of the sizes' bits. */
static void fill(struct curve *curve,
                 const struct curve_piece *whole,
                 uint32_t along)
{
    struct curve_piece piece = *whole;
    uint32_t wide = widest(curve, whole, along), n = whole->n[along], half;

    if (wide == along) {
        emit_line(curve, &piece, along);
    } else if (n >= 4 && (2 * (uint64_t)n > 3 * (uint64_t)whole->n[wide] ||
                          whole->n[wide] == 2)) {
        /* Long: one half after the other. Where n is odd all other sizes are,
         * and any halves will do. */
        half = n % 2 == 0 ? even_half(n) : n / 2;
        piece.n[along] = half;
        fill(curve, &piece, along);
        piece = *whole;
        advance(&piece, along, half);
        piece.n[along] = n - half;
        fill(curve, &piece, along);
    } else if (whole->n[wide] >= 3) {
        /* The U: out along `wide`, over, and back. */
        half = even_half(whole->n[wide]);
        piece.n[along] = n / 2;
        piece.n[wide] = half;
        fill(curve, &piece, wide);
        piece = *whole;
        advance(&piece, wide, half);
        piece.n[wide] -= half;
        fill(curve, &piece, along);
        piece = *whole;
        turn(&piece, along);
        piece.n[along] = n - n / 2;
        piece.n[wide] = half;
        turn(&piece, wide);
        fill(curve, &piece, wide);
    } else {
        /* 2 x 2 x ...: a slab out, a slab back. */
        piece.n[along] = 1;
        fill(curve, &piece, wide);
        turn(&piece, wide);
        advance(&piece, along, 1);
        fill(curve, &piece, wide);
    }
}

/* Through the whole box along its largest even size, or, where all are odd,
 * along the largest: there is always a curve. */
static void fill_box(struct curve *curve, const uint32_t *dims)
{
    struct curve_piece box = {.n = {0}};
    uint32_t along = 0;

    for (uint32_t i = 0; i < curve->ndims; i++) {
        bool even = dims[i] % 2 == 0, had = dims[along] % 2 == 0;

        box.n[i] = dims[i];
        if ((even && !had) || (even == had && dims[i] > dims[along]))
            along = i;
    }
    fill(curve, &box, along);
}

static void fill_lines(struct curve *curve, const uint32_t *dims, bool snake)
{
    uint32_t x[CURVE_DIMS] = {0}, cell = 0;
    bool down[CURVE_DIMS] = {false};

    for (;;) {
        uint32_t i = 0;

        curve->cell[curve->ncells++] = cell;
        for (; i < curve->ndims && x[i] == (down[i] ? 0 : dims[i] - 1); i++) {
            if (snake) {
                down[i] = !down[i];
            } else {
                cell -= x[i] * curve->stride[i];
                x[i] = 0;
            }
        }
        if (i == curve->ndims)
            return;
        x[i] += down[i] ? UINT32_MAX : 1;
        cell += down[i] ? 0 - curve->stride[i] : curve->stride[i];
    }
}

void curve_cells(uint32_t *cell,
                 uint32_t ndims,
                 const uint32_t *dims,
                 enum curve_kind kind)
{
    struct curve curve = {.ndims = ndims, .cell = cell};
    uint32_t stride = 1;

    for (uint32_t i = 0; i < ndims; i++) {
        curve.stride[i] = stride;
        stride *= dims[i];
    }
    if (kind == CURVE_HILBERT)
        fill_box(&curve, dims);
    else
        fill_lines(&curve, dims, kind == CURVE_SNAKE);
}
