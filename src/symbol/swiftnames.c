/* In: the raw name of a symbol. Out: what Swift's library makes of it. */
#include "symbol/swiftnames.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define LIBRARY "libswiftDemangle.so"

/* It cannot be told to stop: names longer than any that a compiler makes stay raw. */
enum { SWIFT_IN_MAX = 4096 };

/* Returns the length of the whole result, which may not have fitted; 0: no name of Swift. */
typedef size_t demangle_fn(const char *raw, char *out, size_t out_len);

static struct {
	bool tried;
	demangle_fn *run;
} library;

bool swiftnames_is(const char *raw)
{
	/* Swift 5, 4.2 (with the underscore that some tools add), 4. */
	static const char *const prefixes[] = { "$s", "$S", "_$s", "_$S", "_T0" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(raw, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

const char *swiftnames_missing(void)
{
	void *lib = library.tried ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	library.tried = true;
	if (lib)
		library.run =
			(demangle_fn *)dlsym(lib, "swift_demangle_getSimplifiedDemangledName");
	return library.run ? NULL : LIBRARY;
}

char *swiftnames_readable(const char *raw, size_t max)
{
	if (!swiftnames_is(raw) || strnlen(raw, SWIFT_IN_MAX + 1) > SWIFT_IN_MAX ||
	    swiftnames_missing())
		return NULL;
	size_t len = library.run(raw, NULL, 0);

	if (!len || len >= max)
		return NULL;
	char *name = xcalloc(len + 1, 1);

	library.run(raw, name, len + 1);
	return name;
}
