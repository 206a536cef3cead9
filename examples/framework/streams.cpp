// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <poplar/Target.hpp>

namespace framework
{

namespace
{

class Input : public poplar::StreamCallback
{
  public:
    Input(const popef::Anchor &anchor, const DataSet &set, const Order &rows, std::size_t of)
        : labels(anchor.name() == "labels"), half(anchor.tensorInfo().dataType() == popef::DataType::F16), data(set),
          order(rows), replica(of)
    {
    }
    Result prefetch(void *buffer) override
    {
        fill(buffer);
        return Result::Success;
    }
    void fetch(void *buffer) override
    {
        fill(buffer);
    }
    void complete() override // what was fetched has been transferred
    {
        ++transfer;
    }

  private:
    const bool labels, half;
    const DataSet &data;
    const Order order;
    const std::size_t replica;
    std::size_t transfer = 0;

    void fill(void *buffer) const
    {
        for (std::size_t i = 0; i < order.rows; ++i)
            fillRow(buffer, i, order.row(transfer, replica, i) % data.count());
    }
    void fillRow(void *buffer, std::size_t i, std::size_t row) const
    {
        const float *image = data.images.data() + row * DataSet::pixels;
        if (labels)
            static_cast<std::uint32_t *>(buffer)[i] = data.labels[row];
        else if (half)
            poplar::copyFloatToDeviceHalf(poplar::Target::createCPUTarget(), image,
                                          static_cast<std::uint16_t *>(buffer) + i * DataSet::pixels, DataSet::pixels);
        else
            std::copy(image, image + DataSet::pixels, static_cast<float *>(buffer) + i * DataSet::pixels);
    }
};

class Output : public poplar::LegacyStreamCallback
{
  public:
    explicit Output(Take receiver) : take(std::move(receiver))
    {
    }
    void fetch(void *buffer) override
    {
        take(transfer++, buffer);
    }

  private:
    Take take;
    std::size_t transfer = 0;
};

} // namespace

std::unique_ptr<poplar::StreamCallback> inputCallback(const popef::Anchor &anchor, const DataSet &data,
                                                      const Order &order, std::size_t replica)
{
    return std::unique_ptr<poplar::StreamCallback>(new Input(anchor, data, order, replica));
}

std::unique_ptr<poplar::StreamCallback> outputCallback(Take take)
{
    return std::unique_ptr<poplar::StreamCallback>(new Output(std::move(take)));
}

} // namespace framework
