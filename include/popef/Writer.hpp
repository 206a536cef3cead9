// SPDX-License-Identifier: Apache-2.0
// Writes PopEF files.
//
//     popef::Writer writer("model.popef");
//     writer.write(metadata);
//     std::shared_ptr<popef::BlobWriter> blob = writer.createExecutable("model");
//     executable.serialize(blob->stream);
//     blob->close();
//     writer.close();
#ifndef POPEF_WRITER_HPP
#define POPEF_WRITER_HPP

#include <popef/Types.hpp>

#include <cstdio>
#include <locale>
#include <memory>
#include <sstream>

namespace popef
{

class Writer;

// The bytes of one blob: write to `stream`, then close.
class BlobWriter
{
  public:
    std::ostream &stream; // takes the blob's data

    BlobWriter(const BlobWriter &) = delete;
    BlobWriter &operator=(const BlobWriter &) = delete;
    // A blob that was not closed is not written.
    ~BlobWriter()
    {
    }
    // Adds the blob to the file. The writer must exist.
    void close();

  private:
    friend class Writer;
    BlobWriter(Writer &of, popef_kind blobKind, detail::Value about)
        : stream(out), out(&bytes), writer(&of), kind(blobKind), description(std::move(about))
    {
        out.imbue(std::locale::classic());
    }

    std::stringbuf bytes;
    std::ostream out;
    Writer *writer;
    popef_kind kind;
    detail::Value description;
};

// A file that is written. Without close nothing is written to the path.
class Writer
{
  public:
    // What happens to a file that is there.
    enum class Mode { OVERWRITE, APPEND };

    explicit Writer(const std::string &path, Mode mode = Mode::OVERWRITE) : output(nullptr), text(nullptr), size(0)
    {
        pop_error error;
        writer = popef_writer_open(path.c_str(), mode == Mode::APPEND, &error);
        if (!writer)
            poplar::detail::raise(error);
    }
    // Writes to a stream, all at close.
    explicit Writer(std::ostream &out) : output(&out), text(nullptr), size(0)
    {
        pop_error error;
        file.reset(open_memstream(&text, &size), std::fclose);
        writer = popef_writer_create(file.get(), &error);
        if (!writer)
            poplar::detail::raise(error);
    }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
    ~Writer()
    {
        popef_writer_abandon(writer);
        file.reset();
        std::free(text);
    }

    // Begin a blob, whose bytes are written to the result's stream.
    std::shared_ptr<BlobWriter> createExecutable(const std::string &name)
    {
        detail::Value::Map map;
        map["name"] = name;
        return blob(POPEF_EXECUTABLE, std::move(map));
    }
    std::shared_ptr<BlobWriter> createOpaqueBlob(const std::string &name, const std::string &executable)
    {
        detail::Value::Map map;
        map["name"] = name;
        map["executable"] = executable;
        return blob(POPEF_OPAQUE, std::move(map));
    }
    std::shared_ptr<BlobWriter> createTensorData(const TensorDataInfo &info)
    {
        return blob(POPEF_TENSOR, describe(info));
    }
    std::shared_ptr<BlobWriter> createFeedData(const FeedDataInfo &info)
    {
        detail::Value::Map map = describe(info);
        map["tensors"] = info.numTensors();
        return blob(POPEF_FEED, std::move(map));
    }
    void write(const Metadata &metadata)
    {
        add(POPEF_METADATA, metadata.write(), nullptr, 0);
    }

    // Completes the file; further calls throw.
    void close()
    {
        pop_error error;
        popef_writer *closed = writer;
        writer = nullptr;
        poplar::detail::check(popef_writer_close(closed, &error), error);
        if (!output)
            return;
        file.reset();
        if (!output->write(text, static_cast<std::streamsize>(size)).flush())
            poplar::detail::raise(POP_FILE_LOAD_ERROR, "the stream of a PopEF file has failed");
    }

  private:
    friend class BlobWriter;
    popef_writer *writer;
    std::ostream *output;
    std::shared_ptr<std::FILE> file; // of a stream, in memory
    char *text;
    std::size_t size;

    static detail::Value::Map describe(const TensorDataInfo &info)
    {
        detail::Value::Map map;
        map["name"] = info.name();
        info.tensorInfo().write(map);
        return map;
    }
    std::shared_ptr<BlobWriter> blob(popef_kind kind, detail::Value::Map description)
    {
        return std::shared_ptr<BlobWriter>(new BlobWriter(*this, kind, std::move(description)));
    }
    void add(popef_kind kind, const detail::Value &about, const void *data, std::size_t bytes)
    {
        pop_error error;
        pop_profile_value description = about.c();
        const pop_status status = popef_writer_add(writer, kind, &description, data, bytes, &error);
        pop_profile_free(&description);
        poplar::detail::check(status, error);
    }
};

inline void BlobWriter::close()
{
    if (!writer)
        return;
    const std::string data = bytes.str();
    Writer *const to = writer;
    writer = nullptr;
    to->add(kind, description, data.data(), data.size());
}

} // namespace popef
#endif
