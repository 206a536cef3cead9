# SPDX-License-Identifier: Apache-2.0
"""From a row of the tables to the lines of C++ that try it."""
import re

# What stands for a template's parameter, by the row's name (the last part) or for all others.
ARGUMENTS = {"constType": "float", "FillValueType": "float", "Args": "int", "T": "float", "N": "3"}
ARGUMENTS_OF = {
    "createWithInteger": {"T": "unsigned"},
    "createWithBool": {"T": "bool"},
    "createWithDouble": {"T": "double"},
    "createOptionalDoubleHandler": {"T": "double"},
    "createWithList": {"T": "unsigned"},
    "createWithEnum": {"T": "int", "ValueMapT": "std::map<std::string, int>"},
    "createOptionalEnumHandler": {"T": "int", "ValueMapT": "std::map<std::string, int>"},
    "OptionHandler": {"T": "std::function<void(poplar::StringRef)>"},
    "flattenIndex": {"T": "std::size_t"},
    "unflattenIndex": {"T": "std::size_t"},
    "asInteger": {"T": "int"},
    "createSparseDenseMatMulLHS": {"T": "int"},  # of float and double the form is not deleted
    "createSparseDenseMatMulRHS": {"T": "int"},
    "createDenseSparseMatMulLHS": {"T": "int"},
    "createDenseSparseMatMulRHS": {"T": "int"},
    "getAs": {"T": "popops::expr::Const"},
    "emplace_back": {"Args": "popsolver::Domain"},
}
# Calls that cannot deduce their parameter.
EXPLICIT = {"asInteger": "<int>", "asFloatingPoint": "<float>", "getAs": "<popops::expr::Const>", "isA": "<popops::expr::Const>"}
TEMPLATES = dict.fromkeys("COOMatrix CSCMatrix CSRMatrix SparsityDataImpl Partitioner".split(), "<float>")
TEMPLATES["ExprType"] = "<popops::expr::Const>"
OPERATOR = re.compile(r"operator([^\w\s(\"\[]+)$")


def _argument(name, text):
    """A type of the table without templates' parameters."""
    for parameter, stands in dict(ARGUMENTS, **ARGUMENTS_OF.get(name, {})).items():
        text = re.sub(r"(?<![\w:])%s(?!\w|::)" % parameter, stands, text)
    return text.replace("...", "")


def _value(result):
    """A result by value, whose const means nothing to a caller; others as they are."""
    return result if result.endswith(("&", "*")) else re.sub(r"^const ", "", result)


def _scope(name):
    return name.rpartition("::")[0]


def _class(name):
    """A class, or one instance of a class template."""
    return name + TEMPLATES.get(name.rpartition("::")[2], "")


def _call(row, arguments):
    """The expression of a call."""
    last = row.last
    values = ["value<%s>()" % argument for argument in arguments]
    operator = OPERATOR.match(last)
    if row.kind == "method":
        owner = row.scope
        hashed = "<std::decay_t<%s>>" % arguments[0] if owner == "std::hash" else ""
        constant = "const " * row.result.startswith("const ")
        values.insert(0, "value<%s%s%s &>()" % (constant, _class(owner), hashed))
    if last.startswith("operator "):
        return "static_cast<%s>(%s)" % (last[len("operator "):], values[0])
    if operator:
        sign = operator.group(1)
        return "%s %s %s" % (values[0], sign, values[1]) if len(values) == 2 else "%s%s" % (sign, values[0])
    if last == "operator[]":
        return "%s[%s]" % tuple(values)
    if last == "operator()":
        return "%s(%s)" % (values[0], ", ".join(values[1:]))
    if row.kind == "method":
        return "%s.%s%s(%s)" % (values[0], "template " * (last in EXPLICIT) + last, EXPLICIT.get(last, ""), ", ".join(values[1:]))
    scope = _class(row.scope) if row.kind == "static" else row.scope
    return "%s::%s%s(%s)" % (scope, last, EXPLICIT.get(last, ""), ", ".join(values))


def _tests(row):
    """What must hold, as conditions known to the compiler."""
    last = row.last
    if row.kind == "value":
        return ["static_cast<long>(%s) == %s" % (row.name, row.result)]
    if row.kind == "constant":
        return ["same<decltype(%s), %s>::value" % (row.name, row.result)]
    if row.kind == "member":
        owner = _class(row.scope)
        return ["same<decltype(%s::%s), %s>::value" % (owner, last, _argument(last, row.result))]
    if row.kind == "type":
        if row.result == "enum":
            return ["std::is_enum<%s>::value" % row.name]
        return ["same<%s, %s>::value" % (row.name, row.result)] if row.result else ["sizeof(%s *) > 0" % _class(row.name)]
    types = [_argument(last, one) for one in row.types]
    tests = []
    for count in sorted({row.least, len(types)}):
        given = types[:count]
        if row.kind == "constructor":
            tests.append("std::is_constructible<%s>::value" % ", ".join([_class(row.scope)] + given))
        else:
            # A result that depends on a parameter in a longer way is not compared.
            result = "" if "typename" in row.result else _value(_argument(last, row.result))
            call = "std::remove_cv_t<decltype(%s)>" % _call(row, given)
            tests.append("same<%s, %s>::value" % (call, result) if result else "sizeof(%s *) > 0" % call)
    return tests


def lines_of(row, classes):
    """A line for each test, in the namespace of the row, where types without one are found."""
    space = row.scope
    while space in classes:
        space = _scope(space)
    for test in _tests(row):
        yield "namespace %s { static_assert(%s, \"\"); }" % (space, test)
