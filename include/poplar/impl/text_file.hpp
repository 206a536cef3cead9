// SPDX-License-Identifier: Apache-2.0
// In-memory FILEs between the C interface, which uses files, and C++ streams.
#ifndef POPLAR_IMPL_TEXT_FILE_HPP
#define POPLAR_IMPL_TEXT_FILE_HPP

#include <poplar/detail/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <istream>
#include <new>
#include <ostream>
#include <string>

namespace poplar
{
namespace detail
{

// It is an error if the stream accepts less, or had failed before.
inline void sendBytes(std::ostream &out, const void *bytes, std::size_t size)
{
    out.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size));
    if (!out.flush())
        raise(POP_POPLAR_ERROR, "cannot write %lu bytes: the stream has failed", static_cast<unsigned long>(size));
}

// send() writes the contents to the stream.
class OutputFile
{
  public:
    OutputFile() : text(nullptr), size(0), file(open_memstream(&text, &size))
    {
        if (!file)
            throw std::bad_alloc();
    }
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;
    ~OutputFile()
    {
        close();
        std::free(text);
    }
    std::FILE *c()
    {
        return file;
    }
    void send(std::ostream &out)
    {
        close();
        sendBytes(out, text, size);
    }

  private:
    void close()
    {
        if (file)
            std::fclose(file);
        file = nullptr;
    }
    char *text;
    std::size_t size;
    std::FILE *file;
};

// Reads the stream's buffer, so that a stream that throws at end of file does not.
inline std::string readAll(std::istream &in)
{
    std::string text;
    char part[4096];
    std::streambuf *from = in.good() ? in.rdbuf() : nullptr;
    for (std::streamsize count; from && (count = from->sgetn(part, sizeof(part))) > 0;)
        text.append(part, static_cast<std::size_t>(count));
    return text;
}

// The rest of a stream.
class InputFile
{
  public:
    explicit InputFile(std::istream &in)
        : text(readAll(in)), file(fmemopen(&text[0], text.size() ? text.size() : 1, "r"))
    {
        if (!file)
            throw std::bad_alloc();
    }
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;
    ~InputFile()
    {
        std::fclose(file);
    }
    std::FILE *c()
    {
        return file;
    }
    std::size_t size() const
    {
        return text.size();
    }

  private:
    std::string text;
    std::FILE *file;
};

} // namespace detail
} // namespace poplar
#endif
