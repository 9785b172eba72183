/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hwnode.c - the inside of a host, read from what hwloc writes of it: levels
 * or XML */
#include "config.h"

#include "topo/hwnode.h"

#include "base/array.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODE_THREADS_MOST = 4096, /* a few times what any node has */
    LEVELS_MOST = 24,
    LEVEL_NAME = 56,
    WORD = 16,
    NESTED_MOST = 64, /* objects of XML inside one another, devices too */
};

/* The leaves of a tree of nlevels levels that each part something: group[i *
 * nlevels + l] is the object of level l that holds leaf i, level 0 below the
 * root, the last one the leaf itself. */
struct leaves {
    uint32_t n, nlevels;
    uint32_t *group;
    /* What the objects of a level are, those of further levels without:
     * "NUMA L3". */
    char name[LEVELS_MOST][LEVEL_NAME];
};

struct mapcore_hwnode {
    struct arena memory;
    struct leaves cores, threads;
};

/* A node as it is read. */
struct hw_tree {
    struct mapcore_error *err; /* of the caller */
    uint32_t nlevels;
    struct hw_level {
        char word[WORD];  /* hwloc's, "Package", "L3" */
        uint32_t n;       /* objects */
        bool has_memory;  /* it hangs there */
    } level[LEVELS_MOST]; /* from the root down */
    struct hw_object {
        uint32_t parent, level;
        uint32_t number; /* of those of its level */
    } * object;          /* depth first */
    size_t n, capacity;
};

static uint32_t find_level(const struct hw_tree *tree, const char *word)
{
    uint32_t l = 0;

    while (l < tree->nlevels && strcmp(tree->level[l].word, word) != 0)
        l++;
    return l;
}

/* Objects of a new type are the level below their parent's. */
static int add_object(struct hw_tree *tree, const char *word, uint32_t parent)
{
    uint32_t l = find_level(tree, word);
    int error = array_reserve(&tree->object, &tree->capacity, tree->n + 1,
                              sizeof(*tree->object), tree->err);

    if (error < 0)
        return error;
    if (l == tree->nlevels) {
        if (tree->nlevels == LEVELS_MOST)
            return error_set(tree->err, MAPCORE_EINVAL,
                             "a node of more than %d levels", LEVELS_MOST);
        l = parent == MAPCORE_NONE ? 0 : tree->object[parent].level + 1;
        memmove(&tree->level[l + 1], &tree->level[l],
                (tree->nlevels++ - l) * sizeof(*tree->level));
        tree->level[l] = (struct hw_level){.n = 0};
        snprintf(tree->level[l].word, WORD, "%s", word);
        for (size_t i = 0; i < tree->n; i++)
            tree->object[i].level += tree->object[i].level >= l;
    }
    tree->object[tree->n++] = (struct hw_object){parent, l, tree->level[l].n++};
    return 0;
}

/* hwloc's word for a type of objects, by its name or the beginning of it; false
 * for devices, and what is none. */
static bool find_word(char word[WORD], const char *name, size_t n)
{
    static const struct {
        const char *name, *word;
    } types[] = {
        {"machine", "Machine"}, {"package", "Package"}, {"socket", "Package"},
        {"die", "Die"},         {"group", "Group"},     {"numanode", "NUMA"},
        {"node", "NUMA"},       {"core", "Core"},       {"pu", "PU"}};

    if (n >= 2 && (name[0] | 32) == 'l' && isdigit((unsigned char)name[1])) {
        const int kind = n > 2 ? name[2] | 32 : 'c';

        /* Caches of level 1 hold data, where nothing else is said. */
        snprintf(word, WORD, "L%c%s", name[1],
                 kind == 'i'                                      ? "i"
                 : kind == 'd' || (name[1] == '1' && kind == 'c') ? "d"
                                                                  : "");
        return true;
    }
    for (size_t i = 0; n >= 2 && i < sizeof(types) / sizeof(types[0]); i++)
        if (strncasecmp(name, types[i].name, n) == 0) {
            snprintf(word, WORD, "%s", types[i].word);
            return true;
        }
    return false;
}

/* "core:8", "numa:2(memory=8GB)", or "[numa]", memory of the level above; and
 * the blanks behind it. */
