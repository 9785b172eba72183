/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_root.c - the users' own catalogues below one folder of the site's, and
 * what they hold together */
#include "config.h"

#include "tools/site/site.h"

#include "base/buffer.h"
#include "base/own_folder.h"
#include "base/text.h"
#include "launch/catalogue_root.h"
#include "launch/plain_name.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the folder above them, of root's. */
#define USAGE_FILE ".topomap-usage"
#define USAGE_WORD "topomap-usage-bytes"
enum { USER_MOST = 64, USAGE_MOST = 4096 };

char *site_root_word(const struct site_file *site)
{
    const char *own = getenv("TOPOMAP_CATALOGUE"), *text = site->catalogue_root;
    const struct passwd *user;
    struct buffer out = {0};
    char name[USER_MOST];

    if (!text || (own && *own))
        return NULL;
    user = getpwuid(getuid());
    snprintf(name, sizeof(name), "%lu", (unsigned long)getuid());
    if (user && plain_name_check(user->pw_name, sizeof(name) - 1))
        snprintf(name, sizeof(name), "%s", user->pw_name);
    buffer_printf(&out, "%.*s/.", (int)site->catalogue_base, text);
    for (text += site->catalogue_base; *text;) {
        const bool is_user = text_after(text, "%u");

        buffer_printf(&out, "%.*s", is_user ? USER_MOST : 1,
                      is_user ? name : text);
        text += is_user ? 2 : 1;
    }
    return buffer_steal(&out);
}

void site_root_export(const struct site_file *site)
{
    char *word = site_root_word(site);

    if (site->profile_umask)
        setenv(CATALOGUE_UMASK, site->profile_umask, 1);
    if (word)
        setenv("TOPOMAP_CATALOGUE", word, 1);
    free(word);
}

void site_root_export_of(const char *config)
{
    struct site_file *site = NULL;
    struct mapcore_error ignored;

    if (site_read(&site, config, &ignored) == 0)
        site_root_export(site);
    site_close(site);
}

bool site_root_is_full(const struct site_file *site, const char *own)
{
    const char *text = site->catalogue_root;
    const size_t n = site->catalogue_base;
    char *base = NULL, *bytes = NULL;
    struct own_folder *folder = NULL;
    struct buffer file = {0};
    uint64_t counted = 0;
    struct stat st;

    if (n > 0 && site->catalogue_quota_mb > 0 && strncmp(own, text, n) == 0 &&
        own[n] == '/' && (base = strndup(text, n)) &&
        own_folder_open(&folder, base, OWN_FOLDER_LOG, NULL) == 0 &&
        own_folder_read(&file, &st, folder, USAGE_FILE, USAGE_MOST, NULL) ==
            0 &&
        st.st_uid == 0 && (bytes = text_value(file.bytes, USAGE_WORD)))
        (void)text_parse_u64(bytes, &counted);
    own_folder_close(folder);
    buffer_clear(&file);
    free(bytes);
    free(base);
    return counted >> 20 > site->catalogue_quota_mb;
}
