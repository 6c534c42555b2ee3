/* In: a sample with its branches. Out: its chain. */
#include "import/perflbr.h"

enum { FROM, TO, WORDS = 3 }; /* struct perf_branch_entry */

void perflbr_deinit(struct perflbr *l)
{
	vec_deinit(&l->words);
}

bool perflbr_has_calls(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

void perflbr_chain(struct perflbr *l, struct raw_sample *s)
{
	uint32_t user = 0;

	while (user < s->n_chain && s->chain[user] != (uint64_t)PERF_CONTEXT_USER)
		user++;
	if (user == s->n_chain || !s->n_branches || !s->branches[FROM])
		return;
	l->words.n = 0;
	for (uint32_t i = 0; i <= user; i++)
		vec_push(&l->words, s->chain[i]);
	/* Where the innermost function was; the branch knows where it begins. */
	vec_push(&l->words, user + 1 < s->n_chain ? s->chain[user + 1] : s->branches[TO]);
	for (uint32_t i = 0; i < s->n_branches; i++) {
		uint64_t call = s->branches[(size_t)i * WORDS + FROM];

		if (!call)
			break;
		/* What follows is taken for a return address, which lies behind its call. */
		vec_push(&l->words, call + 1);
	}
	s->chain = l->words.v;
	s->n_chain = (uint32_t)l->words.n;
}
