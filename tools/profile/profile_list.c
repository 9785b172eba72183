/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_list.c - topomap profile list */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/printable.h"
#include "base/text.h"
#include "profiles/profile.h"
#include "tools/table/csv.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One version and what its profile.json says; profile is NULL when that
 * cannot be read, and why tells. */
struct listing_row {
    struct catalogue_entry entry;
    struct profile *profile;
    struct mapcore_error why;
};

struct listing_table {
    struct listing_row *row;
    size_t n, capacity;
};

static void clear_table(struct listing_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        catalogue_entry_clear(&table->row[i].entry);
        profile_destroy(table->row[i].profile);
    }
    free(table->row);
}

/* Takes the entry over, whatever is returned. */
static int add_row(struct listing_table *table,
                   struct catalogue_entry *entry,
                   struct mapcore_error *err)
{
    struct listing_row *row;
    int error = array_reserve(&table->row, &table->capacity, table->n + 1,
                              sizeof(*table->row), err);

    if (error < 0) {
        catalogue_entry_clear(entry);
        return error;
    }
    row = &table->row[table->n++];
    *row = (struct listing_row){.entry = *entry};
    *entry = (struct catalogue_entry){0};
    if (row->entry.refused)
        error_set(&row->why, MAPCORE_ETRUST, "%s", row->entry.refused);
    else
        (void)profile_read(&row->profile, row->entry.path, &row->why);
    return 0;
}

static int add_root(struct listing_table *table,
                    const char *root,
                    bool own,
                    const struct profile_options *options,
                    struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    size_t n = 0;
    int error =
        catalogue_list(&list, &n, root, own, options->all_versions, err);

    for (size_t i = 0; i < n; i++) {
        if (error == 0 &&
            (!options->operand ||
             strcmp(text_last_part(options->operand), list[i].program) == 0))
            error = add_row(table, &list[i], err);
        catalogue_entry_clear(&list[i]);
    }
    free(list);
    return error;
}

static int print_json(const struct listing_table *table,
                      struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_array(&writer, NULL);
    for (size_t i = 0; i < table->n; i++) {
        const struct listing_row *row = &table->row[i];

        json_begin_object(&writer, NULL);
        json_put_string(&writer, "catalogue", row->entry.root);
        json_put_string(&writer, "program", row->entry.program);
        json_put_string(&writer, "identity", row->entry.identity);
        json_put_u64(&writer, "ntasks", row->entry.ntasks);
        json_put_string(&writer, "version", row->entry.version);
        json_put_bool(&writer, "current", row->entry.current);
        json_put_bool(&writer, "partial", row->entry.partial);
        json_put_string(&writer, "folder", row->entry.path);
        if (!row->profile) {
            json_put_string(&writer, "error", row->why.text);
        } else {
            json_put_string(&writer, "recorded", row->profile->recorded);
            json_put_double(&writer, "seconds", row->profile->seconds);
            json_begin_array(&writer, "types");
            for (size_t k = 0; k < row->profile->ntypes; k++)
                json_put_string(&writer, NULL, row->profile->types[k].name);
            json_end_array(&writer);
        }
        json_end_object(&writer);
    }
    json_end_array(&writer);
    return json_writer_end(&writer, err);
}

static void print_csv(const struct listing_table *table)
{
    puts("program,identity,ntasks,version,current,recorded,seconds,catalogue,"
         "folder,error,partial");
    for (size_t i = 0; i < table->n; i++) {
        const struct listing_row *row = &table->row[i];

        csv_put_name(row->entry.program);
        putchar(',');
        csv_put_name(row->entry.identity);
        printf(",%" PRIu32 ",", row->entry.ntasks);
        csv_put_name(row->entry.version);
        printf(",%d,", row->entry.current);
        csv_put_name(row->profile ? row->profile->recorded : "");
        csv_put_exact(row->profile != NULL,
                      row->profile ? row->profile->seconds : 0);
        putchar(',');
        csv_put_name(row->entry.root);
        putchar(',');
        csv_put_name(row->entry.path);
        putchar(',');
        csv_put_name(row->profile ? "" : row->why.text);
        printf(",%d\n", row->entry.partial);
    }
}

