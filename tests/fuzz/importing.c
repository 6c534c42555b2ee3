/* In: any bytes. Out: nothing, if the importers hold. */
#include "fuzz/importing.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/checks.h"
#include "import/perfdata.h"
#include "import/text.h"

static struct err *drain(struct source *src)
{
	for (;;) {
		struct batch b;

		TRY(src->next(src, &b));
		if (!b.n_samples && !b.n_events)
			return NULL;
		checks_batch(src->data, &b);
	}
}

bool importing_read(const uint8_t *bytes, size_t len, struct totals *ret, struct diag *diag)
{
	int fd = memfd_create("import", 0);
	struct perfdata_options opt = { 0 };
	struct dataset data;
	struct source *src = NULL;

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))
		abort();
	dataset_init(&data);
	struct err *err = perfdata_magic(bytes, len) ? perfdata_open(fd, &opt, &data, diag, &src)
						     : text_open(fd, &data, diag, &src);
	bool opened = !err;

	if (!err)
		err = drain(src);
	checks_tables(&data);
	*ret = data.totals;
	err_destroy(err);
	source_destroy(src);
	dataset_deinit(&data);
	close(fd);
	return opened;
}
