// SPDX-License-Identifier: Apache-2.0
// Reads PopEF files.
//
//     popef::Reader reader;
//     reader.parseFile("model.popef");
//     poplar::Executable executable =
//         poplar::Executable::deserialize(reader.executables()[0].getStandaloneExecutableStream());
//
// What a reader gives keeps the file that it is in: it may outlive the reader.
#ifndef POPEF_READER_HPP
#define POPEF_READER_HPP

#include <popef/Types.hpp>

#include <cstring>
#include <istream>
#include <memory>
#include <streambuf>

namespace popef
{

namespace detail
{

// A file, or the bytes of a stream.
struct Contents {
    std::vector<char> bytes; // of a stream
    std::unique_ptr<popef_reader, void (*)(popef_reader *)> reader;
    Contents() : reader(nullptr, popef_reader_close)
    {
    }
};

// A stream over bytes in memory, which it keeps.
class Bytes : private std::streambuf, public std::istream
{
  public:
    Bytes(std::shared_ptr<const Contents> of, const popef_blob &blob) : std::istream(nullptr), contents(std::move(of))
    {
        char *const begin = static_cast<char *>(const_cast<void *>(blob.data));
        setg(begin, begin, begin + blob.size);
        init(static_cast<std::streambuf *>(this));
    }

  protected:
    std::streambuf::pos_type seekoff(std::streambuf::off_type offset, std::ios_base::seekdir from,
                                     std::ios_base::openmode) override
    {
        const std::streamoff size = egptr() - eback();
        std::streamoff at = from == std::ios_base::cur ? gptr() - eback() : from == std::ios_base::end ? size : 0;
        at += offset;
        if (at < 0 || at > size)
            return std::streambuf::pos_type(std::streamoff(-1));
        setg(eback(), eback() + at, egptr());
        return std::streambuf::pos_type(at);
    }
    std::streambuf::pos_type seekpos(std::streambuf::pos_type position, std::ios_base::openmode mode) override
    {
        return seekoff(std::streamoff(position), std::ios_base::beg, mode);
    }

  private:
    std::shared_ptr<const Contents> contents;
};

} // namespace detail

// A blob of a file.
class BlobReader
{
  public:
    std::string name, executable; // the blob's, and the executable that it belongs to, if any

    const void *data() const
    {
        return blob.data;
    }
    std::size_t sizeInBytes() const
    {
        return blob.size;
    }
    // Its bytes, from the first one on; it may outlive the reader.
    std::unique_ptr<std::istream> getStandaloneDataStream() const
    {
        return std::unique_ptr<std::istream>(new detail::Bytes(contents, blob));
    }

  protected:
    BlobReader(std::shared_ptr<const detail::Contents> of, const popef_blob &found)
        : contents(std::move(of)), blob(found)
    {
        name = pop_profile_as_string(pop_profile_get(blob.description, "name"));
        executable = pop_profile_as_string(pop_profile_get(blob.description, "executable"));
    }
    detail::Value description() const
    {
        return detail::Value(pop_profile_copy(blob.description));
    }

  private:
    std::shared_ptr<const detail::Contents> contents;
    popef_blob blob;
};

// An executable of a file.
class ExecutableReader : public BlobReader
{
  public:
    ExecutableReader(std::shared_ptr<const detail::Contents> of, const popef_blob &found)
        : BlobReader(std::move(of), found)
    {
    }
    // For poplar::Executable::deserialize.
    std::unique_ptr<std::istream> getStandaloneExecutableStream() const
    {
        return getStandaloneDataStream();
    }
};

// Bytes of a framework.
class OpaqueReader : public BlobReader
{
  public:
    OpaqueReader(std::shared_ptr<const detail::Contents> of, const popef_blob &found) : BlobReader(std::move(of), found)
    {
    }
};

// A tensor's values.
class TensorReader : public BlobReader
{
  public:
    TensorDataInfo info; // name, type and shape

    TensorReader(std::shared_ptr<const detail::Contents> of, const popef_blob &found) : BlobReader(std::move(of), found)
    {
        info.setName(name);
        info.tensorInfo().read(description());
    }
};

// Data of several transfers of a stream.
class FeedReader : public BlobReader
{
  public:
    FeedDataInfo info; // name, type and shape of a transfer, and their number

    FeedReader(std::shared_ptr<const detail::Contents> of, const popef_blob &found) : BlobReader(std::move(of), found)
    {
        const detail::Value about = description();
        info.setName(name);
        info.tensorInfo().read(about);
        info.setNumTensors(detail::integer(about, "tensors", 0));
    }
};

// The contents of one file or several, in the order in which they were parsed.
class Reader
{
  public:
    // Reads a file; throws file_load_error or parse_error, and adds nothing.
    void parseFile(const std::string &path)
    {
        pop_error error;
        const std::shared_ptr<detail::Contents> contents = std::make_shared<detail::Contents>();
        contents->reader.reset(popef_reader_open(path.c_str(), &error));
        take(contents, error);
    }
    // Reads a stream up to its end.
    void parseStream(std::istream &in)
    {
        pop_error error;
        const std::shared_ptr<detail::Contents> contents = std::make_shared<detail::Contents>();
        char part[1 << 14];
        while (in.read(part, sizeof(part)) || in.gcount())
            contents->bytes.insert(contents->bytes.end(), part, part + in.gcount());
        contents->reader.reset(popef_reader_of(contents->bytes.empty() ? part : contents->bytes.data(),
                                               contents->bytes.size(), "the stream", &error));
        take(contents, error);
    }
    void parseStream(std::shared_ptr<std::istream> in)
    {
        parseStream(*in);
    }

    const std::vector<Metadata> &metadata() const
    {
        return facts;
    }
    const std::vector<ExecutableReader> &executables() const
    {
        return programs;
    }
    const std::vector<OpaqueReader> &opaqueBlobs() const
    {
        return opaque;
    }
    const std::vector<TensorReader> &tensors() const
    {
        return values;
    }
    const std::vector<FeedReader> &feeds() const
    {
        return transfers;
    }

  private:
    std::vector<Metadata> facts;
    std::vector<ExecutableReader> programs;
    std::vector<OpaqueReader> opaque;
    std::vector<TensorReader> values;
    std::vector<FeedReader> transfers;

    void take(const std::shared_ptr<detail::Contents> &contents, const pop_error &error)
    {
        if (!contents->reader)
            poplar::detail::raise(error);
        Reader all = *this; // nothing is added if a description has a member of another kind
        const std::size_t count = popef_reader_count(contents->reader.get());
        for (std::size_t i = 0; i < count; ++i)
            all.add(contents, popef_reader_blob(contents->reader.get(), i));
        *this = std::move(all);
    }
    void add(const std::shared_ptr<const detail::Contents> &contents, const popef_blob &blob)
    {
        if (blob.kind == POPEF_METADATA) {
            facts.emplace_back();
            facts.back().read(detail::Value(pop_profile_copy(blob.description)));
        } else if (blob.kind == POPEF_EXECUTABLE)
            programs.emplace_back(contents, blob);
        else if (blob.kind == POPEF_OPAQUE)
            opaque.emplace_back(contents, blob);
        else if (blob.kind == POPEF_TENSOR)
            values.emplace_back(contents, blob);
        else
            transfers.emplace_back(contents, blob);
    }
};

} // namespace popef
#endif
