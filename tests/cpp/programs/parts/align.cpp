// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <poplar/Vertex.hpp>
#include <type_traits>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#if !defined(__POPC__)
#error "popc only"
#endif
namespace
{
__attribute__((noinline)) int align(const unsigned char *a, int n, const unsigned char *b, int m,
                                    const signed char *sim, int side, int *p, int *q)
{
    int best = 0;
    memset(p, 0, sizeof(int) * (m + 1));
    std::memset(q, 0, sizeof(int) * (m + 1));
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int x = p[j - 1] + sim[a[i - 1] * side + b[j - 1]];
            x = MAX(x, 0);
            x = MAX(x, p[j] - 1);
            x = MAX(x, q[j - 1] - 1);
            q[j] = x;
            best = MAX(best, x);
        }
        int *t = p;
        p = q;
        q = t;
    }
    return best;
}
} // namespace
static_assert(std::is_same<unsigned int, decltype(sizeof(int))>::value || sizeof(void *) == 8, "");
template <class T> class Local : public poplar::Vertex
{
  public:
    poplar::Input<poplar::Vector<unsigned char, poplar::VectorLayout::ONE_PTR>> seqs;
    poplar::Input<poplar::Vector<int, poplar::VectorLayout::ONE_PTR>> lens;
    poplar::Input<poplar::Vector<signed char>> sim;
    poplar::InOut<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> H;
    poplar::Output<poplar::Vector<T>> score;
    int maxSeq, side;
    bool compute()
    {
        for (unsigned i = 0; i < score.size(); i++)
            score[i] = align(&seqs[2 * i * maxSeq], lens[2 * i], &(seqs[(2 * i + 1) * maxSeq]), lens[2 * i + 1],
                             &sim[0], side, &H[0], &H[maxSeq + 1]);
        return true;
    }
};
template class Local<int>;
template <class T> class MultiLocal : public poplar::MultiVertex
{
  public:
    poplar::Input<poplar::Vector<unsigned char, poplar::VectorLayout::ONE_PTR>> seqs;
    poplar::Input<poplar::Vector<int, poplar::VectorLayout::ONE_PTR>> lens;
    poplar::Input<poplar::Vector<signed char>> sim;
    poplar::InOut<poplar::Vector<T>> H;
    poplar::Output<poplar::Vector<T>> score;
    int maxSeq, side;
    bool compute(unsigned workerId)
    {
        if (workerId == 0)
            for (unsigned i = 0; i < score.size(); i += 1) {
                score[i] = align(&seqs[0] + 2 * i * maxSeq, lens[2 * i], &seqs[(2 * i + 1) * maxSeq], lens[2 * i + 1],
                                 sim.begin(), side, H.begin(), &H[maxSeq + 1]);
            }
        return true;
    }
    static unsigned workers()
    {
        return poplar::MultiVertex::numWorkers();
    }
};
template class MultiLocal<int>;
