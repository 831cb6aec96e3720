/*
 * seeds.c
 *	  Runs a fuzzer's seeds as unit tests, with no fuzzing library.
 *
 * Linked with one of the fuzzers, it takes the files that are its seeds, and
 * among them each input that has broken something once.
 */
#include "fuzz.h"

int
main(int argc, char **argv)
{
	/* a fuzzer that finds something untrue aborts */
	setvbuf(stdout, NULL, _IOLBF, 0);

	for (int i = 1; i < argc; i++)
	{
		FILE	   *file = fopen(argv[i], "rb");
		char		input[65536];
		size_t		len;
		char	   *copy;

		CHECK(file != NULL);
		len = fread(input, 1, sizeof(input), file);
		CHECK(!ferror(file) && feof(file));
		fclose(file);

		copy = exactly(input, len);
		CHECK(LLVMFuzzerTestOneInput((uint8_t *) copy, len) == 0);
		free(copy);
		printf("ok %d - %s\n", i, argv[i]);
	}
	printf("1..%d\n", argc - 1);
	return 0;
}
