/* `singe flame`: record, then draw. */
#ifndef CMD_FLAME_H
#define CMD_FLAME_H

/* argv[0] is "flame"; the rest are singe-record's options, except -o/--output (the picture).
 * Returns the exit status: the recorded command's own, else 0, 1 (failed) or 2 (usage). */
int flame_main(int argc, char **argv);

#endif
