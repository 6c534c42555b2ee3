// Two busy threads of everyday C++ (maps, sorting, recursion, regular expressions), with stacks 10 to
// 30 frames deep when built with frame pointers. `cpp SECONDS`; prints the rounds of each thread.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> stop{false};

struct Random {
	uint64_t state;
	uint32_t next()
	{
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		return static_cast<uint32_t>(state >> 33);
	}
};

struct Node {
	uint32_t key;
	std::unique_ptr<Node> child[2];
};

// A balanced tree, so that a walk is as deep as its level. Children are visited in a loop: with a call
// for each, every path through the tree would be another stack, which is not what programs look like.
std::unique_ptr<Node> grow(Random &random, int level)
{
	if (level == 0)
		return nullptr;
	auto node = std::make_unique<Node>();
	node->key = random.next();
	for (auto &child : node->child)
		child = grow(random, level - 1);
	return node;
}

uint64_t fold(const Node *node, uint64_t seed)
{
	if (!node)
		return seed;
	seed ^= node->key * 31ULL;
	for (const auto &child : node->child)
		seed = fold(child.get(), seed);
	return seed;
}

std::string word(Random &random)
{
	std::string text;
	for (int i = 0, n = 3 + random.next() % 6; i < n; i++)
		text += static_cast<char>('a' + random.next() % 26);
	return text;
}

uint64_t count_words(Random &random)
{
	std::map<std::string, int> counts;
	for (int i = 0; i < 400; i++)
		counts[word(random)]++;
	uint64_t sum = 0;
	for (const auto &entry : counts)
		sum += entry.first.size() * entry.second;
	return sum;
}

uint64_t order_rows(Random &random)
{
	std::vector<std::pair<std::string, uint32_t>> rows;
	for (int i = 0; i < 300; i++)
		rows.emplace_back(word(random), random.next());
	std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
		return a.first.back() != b.first.back() ? a.first.back() < b.first.back()
							: a.second < b.second;
	});
	return rows.front().second;
}

uint64_t match_lines(Random &random, const std::regex &pattern)
{
	uint64_t n = 0;
	for (int i = 0; i < 20; i++) {
		std::string line = word(random) + "=" + std::to_string(random.next() % 1000);
		n += std::regex_match(line, pattern);
	}
	return n;
}

// Recurses into the smaller part and goes on with the larger one.
uint64_t quick(std::vector<uint32_t> &v, int lo, int hi)
{
	uint64_t calls = 1;
	while (lo < hi) {
		uint32_t pivot = v[(lo + hi) / 2];
		int i = lo, j = hi;
		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j)
				std::swap(v[i++], v[j--]);
		}
		bool left = j - lo < hi - i;
		calls += quick(v, left ? lo : i, left ? j : hi);
		(left ? lo : hi) = left ? i : j;
	}
	return calls;
}

uint64_t round(Random &random, const std::regex &pattern)
{
	uint64_t sum = count_words(random) + order_rows(random) + match_lines(random, pattern);
	auto tree = grow(random, 11);
	sum += fold(tree.get(), 1);
	std::vector<uint32_t> v(4000);
	for (auto &x : v)
		x = random.next();
	return sum + quick(v, 0, static_cast<int>(v.size()) - 1);
}

// Frames to stand on: a program's layers, each a function of its own.
template <int LAYER> struct Layer {
	__attribute__((noinline)) static uint64_t run(Random &random, const std::regex &pattern)
	{
		return Layer<LAYER - 1>::run(random, pattern) + LAYER;
	}
};

template <> struct Layer<0> {
	__attribute__((noinline)) static uint64_t run(Random &random, const std::regex &pattern)
	{
		return round(random, pattern);
	}
};

void work(uint64_t seed, uint64_t *rounds, uint64_t *sink)
{
	Random random{seed};
	std::regex pattern("([a-m]+)[n-z]*=([0-9]{2,3})");
	while (!stop.load(std::memory_order_relaxed)) {
		*sink += Layer<8>::run(random, pattern);
		++*rounds;
	}
}

// An allocator with frame pointers, so that stacks are whole: free lists by size, a thread's own.
struct Free {
	Free *next;
};
thread_local Free *lists[64];
thread_local char *chunk;
thread_local size_t chunk_left;

} // namespace

__attribute__((noinline)) void *operator new(size_t size)
{
	size_t slot = (size + 15) / 16;
	if (slot >= 64)
		return std::malloc(size);
	if (Free *p = lists[slot]) {
		lists[slot] = p->next;
		return p;
	}
	if (chunk_left < slot * 16) {
		chunk_left = 1 << 20;
		chunk = static_cast<char *>(std::malloc(chunk_left));
	}
	void *p = chunk;
	chunk += slot * 16;
	chunk_left -= slot * 16;
	return p;
}

__attribute__((noinline)) void operator delete(void *p, size_t size) noexcept
{
	size_t slot = (size + 15) / 16;
	if (!p)
		return;
	if (slot >= 64) {
		std::free(p);
		return;
	}
	auto *f = static_cast<Free *>(p);
	f->next = lists[slot];
	lists[slot] = f;
}

// Without its size a block cannot be placed; the few that come this way are left.
void operator delete(void *) noexcept
{
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? std::atof(argv[1]) : 10;
	uint64_t rounds[2] = {}, sinks[2] = {};
	std::thread other(work, 7, &rounds[1], &sinks[1]);
	std::thread timer([seconds] {
		std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
		stop = true;
	});
	work(3, &rounds[0], &sinks[0]);
	other.join();
	timer.join();
	std::printf("rounds %llu %llu (%llx)\n", static_cast<unsigned long long>(rounds[0]),
		    static_cast<unsigned long long>(rounds[1]),
		    static_cast<unsigned long long>(sinks[0] ^ sinks[1]));
	return 0;
}
