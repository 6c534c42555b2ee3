/* In: the boot or the kernel of a recording. Out: whether it is this one. */
#include "symbol/boot.h"

#include <elf.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/cursor.h"

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
	struct cursor c = cursor(notes, len);

	while (cursor_left(&c)) {
		uint32_t name_len = cursor_u32(&c);
		uint32_t desc_len = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const uint8_t *name = cursor_bytes(&c, ((uint64_t)name_len + 3) & ~UINT64_C(3));
		const uint8_t *desc = cursor_bytes(&c, ((uint64_t)desc_len + 3) & ~UINT64_C(3));

		if (c.failed)
			return false;
		if (type == NT_GNU_BUILD_ID && name_len == 4 && !memcmp(name, "GNU", 4))
			return desc_len == id_len && !memcmp(desc, id, id_len);
	}
	return false;
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
