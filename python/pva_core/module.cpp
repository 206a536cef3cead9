// SPDX-License-Identifier: Apache-2.0
// pva.pva_core: the classes of <pva/pva.hpp>, registered with pybind11, so that what an extension module returns is an
// object of the package pva. Properties come from the model's reflection. python/pva adds what does not depend on how
// objects are read; with_ctypes.py has the same names.
#include <pva/pva.hpp>

#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace
{

using pva::detail::FileRef;

template <typename T> py::object wrapAs(const FileRef &file, const pva_object &object)
{
    return py::cast(T(file, object));
}

template <> py::object wrapAs<pva::Program>(const FileRef &file, const pva_object &object)
{
    return py::cast(pva::detail::makeProgram(file, object));
}

// An object of the C interface as an object of its class; the null object is None. Throws an earlier failure of the
// file.
py::object wrap(const FileRef &file, const pva_object &object)
{
    using Wrap = py::object(const FileRef &, const pva_object &);
    static Wrap *const byClass[PVA_CLASS_COUNT] = {
        nullptr,
#define PVA_CLASS(CLASS, Name) wrapAs<pva::Name>,
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what)
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    };
    pva::detail::check(file);
    return pva_is_null(object) ? py::object(py::none()) : byClass[object.type](file, object);
}

// A list that is read as it is used.
class List
{
  public:
    List(const pva::Object &owner_, pva_property property_)
        : owner(owner_), property(property_), count(static_cast<std::size_t>(pva_count(owner_.handle(), property_)))
    {
        pva::detail::check(owner.source());
    }
    std::size_t size() const
    {
        return count;
    }
    py::object at(py::ssize_t index) const
    {
        const py::ssize_t from = index < 0 ? index + static_cast<py::ssize_t>(count) : index;
        if (from < 0 || from >= static_cast<py::ssize_t>(count))
            throw py::index_error("index " + std::to_string(from) + " of a list of " + std::to_string(count));
        return wrap(owner.source(), pva_at(owner.handle(), property, static_cast<std::uint64_t>(from)));
    }
    py::list slice(const py::slice &range) const
    {
        std::size_t start, stop, step, length;
        if (!range.compute(count, &start, &stop, &step, &length))
            throw py::error_already_set();
        py::list items;
        for (std::size_t i = 0; i < length; ++i, start += step)
            items.append(at(static_cast<py::ssize_t>(start)));
        return items;
    }

  private:
    pva::Object owner;
    pva_property property;
    std::size_t count;
};

