/* A chain of inlined calls, and a function that is local to the file. */
static volatile int sink;

static inline __attribute__((always_inline)) int innermost(int x)
{
	sink += x;
	return x * sink + 3;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	int y = innermost(x) ^ x;

	return y + innermost(y + 1);
}

static __attribute__((noinline)) int local(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += middle(i);
	return sum;
}

__attribute__((noinline)) int hot(int n)
{
	int sum = 1;

	for (int i = 0; i < n; i++)
		sum += middle(i) + local(sum & 3);
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	return hot(argc * 20000000) == 7;
}
