/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapgen.c - makes the task graphs and allocations that the mapping benches run
 * on: the same bytes on every machine, for only integers and seeded streams of
 * random numbers go into them */
#include "config.h"

#include "tests/bench/mapgen.h"

#include "base/array.h"
#include "base/text.h"
#include "graph/file/file.h"
#include "topo/topo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int edges_add(struct edges *edges,
              uint32_t a,
              uint32_t b,
              uint64_t bytes,
              struct mapcore_error *err)
{
    int error = array_reserve(&edges->edge, &edges->capacity, edges->n + 1,
                              sizeof(*edges->edge), err);

    if (error == 0)
        edges->edge[edges->n++] = (struct mapcore_edge){a, b, bytes};
    return error;
}

int parse_numbers(uint64_t *value,
                  int max,
                  const char *text,
                  char separator,
                  struct mapcore_error *err)
{
    const char *p = text;
    char *end;
    int n = 0;

    do {
        errno = 0;
        value[n] = strtoull(p, &end, 10);
        if (end == p || errno != 0 || *p == '-' || value[n] > UINT32_MAX)
            return error_set(err, MAPCORE_EINVAL, "%s: not a number", text);
        p = end + 1;
        n++;
    } while (*end == separator && n < max);
    if (*end != '\0')
        return error_set(err, MAPCORE_EINVAL, "%s: not of its form", text);
    return n;
}

int parse_dims(uint32_t *dims, const char *text, struct mapcore_error *e)
{
    uint64_t value[MAX_DIMS], product = 1;
    int n = parse_numbers(value, MAX_DIMS, text, 'x', e);

    for (int i = 0; i < n; i++) {
        product *= value[i];
        if (product == 0 || product > MAX_SIZE)
            return error_set(e, MAPCORE_ERANGE, "%s: not 1 to %d in all", text,
                             (int)MAX_SIZE);
        dims[i] = (uint32_t)value[i];
    }
    return n;
}

int edges_write(uint32_t ntasks,
                const struct edges *edges,
                struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    int error =
        mapcore_graph_create(&graph, ntasks, edges->edge, edges->n, err);

    if (error == 0)
        error = mapcore_graph_write(graph, MAPCORE_GRAPH_METIS, stdout, err);
    mapcore_graph_destroy(graph);
    return error;
}

struct grid {
    uint32_t dims[MAX_DIMS];
    int ndims;
    bool wraps;
    bool box;                 /* all that touch, not only those beside */
    uint64_t bytes[MAX_DIMS]; /* by the number of changed coordinates, - 1 */
};

/* One step of a stencil: offset is read as ndims digits of base 3. Returns
 * the neighbour's number and how many coordinates change, or 0 of them where
 * the neighbour is not there. */
static int step(uint32_t *out, const struct grid *grid, uint32_t at, int offset)
{
    uint32_t stride = 1, b = 0;
    int changed = 0;

    for (int i = 0; i < grid->ndims; i++) {
        uint32_t n = grid->dims[i], x = at / stride % n;
        int by = offset % 3 - 1;

        offset /= 3;
        changed += by != 0;
        if (!grid->wraps && ((by < 0 && x == 0) || (by > 0 && x == n - 1)))
            return 0;
        b += (x + n + (uint32_t)by) % n * stride;
        stride *= n;
    }
    *out = b;
    return changed > 1 && !grid->box ? 0 : changed;
}

/* grid DIMS torus|mesh star|box BYTES[,BYTES]...: tasks numbered with the
 * first dimension fastest. A ring of two counts its pair twice, once each way
 * round, as a program does that sends both ways. */
static int make_grid(char **argv, struct mapcore_error *err)
{
    struct grid grid = {.wraps = strcmp(argv[1], "torus") == 0,
                        .box = strcmp(argv[2], "box") == 0};
    struct edges edges = {0};
    uint32_t n = 1, b = 0;
    int error, offsets = 1;

    if ((grid.ndims = parse_dims(grid.dims, argv[0], err)) < 0)
        return grid.ndims;
    if ((error = parse_numbers(grid.bytes, MAX_DIMS, argv[3], ',', err)) < 0)
        return error;
    for (int i = 0; i < grid.ndims; i++) {
        n *= grid.dims[i];
        offsets *= 3;
    }
    error = 0;
    /* The upper half of the offsets: the lower half are the same pairs. */
    for (uint32_t a = 0; a < n; a++)
        for (int o = offsets / 2 + 1; o < offsets && error == 0; o++) {
            int changed = step(&b, &grid, a, o);

            if (changed > 0)
                error = edges_add(&edges, a, b, grid.bytes[changed - 1], err);
        }
    if (error == 0)
        error = edges_write(n, &edges, err);
    free(edges.edge);
    return error;
}