static bool take_level(const char **at, char word[WORD], uint64_t *count)
{
    const bool hangs = **at == '[';
    const char *name = *at + hangs;
    const size_t n = strcspn(name, ":([] \n");
    const char *p = name + n;
    char *end;

    *count = 1;
    if (!find_word(word, name, n))
        return false;
    if (!hangs) {
        if (p[0] != ':' || !isdigit((unsigned char)p[1]))
            return false;
        *count = strtoul(p + 1, &end, 10);
        p = end;
        if (p[strspn(p, " \n")] == '(')
            p += strspn(p, " \n");
    }
    if (*p == '(')
        p += strcspn(p, ")") + (strchr(p, ')') != NULL);
    if (hangs && *p++ != ']')
        return false;
    *at = p + strspn(p, " \n");
    return *count > 0 && (*at > p || *p == '\0' || *p == '[');
}

/* "package:2 l3:4 core:8". */
static int read_levels(struct hw_tree *tree, const char *description)
{
    uint32_t last[LEVELS_MOST + 1], count[LEVELS_MOST + 1], n = 1, groups = 0;
    char word[LEVELS_MOST + 1][WORD] = {"Machine"};
    uint64_t threads = 1, number;
    bool has_core = false;

    for (const char *at = description; *at != '\0'; n++) {
        if (n >= LEVELS_MOST || strcmp(word[n - 1], "PU") == 0 ||
            !take_level(&at, word[n], &number) ||
            (has_core && word[n][0] != 'L' && strcmp(word[n], "PU") != 0))
            return MAPCORE_EINVAL;
        has_core |= strcmp(word[n], "Core") == 0;
        if (strcmp(word[n], "Group") == 0)
            snprintf(word[n], WORD, "Group%u", groups++);
        for (uint32_t l = 0; l < n; l++)
            if (strcmp(word[l], word[n]) == 0)
                return MAPCORE_EINVAL;
        if (__builtin_mul_overflow(threads, number, &threads) ||
            threads > NODE_THREADS_MOST)
            return MAPCORE_ERANGE;
        count[n] = (uint32_t)number;
    }
    if (n == 1)
        return MAPCORE_EINVAL;
    if (strcmp(word[n - 1], "PU") != 0) {
        snprintf(word[n], WORD, "PU");
        count[n++] = 1;
    }
    last[0] = 0;
    if (add_object(tree, word[0], MAPCORE_NONE) < 0)
        return MAPCORE_ENOMEM;
    for (uint64_t i = 0; i < threads; i++) {
        uint64_t inside = threads;

        for (uint32_t l = 1; l < n; l++) {
            inside /= count[l];
            if (i % inside != 0)
                continue;
            last[l] = (uint32_t)tree->n;
            if (add_object(tree, word[l], last[l - 1]) < 0)
                return MAPCORE_ENOMEM;
        }
    }
    return 0;
}

/* The value of an attribute of the tag that ends at end; n 0: it has none. */
static const char *attribute(const char *tag,
                             const char *end,
                             const char *name,
                             size_t *n)
{
    char begin[WORD * 2];
    const size_t length =
        (size_t)snprintf(begin, sizeof(begin), " %s=\"", name);
    const char *p = memmem(tag, (size_t)(end - tag), begin, length);

    *n = p ? strcspn(p + length, "\"") : 0;
    return p ? p + length : tag;
}

/* The type of the object of a tag; false for what parts no tasks, as devices
 * and caches of instructions. hwloc 1 wrote <object type="Cache" depth="3">. */
static bool find_type(char word[WORD], const char *tag, const char *end)
{
    size_t n, length;
    const char *type = attribute(tag, end, "type", &n);
    const char *depth = attribute(tag, end, "depth", &length);
    char cache[WORD];

    if (n == 5 && strncmp(type, "Cache", 5) == 0) {
        const char *kind = attribute(tag, end, "cache_type", &n);

        n = (size_t)snprintf(cache, sizeof(cache), "L%.*s%s", length > 0, depth,
                             n > 0 && *kind == '2' ? "i" : "");
        type = cache;
    }
    if (!find_word(word, type, n))
        return false;
    if (strcmp(word, "Group") == 0)
        snprintf(word, WORD, "Group%.*s", length < 4 ? (int)length : 4, depth);
    return word[2] != 'i';
}

