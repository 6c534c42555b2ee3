/* In: the description of a file. Out: what the symbolizer makes of its places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbol-scene.h"

void scene_begin(struct scene *s)
{
	*s = (struct scene){ 0 };
	elfprog_init(&s->elf);
	dataset_init(&s->data);
}

void scene_add_binary(struct scene *s, const struct binary *like)
{
	s->binary = binaries_add(&s->data.binaries, like);
	s->symbolizer = symbolizer_create(&s->data, &s->diag);
}

/* The file as it stands now becomes the binary "/opt/prog". */
void scene_file(struct scene *s)
{
	_cleanup_close_ int fd = elfprog_fd(&s->elf);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	scene_add_binary(s, &(struct binary){
				    .kind = BINARY_KIND_FILE,
				    .path = (char *)"/opt/prog",
				    .inode = st.st_ino,
				    .dev_major = (uint32_t)(st.st_dev >> 8 & 0xfff),
				    .dev_minor = (uint32_t)((st.st_dev & 0xff) |
							    (st.st_dev >> 12 & 0xfff00)),
			    });
	symbolizer_give_fd(s->symbolizer, s->binary, fd);
}

void scene_end(struct scene *s)
{
	symbolizer_destroy(s->symbolizer);
	diag_deinit(&s->diag);
	dataset_deinit(&s->data);
	elfprog_deinit(&s->elf);
}

const struct name_entry *entry_at(struct scene *s, uint64_t off)
{
	struct place place = { s->binary, off };

	assert_null(symbolizer_run_places(s->symbolizer, &place, 1));
	const struct name_entry *e = names_find(&s->data.names, s->binary, off);

	assert_non_null(e);
	assert_int_equal(e->n, 1);
	return e;
}

const char *entry_name(struct scene *s, const struct name_entry *e)
{
	return intern_str(&s->data.names.strings, s->data.names.lines.v[e->first].function);
}

/* The name of the place at offset `at` of the text. */
const char *name_at(struct scene *s, uint64_t at)
{
	return entry_name(s, entry_at(s, ELFPROG_TEXT_OFF + at));
}

unsigned int flags_at(struct scene *s, uint64_t at)
{
	return entry_at(s, ELFPROG_TEXT_OFF + at)->flags;
}

void func(struct scene *s, const char *name, uint64_t at, uint64_t size)
{
	elfprog_symbol(&s->elf, &(struct elfprog_sym){ .name = name,
						       .at = at,
						       .size = size,
						       .bind = STB_GLOBAL,
						       .type = STT_FUNC });
}
