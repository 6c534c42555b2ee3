/* A library that is one page of code: a hot function that calls nothing, under a name the build
 * chooses (-DNAME=…), and that is the entry point, so that who maps the file by hand can find it.
 */
unsigned long NAME(unsigned long n);

unsigned long NAME(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
