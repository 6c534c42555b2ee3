/* In: the boot_id of a recording. Out: whether it is this boot's. */
#include "symbol/boot.h"

#include <string.h>

#include "base/cleanup.h"

bool boot_is_this(const char *boot_id)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char ours[64];

	if (!boot_id[0] || !f || !fgets(ours, sizeof(ours), f))
		return false;
	ours[strcspn(ours, "\n")] = 0;
	return !strcmp(ours, boot_id);
}
