/* In: an ELF machine, a sample's registers. Out: the description of an architecture, one register.
 */
#include "unwind/arch.h"

#include <sys/utsname.h>
#include <string.h>

static const struct arch *const archs[] = { &arch_x86_64, &arch_aarch64 };

enum { N_ARCHS = sizeof(archs) / sizeof(archs[0]) };

const struct arch *arch_find(uint16_t machine)
{
	for (size_t i = 0; i < N_ARCHS; i++) {
		if (archs[i]->machine == machine)
			return archs[i];
	}
	return NULL;
}

const struct arch *arch_by_name(const char *name)
{
	for (size_t i = 0; i < N_ARCHS; i++) {
		if (!strcmp(archs[i]->name, name))
			return archs[i];
	}
	return NULL;
}

const struct arch *arch_native(void)
{
	struct utsname u;

	return uname(&u) ? NULL : arch_by_name(u.machine);
}

bool arch_sample_reg(const struct raw_sample *s, unsigned int perf_reg, uint64_t *ret)
{
	uint64_t bit = UINT64_C(1) << perf_reg;

	if (!s->regs_abi || !(s->regs_mask & bit))
		return false;
	uint64_t below = s->regs_mask & (bit - 1);

	/* Mostly none is left out, and to count bits is a call on a processor that may be old. */
	*ret = s->regs[below == bit - 1 ? perf_reg : (unsigned int)__builtin_popcountll(below)];
	return true;
}
