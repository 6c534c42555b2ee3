/* In: the boot or the kernel of a recording. Out: whether it is this one. */
#include "symbol/boot.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "model/notes.h"

bool boot_is_this(const char *boot_id)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char ours[64];

	if (!boot_id[0] || !f || !fgets(ours, sizeof(ours), f))
		return false;
	ours[strcspn(ours, "\n")] = 0;
	return !strcmp(ours, boot_id);
}

/* /sys/kernel/notes is a section of ELF notes. */
static bool kernel_is(const uint8_t *id, size_t id_len)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/notes", "re");
	uint8_t notes[4096];
	size_t len = f ? fread(notes, 1, sizeof(notes), f) : 0;
	uint8_t ours[BUILD_ID_MAX];

	return notes_build_id(notes, len, ours) == id_len && !memcmp(ours, id, id_len);
}

static bool host_is(const struct meta *meta)
{
	struct utsname u;

	return !uname(&u) && *meta->host && !strcmp(meta->host, u.nodename) &&
	       !strcmp(meta->os_release, u.release);
}

bool boot_serves(const struct meta *meta)
{
	if (*meta->boot_id)
		return boot_is_this(meta->boot_id);
	if (!meta->kernel_stext)
		return false;
	return meta->kernel_build_id_len
		       ? kernel_is(meta->kernel_build_id, meta->kernel_build_id_len)
		       : host_is(meta);
}
