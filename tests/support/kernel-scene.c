/* Writes a recording of places in a kernel: kernel-scene VMLINUX STEXT FILE <ADDRESSES, as run,
 * hexadecimal, one sample each. The kernel that recorded has the build-id of VMLINUX, ran on
 * another boot with its _stext at address STEXT, and its names are not in the recording. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/elffile.h"
#include "recording/writer.h"
#include "support/memsource.h"

static struct err *take_build_id(const char *path, struct meta *meta)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(elffile_destroy) struct elffile *file = NULL;

	if (fd < 0)
		return err_sys(errno, "open %s", path);
	TRY(elffile_open(fd, &file));
	meta->kernel_build_id_len = (uint8_t)elffile_build_id(file, meta->kernel_build_id);
	return NULL;
}

static struct err *write_recording(struct memsource *m, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CLEANUP(writer_destroy) struct writer *w = NULL;

	if (fd < 0)
		return err_sys(errno, "open %s", path);
	TRY(writer_create(fd, CODEC_ZLIB, &m->data, &w));
	for (size_t i = 0; i < m->samples.n; i++)
		TRY(writer_sample(w, &m->samples.v[i]));
	return writer_end(w, &m->data.totals);
}

static struct err *run(struct memsource *m, char **argv)
{
	struct meta *meta = &m->data.meta;
	uint32_t thread = memsource_thread(m, 100, 100, "app", "app");
	uint64_t address;

	free(meta->boot_id);
	meta->boot_id = xstrdup("another");
	free(meta->machine);
	meta->machine = xstrdup("x86_64");
	meta->kernel_stext = strtoull(argv[2], NULL, 16);
	meta->clock_start_ns = m->now_ns;
	memsource_callgraph(m, "fp");
	TRY(take_build_id(argv[1], meta));
	while (scanf("%" SCNx64, &address) == 1) {
		uint32_t node = frametree_add(&m->data.tree, 0, BINARY_KERNEL, address, FRAME_PC);

		memsource_sample(
			m, (struct sample){ .period = 1000000, .thread = thread, .node = node });
	}
	m->data.totals.samples = m->samples.n;
	m->data.totals.first_ns = meta->clock_start_ns;
	m->data.totals.last_ns = m->data.totals.end_ns = m->now_ns;
	return write_recording(m, argv[3]);
}

int main(int argc, char **argv)
{
	struct memsource m;

	if (argc != 4) {
		fprintf(stderr, "usage: kernel-scene VMLINUX STEXT FILE <ADDRESSES\n");
		return 2;
	}
	memsource_init(&m);
	struct err *err = run(&m, argv);

	memsource_deinit(&m);
	if (!err)
		return 0;
	fprintf(stderr, "kernel-scene: %s\n", err_msg(err));
	err_destroy(err);
	return 1;
}
