/* `singe resolve FILE`: finds the names a recording lacks and adds them to it. */
#ifndef CMD_RESOLVE_H
#define CMD_RESOLVE_H

/* Returns the exit status. */
int resolve_main(int argc, char **argv);

#endif