/* qbox ROWSxCOLUMNS ALLTOALL RING BROADCAST: after the pattern of Qbox (ICS'17
 * section 5.2.2): tasks numbered column by column, all pairs of a column, and
 * along each row a ring and a binomial tree from the first column. */
static int make_qbox(char **argv, struct mapcore_error *err)
{
    uint32_t dims[MAX_DIMS], rows, columns;
    uint64_t bytes[3], one[MAX_DIMS];
    struct edges edges = {0};
    int error = parse_dims(dims, argv[0], err);

    if (error >= 0 && error != 2)
        error = error_set(err, MAPCORE_EINVAL, "%s: not ROWSxCOLUMNS", argv[0]);
    for (int i = 0; i < 3 && error >= 0; i++) {
        error = parse_numbers(one, 1, argv[1 + i], ',', err);
        bytes[i] = one[0];
    }
    if (error < 0)
        return error;
    error = 0;
    rows = dims[0];
    columns = dims[1];
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t i = 0; i < rows && error == 0; i++) {
            uint32_t a = c * rows + i, next = (c + 1) % columns;

            for (uint32_t j = i + 1; j < rows && error == 0; j++)
                error = edges_add(&edges, a, c * rows + j, bytes[0], err);
            if (error == 0)
                error = edges_add(&edges, a, next * rows + i, bytes[1], err);
            if (error == 0 && c > 0)
                error = edges_add(&edges, a, (c & (c - 1)) * rows + i, bytes[2],
                                  err);
        }
    if (error == 0)
        error = edges_write(rows * columns, &edges, err);
    free(edges.edge);
    return error;
}

/* The n, and the two matrices of n * n, of a QAPLIB file. */
static int read_matrices(uint32_t *n,
                         uint64_t **out,
                         const char *path,
                         struct mapcore_error *err)
{
    struct text *text = NULL;
    uint64_t *entry = NULL, number;
    size_t read = 0, wanted = 1;
    char *line;
    int error = text_open(&text, path, err);

    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line)
        while (error == 0 && text_take_u64(&line, &number, NULL)) {
            if (entry && read < wanted) {
                entry[read++] = number;
            } else if (entry || number < 1 || number > 1000) {
                error = text_error(text, err, MAPCORE_EPARSE, "too many");
            } else {
                *n = (uint32_t)number;
                wanted = 2 * (size_t)*n * *n;
                entry = array_alloc(wanted, sizeof(*entry), err);
                error = !entry ? MAPCORE_ENOMEM : 0;
            }
        }
    if (error == 0 && read != wanted)
        error = error_set(err, MAPCORE_EPARSE, "%s: not two matrices", path);
    text_close(text);
    if (error == 0) {
        *out = entry;
        entry = NULL;
    }
    free(entry);
    return error;
}

static bool is_distance(const uint64_t *matrix,
                        uint32_t n,
                        const struct mapcore_topo *topo)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (matrix[i * n + j] != mapcore_topo_distance(topo, i, j))
                return false;
    return true;
}

/* qap FILE SPEC: of a QAPLIB file one of whose matrices has the distances of
 * that network, the other as a task graph. Its bytes are those of both
 * directions, so that the file's cost is half of all tasks' hop-bytes. */
static int make_qap(char **argv, struct mapcore_error *err)
{
    struct mapcore_topo *topo = NULL;
    struct edges edges = {0};
    uint64_t *matrix = NULL, *flow;
    uint32_t n = 0;
    int error = read_matrices(&n, &matrix, argv[0], err);

    if (error == 0)
        error = mapcore_topo_open(&topo, argv[1], err);
    if (error < 0)
        goto out;
    flow = matrix + (size_t)n * n;
    if (mapcore_topo_nhosts(topo) == n && is_distance(flow, n, topo))
        flow = matrix;
    else if (mapcore_topo_nhosts(topo) != n || !is_distance(matrix, n, topo))
        error = error_set(err, MAPCORE_EINVAL, "%.200s: no distances of %.200s",
                          argv[0], argv[1]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n && error == 0; j++)
            if (flow[i * n + j] > 0)
                error = edges_add(&edges, i, j, flow[i * n + j], err);
    if (error == 0)
        error = edges_write(n, &edges, err);
out:
    free(edges.edge);
    free(matrix);
    mapcore_topo_destroy(topo);
    return error;
}

