/* Names of places as the reporter finds them, in the form of `llvm-symbolizer --inlines`:
 * names-of FILE <ADDRESSES, as linked, hexadecimal, one a line. Each distinct one is looked up
 * once; the answers come in the order asked. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "symbol/symbolizer.h"

static uint32_t add_binary(struct dataset *data, struct elffile *file, const char *path, int fd)
{
	struct binary binary = { .kind = BINARY_KIND_FILE, .path = (char *)path };
	struct stat st;

	if (fstat(fd, &st) == 0) {
		binary.inode = st.st_ino;
		binary.dev_major = major(st.st_dev);
		binary.dev_minor = minor(st.st_dev);
	}
	binary.build_id_len = (uint8_t)elffile_build_id(file, binary.build_id);
	return binaries_add(&data->binaries, &binary);
}

static void print_place(const struct names *names, const struct place *p)
{
	const struct name_entry *e = names_find(names, p->binary, p->key);

	for (uint16_t i = 0; e && i < e->n; i++) {
		const struct name_line *l = &names->lines.v[e->first + i];

		printf("%s\n%s:%" PRIu32 "\n", intern_str(&names->strings, l->function),
		       l->file ? intern_str(&names->strings, l->file) : "??", l->line);
	}
	putchar('\n');
}

static void print_diag(const struct diag *diag)
{
	for (size_t i = 0; i < diag->entries.n; i++)
		fprintf(stderr, "%s\n", diag->entries.v[i].text);
}

static int name_all(struct dataset *data, const char *path, const struct symbolizer_options *opt)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(elffile_destroy) struct elffile *file = NULL;
	_cleanup_err_ struct err *err = elffile_open(fd, &file);
	VEC(struct place) places = { 0 };
	struct diag diag = { 0 };
	uint64_t svma;

	if (err) {
		fprintf(stderr, "%s: %s\n", path, err_msg(err));
		return 1;
	}
	uint32_t binary = add_binary(data, file, path, fd);
	CLEANUP(symbolizer_destroy) struct symbolizer *s = symbolizer_create(data, &diag);

	while (scanf("%" SCNx64, &svma) == 1) {
		struct place p = { .binary = binary, .key = UINT64_MAX };

		elffile_svma_to_off(file, svma, &p.key);
		vec_push(&places, p);
	}
	symbolizer_configure(s, opt);
	symbolizer_give_fd(s, binary, fd);
	err_destroy(symbolizer_run_places(s, places.v, places.n));
	for (size_t i = 0; i < places.n; i++)
		print_place(&data->names, &places.v[i]);
	print_diag(&diag);
	diag_deinit(&diag);
	vec_deinit(&places);
	return 0;
}

int main(int argc, char **argv)
{
	const char *const *dirs = (const char *const *)argv + 2;
	struct symbolizer_options opt = { 0 };
	struct dataset data;

	if (argc < 2) {
		fprintf(stderr, "usage: names-of FILE [DEBUG-DIR]... <ADDRESSES\n");
		return 2;
	}
	opt.search.dirs = dirs;
	opt.search.n_dirs = (size_t)argc - 2;
	dataset_init(&data);
	int status = name_all(&data, argv[1], &opt);

	dataset_deinit(&data);
	return status;
}
