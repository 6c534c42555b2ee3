/* Foreign text (paths, names of processes and functions) on its way to a terminal or into JSON. */
#ifndef CMD_CLEAN_H
#define CMD_CLEAN_H

#include <stdint.h>
#include <stdio.h>

/* As valid UTF-8 without control characters. */
void clean_print(FILE *out, const char *text);
/* The same as a JSON string, with its quotes. */
void clean_json(FILE *out, const char *text);
/* Lower-case hexadecimal digits. */
void clean_hex(FILE *out, const uint8_t *bytes, size_t len);

#endif
