/* The numbers of singe's recording format, version 1. What they mean is said in doc/format.md;
 * nothing else is declared here. All integers in a recording are little-endian; "uleb" is unsigned
 * LEB128. */
#ifndef SINGE_RECORDING_H
#define SINGE_RECORDING_H

/* The file header: magic, u16 major, u16 minor, u32 CRC-32 of the twelve bytes before it. The magic
 * has a byte above 127 and both line ends, so that a transfer as text does not go unnoticed. */
#define SINGE_FILE_MAGIC "\211singe\r\n"

/* Begins every block; readers look for it after damage. */
#define SINGE_BLOCK_MAGIC "\325Bk\n"

enum {
	SINGE_FILE_MAGIC_LEN = 8,
	SINGE_FILE_HEADER_LEN = 16,
	SINGE_VERSION_MAJOR = 1, /* a reader refuses a larger one */
	SINGE_VERSION_MINOR = 0,

	/* magic, u8 kind, u8 codec, u16 flags, u32 raw length, u32 stored length, u32 CRC-32 of the
	 * stored bytes, u32 CRC-32 of the twenty bytes before it. */
	SINGE_BLOCK_MAGIC_LEN = 4,
	SINGE_BLOCK_HEADER_LEN = 24,
	SINGE_BLOCK_RAW_MAX = 1 << 20,
	SINGE_BLOCK_STORED_MAX = (1 << 20) + (1 << 16),
};

enum singe_block_kind {
	SINGE_BLOCK_HEADER = 1,
	SINGE_BLOCK_STREAM = 2,
	SINGE_BLOCK_SYMBOLS = 3,
	SINGE_BLOCK_END = 4,
	SINGE_BLOCK_CODE = 5,
};

enum singe_block_flags {
	SINGE_BLOCK_RESTART = 1, /* STREAM: the first block of a dictionary */
};

enum singe_codec {
	SINGE_CODEC_NONE = 0,
	SINGE_CODEC_ZLIB = 1,
	SINGE_CODEC_ZSTD = 2,
	/* Of a block only: parts {u8 codec, u32 raw length, u32 stored length, bytes} whose raw
	 * bytes follow one another. */
	SINGE_CODEC_PARTS = 16,
	SINGE_PART_HEADER_LEN = 9,
};

/* HEADER: fields {uleb tag, uleb length, value}; unknown tags are skipped. */
enum singe_header_field {
	SINGE_HEADER_HOST = 1,
	SINGE_HEADER_OS_RELEASE = 2,
	SINGE_HEADER_MACHINE = 3,
	SINGE_HEADER_CMDLINE = 4,
	SINGE_HEADER_BOOT_ID = 5,
	SINGE_HEADER_KERNEL_BUILD_ID = 6,
	SINGE_HEADER_KERNEL_STEXT = 7,
	SINGE_HEADER_WALL_START = 8,
	SINGE_HEADER_CLOCK_START = 9,
	SINGE_HEADER_CLOCKID = 10,
	SINGE_HEADER_N_CPUS = 11,
	SINGE_HEADER_PAGE_SIZE = 12,
	SINGE_HEADER_CALLGRAPH = 13,
	SINGE_HEADER_FALLBACK = 14, /* repeated */
	SINGE_HEADER_EVENT = 15,    /* repeated: fields of singe_event_field */
	SINGE_HEADER_KEEPS_STACKS = 16,
	SINGE_HEADER_ORIGIN = 17, /* repeated: what was merged */

	/* No HEADER has more. */
	SINGE_EVENTS_MAX = 4096,
	SINGE_ORIGINS_MAX = 4096,
};

enum singe_event_field {
	SINGE_EVENT_NAME = 1,
	SINGE_EVENT_UNIT = 2,
	SINGE_EVENT_FLAGS = 3,
	SINGE_EVENT_RATE = 4,
	SINGE_EVENT_INTERVAL = 5,
	SINGE_EVENT_ATTR = 6,
};

enum singe_event_flags {
	SINGE_EVENT_IS_CLOCK = 1,
	SINGE_EVENT_IS_FREQ = 2,
};

/* END: fields as in HEADER. */
enum singe_end_field {
	SINGE_END_SAMPLES = 1,
	SINGE_END_LOST = 2,
	SINGE_END_LOST_SIDEBAND = 3,
	SINGE_END_THROTTLED = 4,
	SINGE_END_DUPLICATES = 5,
	SINGE_END_FIRST = 6,
	SINGE_END_LAST = 7,
	SINGE_END_RECORDER_CPU = 8,
	SINGE_END_TIME = 9,
	SINGE_END_FALLBACK = 10, /* repeated: what HEADER could not know yet */
};

/* STREAM: the fixed part, then columns {uleb id, uleb length, bytes}; unknown ids are skipped. */
enum singe_column {
	SINGE_COLUMN_BINARIES = 1,
	SINGE_COLUMN_THREADS = 2,
	SINGE_COLUMN_CONTEXTS = 3,
	SINGE_COLUMN_NODE_PARENT = 4,
	SINGE_COLUMN_NODE_BINARY = 5,
	SINGE_COLUMN_NODE_OFF = 6,
	SINGE_COLUMN_NODE_KIND = 7,
	SINGE_COLUMN_SAMPLE_CONTEXT = 8,
	SINGE_COLUMN_SAMPLE_PERIOD = 9,
	SINGE_COLUMN_EVENTS = 10,
	SINGE_COLUMN_TIME_HIGH = 11,
	SINGE_COLUMN_NODE_HIGH = 12,
	SINGE_COLUMN_TIME_LOW = 13,
	SINGE_COLUMN_NODE_LOW = 14,
	SINGE_N_COLUMNS = 15,
};

enum singe_binary_flags {
	SINGE_BINARY_DELETED = 1,
};

/* SYMBOLS: sections {uleb id, uleb length, bytes}; unknown ids are skipped. */
enum singe_symbols_section {
	SINGE_SYMBOLS_STRINGS = 1,
	SINGE_SYMBOLS_BINARIES = 2,
	SINGE_SYMBOLS_ENTRIES = 3,
};

/* CODE: sections as in SYMBOLS. */
enum singe_code_section {
	SINGE_CODE_BINARIES = 2,
	SINGE_CODE_ENTRIES = 4,
};

/* Kinds of binary, frame, verdict, process event and the flags of a name are small numbers too;
 * doc/format.md lists them. */

#endif
