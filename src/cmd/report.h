/* `singe report`: one input to one output. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

/* argv[0] is "report". The exit status: 0 good, 1 failed, 2 usage. */
int report_main(int argc, char **argv);

#endif