// Texts of damaged files are not always UTF-8.
py::object decoded(const std::string &text)
{
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

py::object readText(const pva::Object &self, pva_property property)
{
    const std::unique_ptr<char, void (*)(void *)> text(pva_text_copy(self.handle(), property), std::free);
    return decoded(text.get());
}

py::list readNumbers(const pva::Object &self, pva_property property)
{
    std::vector<std::uint64_t> values(static_cast<std::size_t>(pva_count(self.handle(), property)));
    if (!values.empty())
        pva_numbers(self.handle(), property, 0, values.size(), values.data());
    py::list numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        numbers[i] = values[i];
    return numbers;
}

py::object readValue(const pva::Object &self, pva_property property)
{
    switch (pva_property_kind(property)) {
    case PVA_UINT:
        return py::int_(pva_uint(self.handle(), property));
    case PVA_BOOL:
        return py::bool_(pva_uint(self.handle(), property) != 0);
    case PVA_REAL:
        return py::float_(pva_real(self.handle(), property));
    case PVA_TEXT:
        return readText(self, property);
    case PVA_NUMBERS:
        return readNumbers(self, property);
    case PVA_OBJECT:
        return wrap(self.source(), pva_get(self.handle(), property));
    default:
        return py::cast(List(self, property));
    }
}

py::object read(const pva::Object &self, pva_property property)
{
    const py::object value = readValue(self, property);
    pva::detail::check(self.source());
    return value;
}

void addProperty(const py::object &of, pva_property property, const py::cpp_function &get)
{
    const char *text = pva_property_text(property);
    const py::object doc = *text ? py::object(py::str(text)) : py::none();
    of.attr(pva_property_name(property)) =
        py::module_::import("builtins").attr("property")(get, py::none(), py::none(), doc);
}

py::ssize_t hashOf(const pva_object &object)
{
    return py::hash(py::make_tuple(reinterpret_cast<std::uintptr_t>(object.file), static_cast<int>(object.type),
                                   object.part, object.key, object.owner));
}

// A class of the model, with a property for each of its properties. Functions take T, not Object: pybind11 searches for
// the way to a base class of another address, which takes twenty times as long.
template <typename T> void addClass(py::module_ &module, py::list &classes, pva_class type)
{
    // Programs have virtual functions and Object has none, so that one does not begin where the other does, and
    // pybind11 must be told.
    const py::class_<T, pva::Object, std::shared_ptr<T>> of =
        py::class_<T, pva::Object, std::shared_ptr<T>>(module, pva_class_name(type), py::multiple_inheritance())
            .def("__bool__", [](const T &self) { return static_cast<bool>(self); })
            .def("__eq__",
                 [](const T &self, const py::object &other) {
                     return py::isinstance<T>(other) && self == other.cast<const T &>();
                 })
            .def("__hash__", [](const T &self) { return hashOf(self.handle()); });
    py::dict properties;
    for (int i = 0; i < PVA_PROPERTY_COUNT; ++i) {
        const pva_property property = static_cast<pva_property>(i);
        if (pva_property_class(property) != type)
            continue;
        const char *name = pva_property_name(property);
        addProperty(of, property, py::cpp_function([property](const T &self) { return read(self, property); }));
        properties[name] = py::make_tuple(i, static_cast<int>(pva_property_kind(property)));
    }
    of.attr("_properties") = properties;
    classes.append(of);
}

void addClasses(py::module_ &module)
{
    py::class_<pva::Object, std::shared_ptr<pva::Object>>(module, "Object", "Anything that a file holds.");
    py::list classes;
#define PVA_CLASS(CLASS, Name) addClass<pva::Name>(module, classes, PVA_CLASS_##CLASS);
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what)
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    module.attr("classes") = classes;
    const py::class_<List> list = py::class_<List>(module, "List", "A list that is read as it is used.")
                                      .def("__len__", &List::size)
                                      .def("__getitem__", &List::at)
                                      .def("__getitem__", &List::slice);
    py::module_::import("collections.abc").attr("Sequence").attr("register")(list);
}

void addQueries(py::module_ &module)
{
    module.def("ask", [](const pva::Object &self, int query, std::uint64_t number) {
        return wrap(self.source(), pva_ask(self.handle(), static_cast<pva_query>(query), number));
    });
    module.def("peak_tile",
               [](const pva::Report &report) { return wrap(report.source(), pva_peak_tile(report.handle().file)); });
    module.def("worst_liveness_step", [](const pva::Report &report) {
        return wrap(report.source(), pva_worst_liveness_step(report.handle().file));
    });
    module.def("longest_steps", [](const pva::Report &report, std::size_t count) {
        py::list steps;
        for (pva::ExecutionStep &step : report.longestSteps(count))
            steps.append(py::cast(std::move(step)));
        return steps;
    });
    module.def("program_types", [] {
        py::list names;
        for (int i = 0; i <= PVA_PROGRAM_TYPE_UNKNOWN; ++i)
            names.append(pva_program_type_name(static_cast<pva_program_type>(i)));
        return names;
    });
}

void addOpening(py::module_ &module)
{
    module.def("open_report", [](const py::bytes &path, const py::object &debug) {
        const std::string profile = path, contexts = debug.is_none() ? std::string() : debug.cast<std::string>();
        const py::gil_scoped_release released;
        return debug.is_none() ? pva::openReport(profile) : pva::openReport(profile, contexts);
    });
    module.def("open_trace", [](const py::bytes &path) {
        const std::string file = path;
        const py::gil_scoped_release released;
        return pva::openTrace(file);
    });
}

// pva::Error of any extension module is the package's Error; of its text the first line, as with ctypes.
void translateError(std::exception_ptr thrown)
{
    try {
        if (thrown)
            std::rethrow_exception(thrown);
    } catch (const pva::Error &error) {
        const std::string text = error.what();
        const py::object type = py::module_::import("pva.errors").attr("Error");
        const py::object made = type(pop_status_name(error.status()), decoded(text.substr(0, text.find('\n'))));
        PyErr_SetObject(type.ptr(), made.ptr());
    }
}

} // namespace

PYBIND11_MODULE(pva_core, module)
{
    module.doc() = "Objects of report files and trace files as pybind11 knows them; import pva has the rest.";
    addClasses(module);
    addQueries(module);
    addOpening(module);
    py::register_exception_translator(translateError);
}