/* Memory is an object that holds nothing; hwloc 1 had cores in it. */
static void end_object(struct hw_tree *tree, uint32_t at)
{
    const struct hw_object *object = &tree->object[at];
    struct hw_level *level = &tree->level[object->level];

    if (at + 1 != tree->n || strcmp(level->word, "NUMA") != 0 ||
        object->parent == MAPCORE_NONE)
        return;
    tree->level[tree->object[object->parent].level].has_memory = true;
    level->n--;
    tree->n--;
}

/* Objects within objects, <object type="Package"> ... </object>. */
static int read_xml(struct hw_tree *tree, const char *xml)
{
    uint32_t open[NESTED_MOST + 1] = {MAPCORE_NONE}, depth = 0;
    char word[WORD];

    for (const char *p = xml; (p = strchr(p, '<')); p++) {
        const char *end;
        bool closes = strncmp(p, "</object>", 9) == 0;

        if (!closes && strncmp(p, "<object ", 8) != 0)
            continue;
        end = strchr(p, '>');
        if (!end || (closes ? depth == 0 : depth == NESTED_MOST))
            return MAPCORE_EINVAL;
        if (!closes) {
            open[depth + 1] = open[depth];
            depth++;
            if (find_type(word, p, end)) {
                open[depth] = (uint32_t)tree->n;
                if (add_object(tree, word, open[depth - 1]) < 0)
                    return MAPCORE_EINVAL;
            }
            closes = end[-1] == '/';
        }
        if (!closes)
            continue;
        if (open[depth] != open[depth - 1])
            end_object(tree, open[depth]);
        depth--;
    }
    return depth > 0 ? MAPCORE_EINVAL : 0;
}

/* Levels that have as many objects as this one are the same to us, and so is
 * memory that hangs there. A group that it hangs at is hwloc's own, made for
 * that. */
static void name_level(char *name, const struct hw_tree *tree, uint32_t l)
{
    const uint32_t n = tree->level[l].n;
    size_t used = 0;

    for (; l < tree->nlevels && (tree->level[l].n == n || !tree->level[l].n);
         l++) {
        const struct hw_level *level = &tree->level[l];
        const bool is_group = strncmp(level->word, "Group", 5) == 0;
        const char *const words[] = {
            is_group && level->has_memory ? "" : level->word,
            level->has_memory ? "NUMA" : ""};

        for (int i = 0; i < 2 && level->n > 0; i++)
            if (words[i][0] != '\0' && strcmp(words[i], "PU") != 0 &&
                used + strlen(words[i]) + 2 <= LEVEL_NAME)
                used += (size_t)snprintf(name + used, LEVEL_NAME - used, "%s%s",
                                         used > 0 ? " " : "", words[i]);
    }
    if (used == 0)
        snprintf(name, LEVEL_NAME, "PU");
}

/* The objects of a level; each level above is that of the ancestors in it, and
 * is left out where it has no more objects than the one above. */
static void set_leaves(struct leaves *out,
                       const struct hw_tree *tree,
                       uint32_t leaf,
                       struct arena *memory)
{
    uint32_t kept[LEVELS_MOST], last = 1, *group;

    for (uint32_t l = 0; l <= leaf; l++)
        if (tree->level[l].n > last) {
            last = tree->level[l].n;
            name_level(out->name[out->nlevels], tree, l);
            kept[out->nlevels++] = l;
        }
    out->n = tree->level[leaf].n;
    out->group = group =
        arena_alloc(memory, out->n, (out->nlevels + 1) * sizeof(*out->group));
    for (size_t i = 0; group && i < tree->n; i++) {
        const struct hw_object *at = &tree->object[i];

        if (at->level != leaf)
            continue;
        for (uint32_t l = out->nlevels; l-- > 0;) {
            while (at->level > kept[l] && at->parent != MAPCORE_NONE)
                at = &tree->object[at->parent];
            group[l] = at->number;
        }
        group += out->nlevels;
    }
}

int mapcore_hwnode_create(struct mapcore_hwnode **out,
                          const char *description,
                          struct mapcore_error *err)
{
    const bool is_xml = description[0] == '<';
    struct mapcore_hwnode *node;
    struct hw_tree tree = {.err = err, .n = 0};
    uint32_t threads, cores;
    int error;