static int join_types(struct buffer *out,
                      const struct profile *profile,
                      bool refused,
                      struct mapcore_error *err)
{
    int error = buffer_printf(out, err, "%s",
                              refused                ? "refused"
                              : !profile             ? "unreadable"
                              : profile->ntypes == 0 ? "none"
                                                     : "");

    for (size_t k = 0; error == 0 && profile && k < profile->ntypes; k++)
        error = buffer_printf(out, err, "%s%s", k > 0 ? "," : "",
                              profile->types[k].name);
    return error;
}

/* Terminals obey what programs are called. */
static void print_clean(const char *text, size_t width)
{
    for (size_t n = printable_write(stdout, text); n < width; n++)
        putchar(' ');
}

static int print_text(const struct listing_table *table,
                      bool all_versions,
                      struct mapcore_error *err)
{
    int program = 7, types_width = 5, error = 0;
    struct buffer *types = array_alloc(table->n, sizeof(*types), err);

    if (!types)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < table->n; i++) {
        size_t length = strlen(table->row[i].entry.program);

        error = join_types(&types[i], table->row[i].profile,
                           table->row[i].entry.refused != NULL, err);
        if (error == 0 && types[i].n < 40 && (int)types[i].n > types_width)
            types_width = (int)types[i].n;
        if (length < 40 && (int)length > program)
            program = (int)length;
    }
    if (error == 0)
        printf("%-*s  %-15s  %7s  %-20s  %-*s  %s\n", program, "PROGRAM",
               "IDENTITY", "TASKS", "RECORDED", types_width, "TYPES",
               all_versions ? "FOLDER" : "CATALOGUE");
    for (size_t i = 0; error == 0 && i < table->n; i++) {
        const struct listing_row *row = &table->row[i];
        char identity[PROFILE_SHORT_IDENTITY];

        profile_shorten(identity, row->entry.identity);
        print_clean(row->entry.program, (size_t)program);
        printf("  %-15s  %7u  ", identity, row->entry.ntasks);
        print_clean(row->profile ? row->profile->recorded : "-", 20);
        printf("  %-*s  ", types_width, types[i].bytes);
        print_clean(all_versions ? row->entry.path : row->entry.root, 0);
        printf("%s%s\n",
               all_versions && row->entry.current ? "  (current)" : "",
               row->entry.partial ? "  (partial)" : "");
        if (!row->profile)
            tool_note("%s", row->why.text);
    }
    for (size_t i = 0; i < table->n; i++)
        buffer_clear(&types[i]);
    free(types);
    return error;
}

static void say_none(const struct profile_roots *roots, const char *operand)
{
    if (roots->list.n == 0)
        tool_note("no catalogue: there is no home");
    else if (operand)
        tool_note("no profile of %s: topomap profile list shows all programs",
                  text_last_part(operand));
    else
        tool_note("no profiles yet: record one with srun --topomap=profile");
}

int profile_list_run(const struct profile_options *options)
{
    struct listing_table table = {0};
    struct profile_roots roots;
    struct mapcore_error err;
    int status = TOOL_OK;
    int error =
        profile_roots_open(&roots, &options->catalogues, options->config, &err);

    if (error < 0)
        return tool_fail("%s", err.text);
    /* One catalogue that cannot be read does not hide the others. */
    for (size_t r = 0; r < roots.list.n; r++)
        if (add_root(&table, roots.list.item[r], roots.own && r == 0, options,
                     &err) < 0)
            status = tool_fail("catalogue %s", err.text);
    if (options->json)
        error = print_json(&table, &err);
    else if (options->csv)
        print_csv(&table);
    else if (table.n > 0)
        error = print_text(&table, options->all_versions, &err);
    else if (status == TOOL_OK)
        say_none(&roots, options->operand);
    if (error < 0)
        status = tool_fail("%s", err.text);
    clear_table(&table);
    profile_roots_close(&roots);
    return status;
}
