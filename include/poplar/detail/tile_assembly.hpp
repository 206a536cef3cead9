// SPDX-License-Identifier: Apache-2.0
// Inline assembly of the tile, and functions of .S files, in codelets that run on the host: popc --tile-builtins turns
// a statement asm("..." : outputs : inputs : clobbers) into a chain of calls of Assembly, which the engine executes in
// its interpreter of the tile.
#ifndef POPLAR_DETAIL_TILE_ASSEMBLY_HPP
#define POPLAR_DETAIL_TILE_ASSEMBLY_HPP

#include <initializer_list>
#include <ipudef.h>
#include <poplar/detail/assembly_call.h>

// popc defines it behind the source.
#define POPLAR_TILE_ASSEMBLY 1
extern "C" void __popc_assembly(struct popc_assembly *call);

namespace poplar
{
namespace detail
{

// The kind of an operand of this type (assembly_call.h).
template <class T, bool Enum = __is_enum(T)> struct OperandKind {
    static constexpr char value = 0;
};
template <class T> struct OperandKind<T, true> {
    static constexpr char value = 'i';
};
template <class T> struct OperandKind<T *, false> {
    static constexpr char value = 'p';
};
#define POPLAR_OPERAND(T, kind)                                                                                        \
    template <> struct OperandKind<T, false> {                                                                         \
        static constexpr char value = kind;                                                                            \
    };
POPLAR_OPERAND(bool, 'i')
POPLAR_OPERAND(char, 'i')
POPLAR_OPERAND(signed char, 'i')
POPLAR_OPERAND(unsigned char, 'i')
POPLAR_OPERAND(short, 'i')
POPLAR_OPERAND(unsigned short, 'i')
POPLAR_OPERAND(int, 'i')
POPLAR_OPERAND(unsigned, 'i')
POPLAR_OPERAND(long, 'i') // 32 bits on the tile
POPLAR_OPERAND(unsigned long, 'i')
POPLAR_OPERAND(long long, 'e')
POPLAR_OPERAND(unsigned long long, 'e')
POPLAR_OPERAND(int2, 'e')
POPLAR_OPERAND(uint2, 'e')
POPLAR_OPERAND(float, 'f')
POPLAR_OPERAND(half, 'f')
POPLAR_OPERAND(float2, 'f')
POPLAR_OPERAND(float4, 'f')
POPLAR_OPERAND(half2, 'f')
POPLAR_OPERAND(half4, 'f')
POPLAR_OPERAND(short2, 'f')
POPLAR_OPERAND(short4, 'f')
POPLAR_OPERAND(ushort2, 'f')
POPLAR_OPERAND(ushort4, 'f')
POPLAR_OPERAND(char4, 'f')
POPLAR_OPERAND(uchar4, 'f')
POPLAR_OPERAND(char8, 'f')
POPLAR_OPERAND(uchar8, 'f')
POPLAR_OPERAND(int4, 'f')
POPLAR_OPERAND(uint4, 'f')
#undef POPLAR_OPERAND

// Bytes of an operand in registers.
template <class T> struct OperandBytes {
    static constexpr unsigned value = sizeof(T);
};
template <class T> struct OperandBytes<T *> {
    static constexpr unsigned value = 4;
};
template <> struct OperandBytes<long> {
    static constexpr unsigned value = 4;
};
template <> struct OperandBytes<unsigned long> {
    static constexpr unsigned value = 4;
};

// The bits of an operand in registers: integers are extended, a half is in both halves.
template <class T> inline void toRegisters(const T &value, popc_operand &operand)
{
    __builtin_memcpy(static_cast<void *>(operand.words), &value, sizeof(value));
}
template <class T> inline void toRegisters(T *value, popc_operand &operand)
{
    operand.pointer = const_cast<void *>(static_cast<const volatile void *>(value));
}
#define POPLAR_EXTENDED(T)                                                                                             \
    inline void toRegisters(const T &value, popc_operand &operand)                                                     \
    {                                                                                                                  \
        operand.words[0] = static_cast<unsigned>(static_cast<int>(value));                                             \
    }
POPLAR_EXTENDED(bool)
POPLAR_EXTENDED(char)
POPLAR_EXTENDED(signed char)
POPLAR_EXTENDED(unsigned char)
POPLAR_EXTENDED(short)
POPLAR_EXTENDED(unsigned short)
POPLAR_EXTENDED(long)
POPLAR_EXTENDED(unsigned long)
#undef POPLAR_EXTENDED
inline void toRegisters(const half &value, popc_operand &operand)
{
    unsigned short bits;
    __builtin_memcpy(&bits, static_cast<const void *>(&value), sizeof(bits));
    operand.words[0] = bits * 0x10001u;
}
template <class T> inline void fromRegisters(const popc_operand &operand, void *value)
{
    __builtin_memcpy(value, operand.words, sizeof(T));
}
template <> inline void fromRegisters<long>(const popc_operand &operand, void *value)
{
    *static_cast<long *>(value) = static_cast<int>(operand.words[0]);
}
template <> inline void fromRegisters<unsigned long>(const popc_operand &operand, void *value)
{
    *static_cast<unsigned long *>(value) = operand.words[0];
}
template <class T> inline void pointerFromRegisters(const popc_operand &operand, void *value)
{
    __builtin_memcpy(value, &operand.pointer, sizeof(void *));
}

// A statement of inline assembly.
class Assembly
{
  public:
    Assembly(const char *text, const char *file, int line, bool calls = false) : call()
    {
        call.text = text;
        call.clobbers = "";
        call.file = file;
        call.line = line;
        call.calls = calls;
        call.operands = operands;
    }
    template <class T> Assembly &out(const char *constraint, const char *name, T &target)
    {
        constexpr char kind = OperandKind<T>::value;
        takers[call.count] = kind == 'p' ? pointerFromRegisters<T> : fromRegisters<T>;
        targets[call.count] = const_cast<void *>(static_cast<const volatile void *>(&target));
        if (constraint[0] == '+')
            add(constraint, name, target);
        else
            describe<T>(constraint, name);
        ++call.outputs;
        return *this;
    }
    template <class T> Assembly &in(const char *constraint, const char *name, const T &value)
    {
        add(constraint, name, value);
        return *this;
    }
    template <class T> Assembly &in(const char *constraint, const char *name, T *value)
    {
        add(constraint, name, value);
        return *this;
    }
    // An argument of a function, in the registers of the calling convention.
    template <class T> void argument(const T &value)
    {
        add(argumentRegister<T>(), "", value);
    }
    template <class T> void result(T &target)
    {
        constexpr char kind = OperandKind<T>::value;
        constexpr bool two = OperandBytes<T>::value > 4;
        out(kind == 'f' ? two ? "$a0:1" : "$a0" : two ? "$m0:1" : "$m0", "", target);
    }
    void run(const char *clobbers = "")
    {
        call.clobbers = clobbers;
        __popc_assembly(&call);
        for (unsigned i = 0; i < call.outputs; ++i)
            takers[i](operands[i], targets[i]);
    }

