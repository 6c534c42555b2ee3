/* `singe info`: what is in a recording, and what is missing. */
#ifndef CMD_INFO_H
#define CMD_INFO_H

/* Returns the exit status. */
int info_main(int argc, char **argv);

#endif
