// Much code of many small functions inlined into each other, for what names addresses: built with
// -DUNIT=N, each unit is another program's worth of templates of the standard library; the odd ones
// with regular expressions, which take the compiler most of its time.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#if UNIT % 2
#include <regex>
#endif

namespace {
template <int N> struct Chain {
	static inline int go(int x) { return Chain<N - 1>::go(x * N + UNIT) ^ x; }
};
template <> struct Chain<0> {
	static int go(int x) { return x; }
};
}

template <class T> struct Box {
	virtual ~Box() = default;
	T v;
	T get() const { return v; }
};

static std::map<std::string, std::vector<int>> rows;
static std::map<std::string, std::function<int(int)>> calls;

static int work(const std::string &s, int k)
{
	for (int i = 0; i < k; i++)
		rows[s].push_back(Chain<9>::go(k + i));
	std::sort(rows[s].begin(), rows[s].end(), [](int a, int b) { return (a ^ UNIT) < (b ^ UNIT); });
	calls[s] = [k](int x) { return x * k + UNIT; };
	std::stringstream out;
	out << s << k;
#if UNIT % 2
	std::regex re("a+b*" + std::to_string(UNIT));
	std::smatch match;
	out << std::regex_search(s, match, re);
#endif
	Box<std::string> box;
	box.v = out.str();
	std::vector<std::shared_ptr<Box<double>>> boxes;
	for (int j = 0; j < k; j++)
		boxes.push_back(std::make_shared<Box<double>>());
	std::stable_sort(boxes.begin(), boxes.end(), [](auto &x, auto &y) { return x->get() < y->get(); });
	if (k > 1000)
		throw std::runtime_error(box.get());
	return static_cast<int>(box.get().size()) + calls[s](k) + static_cast<int>(boxes.size());
}

int main(int argc, char **argv)
{
	return work(argv[0], argc) == 1;
}