    if (is_xml && strnlen(description, MAPCORE_HWNODE_XML_MOST + 1) >
                      MAPCORE_HWNODE_XML_MOST)
        return error_set(err, MAPCORE_ERANGE,
                         "the node's XML has more than %zu MiB",
                         MAPCORE_HWNODE_XML_MOST >> 20);
    node = array_alloc(1, sizeof(*node), err);
    if (!node)
        return MAPCORE_ENOMEM;
    error =
        is_xml ? read_xml(&tree, description) : read_levels(&tree, description);
    threads = find_level(&tree, "PU");
    cores = find_level(&tree, "Core");
    if (cores == tree.nlevels)
        cores = threads;
    if (error == MAPCORE_EINVAL)
        error_set(err, error,
                  "\"%.64s\" does not describe a node: levels such as "
                  "package:2 l3:4 core:8 do, or hwloc's XML",
                  description);
    else if (error == 0 && (threads == tree.nlevels || cores > threads))
        error = error_set(err, MAPCORE_EINVAL,
                          "a node without hardware threads, or cores");
    if (error == MAPCORE_ERANGE ||
        (error == 0 && tree.level[threads].n > NODE_THREADS_MOST))
        error = error_set(err, MAPCORE_ERANGE,
                          "a node \"%.64s\" has more than %d hardware threads",
                          description, NODE_THREADS_MOST);
    if (error == 0) {
        node->memory.err = err;
        set_leaves(&node->threads, &tree, threads, &node->memory);
        set_leaves(&node->cores, &tree, cores, &node->memory);
        error = node->memory.error;
    }
    free(tree.object);
    if (error < 0)
        mapcore_hwnode_destroy(node);
    else
        *out = node;
    return error;
}

void mapcore_hwnode_destroy(struct mapcore_hwnode *node)
{
    if (!node)
        return;
    arena_clear(&node->memory);
    free(node);
}

uint32_t mapcore_hwnode_ncores(const struct mapcore_hwnode *node)
{
    return node->cores.n;
}

/* The leaves that nslots slots are dealt over. */
static const struct leaves *leaves_of(const struct mapcore_hwnode *node,
                                      uint32_t nslots)
{
    return nslots > node->cores.n ? &node->threads : &node->cores;
}

/* The objects that hold a slot. */
static const uint32_t *groups_of(const struct leaves *leaves,
                                 uint32_t nslots,
                                 uint32_t slot)
{
    const uint32_t n = nslots < leaves->n ? nslots : leaves->n;

    return leaves->group +
           (uint64_t)(slot % n) * leaves->n / n * leaves->nlevels;
}

uint32_t mapcore_hwnode_distance(const struct mapcore_hwnode *node,
                                 uint32_t nslots,
                                 uint32_t a,
                                 uint32_t b)
{
    const struct leaves *leaves = leaves_of(node, nslots);
    const uint32_t *x = groups_of(leaves, nslots, a);
    const uint32_t *y = groups_of(leaves, nslots, b);
    uint32_t common = 0;

    while (common < leaves->nlevels && x[common] == y[common])
        common++;
    return 2 * (leaves->nlevels - common);
}

void mapcore_hwnode_object(char *text,
                           const struct mapcore_hwnode *node,
                           uint32_t nslots,
                           uint32_t slot,
                           uint32_t steps)
{
    const struct leaves *leaves = leaves_of(node, nslots);
    const uint32_t up = steps / 2;
    const uint32_t level = up < leaves->nlevels ? leaves->nlevels - up : 0;

    snprintf(text, MAPCORE_HWNODE_TEXT, "%s %u",
             leaves->nlevels > 0 ? leaves->name[level] : "PU",
             leaves->nlevels > 0
                 ? (unsigned)groups_of(leaves, nslots, slot)[level]
                 : 0u);
}

/* "L3" of "NUMA L3". */
static bool has_word(const char *name, const char *word)
{
    const size_t n = strlen(word);

    for (; *name; name += strcspn(name, " "), name += *name == ' ')
        if (strncasecmp(name, word, n) == 0 && strchr(" ", name[n]))
            return true;
    return false;
}

uint32_t mapcore_hwnode_object_number(const struct mapcore_hwnode *node,
                                      uint32_t nslots,
                                      uint32_t slot,
                                      const char *type)
{
    const struct leaves *leaves = leaves_of(node, nslots);

    for (uint32_t l = 0; l < leaves->nlevels; l++)
        if (has_word(leaves->name[l], type))
            return groups_of(leaves, nslots, slot)[l];
    return 0;
}
