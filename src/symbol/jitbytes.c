/* In: a process's jitdump, an address, a name. Out: the bytes that were there. */
#include "symbol/jitbytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* perf's rule: "jit-PID.dump". */
static const struct binary *dump_of(const struct binaries *binaries, uint32_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "jit-%" PRIu32 ".dump", pid);
	for (uint32_t i = 0; i < binaries->v.n; i++) {
		const struct binary *b = binaries_get(binaries, i);

		if (b->kind == BINARY_KIND_FILE && b->path[0] == '/' &&
		    !strcmp(binary_name(b), name))
			return b;
	}
	return NULL;
}

struct err *jitbytes_open(const struct binaries *binaries, const struct binary *anon,
			  struct jitdump *ret)
{
	const struct binary *dump = dump_of(binaries, anon->pid);
	struct stat st;

	if (!dump)
		return err_new("code made at run time, and process %" PRIu32
			       " had no jitdump file, which would hold it",
			       anon->pid);
	_cleanup_close_ int fd = open(dump->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st))
		return err_sys(errno, "code made at run time, and cannot open %s, which holds it",
			       dump->path);
	if (!S_ISREG(st.st_mode) || st.st_ino != dump->inode ||
	    major(st.st_dev) != dump->dev_major || minor(st.st_dev) != dump->dev_minor ||
	    !jitdump_is(fd))
		return err_new("code made at run time, and %s is not the file it was dumped to",
			       dump->path);
	return jitdump_read(fd, ret);
}

static bool same_code(const struct jitdump_code *a, const struct jitdump_code *b)
{
	return a->bytes && b->bytes && a->start == b->start && a->end == b->end &&
	       !memcmp(a->bytes, b->bytes, a->end - a->start);
}

struct err *jitbytes_find(const struct jitdump *d, uint64_t addr, const char *name,
			  const struct jitdump_code **ret)
{
	*ret = NULL;
	for (size_t i = d->code.n; i-- > 0;) {
		const struct jitdump_code *code = &d->code.v[i];

		if (addr < code->start || addr >= code->end ||
		    (name && strcmp(code->name, name) != 0))
			continue;
		if (*ret && !same_code(*ret, code))
			return err_new("code made at run time, of which there was more than one at "
				       "0x%" PRIx64 "%s",
				       addr, name ? " under this name" : "");
		*ret = code;
	}
	return *ret && (*ret)->bytes
		       ? NULL
		       : err_new("code made at run time, and the jitdump file holds none%s at "
				 "0x%" PRIx64,
				 name ? " of this name" : "", addr);
}
