/* An image to be executed: one hot function, whose name the build chooses (-DNAME=…), then, if
 * asked for, another image in the same process. `image SECONDS [NEXT ARGS…]`. */
#include "burn.h"

HOT(NAME)

int main(int argc, char **argv)
{
	NAME(argc > 1 ? atof(argv[1]) : 0.3);
	if (argc > 2)
		execv(argv[2], argv + 2);
	return argc > 2;
}
