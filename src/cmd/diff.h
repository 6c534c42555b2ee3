/* `singe diff`: what changed between recordings. */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

/* argv[0] is "diff". The exit status: 3 if a change exceeds --fail-over. */
int diff_main(int argc, char **argv);

#endif
