/* `singe convert`: any input, or several, to a recording or a perf.data file. */
#ifndef CMD_CONVERT_H
#define CMD_CONVERT_H

/* argv[0] is "convert". The exit status: 0 good, 1 failed, 2 usage. */
int convert_main(int argc, char **argv);

#endif
