/* In: a section of ELF notes. Out: the build-id among them. */
#include "model/notes.h"

#include <elf.h>
#include <string.h>

#include "base/cursor.h"

size_t notes_build_id(const void *notes, size_t len, uint8_t ret[BUILD_ID_MAX])
{
	struct cursor c = cursor(notes, len);

	while (cursor_left(&c)) {
		uint32_t name_len = cursor_u32(&c);
		uint32_t desc_len = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const uint8_t *name = cursor_bytes(&c, ((uint64_t)name_len + 3) & ~UINT64_C(3));
		const uint8_t *desc = cursor_bytes(&c, ((uint64_t)desc_len + 3) & ~UINT64_C(3));

		if (c.failed)
			return 0;
		if (type != NT_GNU_BUILD_ID || name_len != 4 || memcmp(name, "GNU", 4) != 0)
			continue;
		if (!desc_len || desc_len > BUILD_ID_MAX)
			return 0;
		memcpy(ret, desc, desc_len);
		return desc_len;
	}
	return 0;
}