  private:
    template <class T> popc_operand &describe(const char *constraint, const char *name)
    {
        constexpr char kind = OperandKind<T>::value;
        static_assert(kind != 0 && sizeof(T) <= 16,
                      "an operand of the tile's assembly is a number, a pointer or a short vector");
        popc_operand &operand = operands[call.count++];
        operand = popc_operand();
        operand.constraint = constraint;
        operand.name = name;
        operand.kind = static_cast<unsigned char>(kind);
        operand.bytes = static_cast<unsigned char>(OperandBytes<T>::value);
        return operand;
    }
    template <class T> void add(const char *constraint, const char *name, const T &value)
    {
        toRegisters(value, describe<T>(constraint, name));
    }
    template <class T> const char *argumentRegister()
    {
        static const char *const m[] = { "$m0", "$m1", "$m2", "$m3" }, *const a[] = { "$a0", "$a1", "$a2",
                                                                                      "$a3", "$a4", "$a5" },
                                 *const m2[] = { "$m0:1", "$m2:3" }, *const a2[] = { "$a0:1", "$a2:3", "$a4:5" };
        constexpr bool numbers = OperandKind<T>::value == 'f', two = OperandBytes<T>::value > 4;
        unsigned &used = numbers ? usedNumbers : usedIntegers;
        if (two)
            used += used % 2;
        const unsigned at = used;
        used += two ? 2 : 1;
        if (used > (numbers ? 6 : 4))
            return "too many"; // the engine refuses it
        return numbers ? two ? a2[at / 2] : a[at] : two ? m2[at / 2] : m[at];
    }

    enum { MOST = 24 };
    popc_assembly call;
    popc_operand operands[MOST];
    void (*takers[MOST])(const popc_operand &, void *);
    void *targets[MOST];
    unsigned usedIntegers = 0, usedNumbers = 0;
};

// Whether a type can be passed to a function in assembly.
template <class T, bool Known = OperandKind<T>::value != 0> struct Passes {
    static constexpr bool value = false;
};
template <class T> struct Passes<T, true> {
    static constexpr bool value = OperandBytes<T>::value <= 8;
};
template <> struct Passes<void, false> {
    static constexpr bool value = true;
};

// In C++11, as codelets may be: a list's initialisers are evaluated in order.
struct InOrder {
    InOrder(std::initializer_list<int>)
    {
    }
};

// Runs a call whose arguments are set; the result, if it has one.
template <class Result> struct AssemblyCall {
    template <class... Arguments> static Result run(Assembly &assembly, const Arguments &...arguments)
    {
        Result result{};
        assembly.result(result);
        InOrder{ (assembly.argument(arguments), 0)... };
        assembly.run();
        return result;
    }
};
template <> struct AssemblyCall<void> {
    template <class... Arguments> static void run(Assembly &assembly, const Arguments &...arguments)
    {
        InOrder{ (assembly.argument(arguments), 0)... };
        assembly.run();
    }
};

// A function of a .S file, called as on the tile: integers and pointers in m0 to m3, numbers in a0 to a5.
template <class Label, class Result, class... Arguments> inline Result callAssembly(Arguments... arguments)
{
    Assembly assembly(Label::text(), nullptr, 0, true);
    return AssemblyCall<Result>::run(assembly, arguments...);
}

// The address of callAssembly; null for types that cannot be passed.
template <class Label, bool Possible> struct Callee {
    template <class Result, class... Arguments> static void *of()
    {
        return reinterpret_cast<void *>(&callAssembly<Label, Result, Arguments...>);
    }
};
template <class Label> struct Callee<Label, false> {
    template <class Result, class... Arguments> static void *of()
    {
        return nullptr;
    }
};
template <class... Types> struct PassAll {
    static constexpr bool value = true;
};
template <class First, class... Rest> struct PassAll<First, Rest...> {
    static constexpr bool value = Passes<First>::value && PassAll<Rest...>::value;
};
template <class Label, class Result, class... Arguments> inline void *calleeOf(Result (*)(Arguments...))
{
    return Callee<Label, PassAll<Result, Arguments...>::value>::template of<Result, Arguments...>();
}

} // namespace detail
} // namespace poplar

#endif