/* The cell next to another, so many steps along each of three dimensions. */
static uint32_t next_cell(uint32_t cell, const uint32_t *dims, uint32_t step)
{
    uint32_t next = 0, stride = 1;

    for (int i = 0; i < 3; i++) {
        next += (cell % dims[i] + dims[i] + step % 3 - 1) % dims[i] * stride;
        stride *= dims[i];
        cell /= dims[i];
        step /= 3;
    }
    return next;
}

/* leanmd DIMS BYTES: LeanMD (Kale and others): the cells of a periodic box, an
 * object for each pair of cells that touch, which gets the atoms of both and
 * returns forces, and one for each cell by itself. */
static int make_leanmd(char **argv, struct mapcore_error *err)
{
    uint32_t dims[MAX_DIMS], ncells, object;
    struct edges edges = {0};
    uint64_t bytes;
    int error = parse_dims(dims, argv[0], err);

    if (error != 3)
        return error < 0 ? error
                         : error_set(err, MAPCORE_EINVAL,
                                     "%s: not three dimensions", argv[0]);
    for (int i = 0; i < 3; i++)
        if (dims[i] < 3)
            return error_set(err, MAPCORE_EINVAL, "%s: fewer than 3 cells",
                             argv[0]);
    if ((error = parse_numbers(&bytes, 1, argv[1], ',', err)) < 0)
        return error;
    object = ncells = dims[0] * dims[1] * dims[2];
    error = 0;
    for (uint32_t cell = 0; cell < ncells; cell++)
        /* Half of the neighbours: 13 is the cell itself. */
        for (uint32_t step = 13; step < 27 && error == 0; step++, object++) {
            uint32_t next = next_cell(cell, dims, step);

            error = edges_add(&edges, cell, object, bytes, err);
            if (error == 0 && next != cell)
                error = edges_add(&edges, next, object, bytes, err);
        }
    if (error == 0)
        error = edges_write(object, &edges, err);
    free(edges.edge);
    return error;
}

static const struct kind {
    const char *name;
    int nargs;
    const char *args;
    int (*make)(char **argv, struct mapcore_error *err);
} kinds[] = {
    {"grid", 4, "DIMS torus|mesh star|box BYTES[,BYTES]...", make_grid},
    {"qbox", 4, "ROWSxCOLUMNS ALLTOALL RING BROADCAST", make_qbox},
    {"leanmd", 2, "DIMS BYTES", make_leanmd},
    {"fem", 4, "NTASKS DEGREE SCRAMBLED SEED", mapgen_fem},
    {"circuit", 2, "NTASKS SEED", mapgen_circuit},
    {"qap", 2, "FILE SPEC", make_qap},
    {"delaunay", 3, "NTASKS SCRAMBLED SEED", mapgen_delaunay},
    {"rmat", 3, "SCALE DEGREE SEED", mapgen_rmat},
    {"band", 4, "NTASKS WIDTH DEGREE SEED", mapgen_band},
    {"stars", 3, "DIMS HUBS SEED", mapgen_stars},
    {"noise", 4, "DIMS SCRAMBLED EXTRA SEED", mapgen_noise},
    {"hosts", 3, "DIMS NHOSTS SEED", mapgen_hosts},
};

enum { NKINDS = sizeof(kinds) / sizeof(*kinds) };

static int usage(void)
{
    for (int i = 0; i < NKINDS; i++)
        fprintf(stderr, "%s mapgen %s %s\n", i == 0 ? "usage:" : "      ",
                kinds[i].name, kinds[i].args);
    return 2;
}

int main(int argc, char **argv)
{
    struct mapcore_error err;

    for (int i = 0; argc > 1 && i < NKINDS; i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        if (argc != 2 + kinds[i].nargs)
            return usage();
        if (kinds[i].make(argv + 2, &err) == 0 && fflush(stdout) == 0)
            return 0;
        fprintf(stderr, "mapgen: %s\n", err.text);
        return 1;
    }
    return usage();
}
