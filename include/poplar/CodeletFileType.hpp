// SPDX-License-Identifier: Apache-2.0
// Kinds of codelet file.
#ifndef POPLAR_CODELET_FILE_TYPE_HPP
#define POPLAR_CODELET_FILE_TYPE_HPP

namespace poplar
{

// What a codelet file contains; Auto: what its suffix says.
enum class CodeletFileType {
    PreprocessedAsmSource,
    AsmSource,
    CSource,
    CppSource,
    IrSource,
    Object,
    Auto // by the file name's extension
};

// The file name extension of a type: ".cpp".
inline const char *getExtensionFromFileType(CodeletFileType type)
{
    switch (type) {
    case CodeletFileType::PreprocessedAsmSource:
        return ".s";
    case CodeletFileType::AsmSource:
        return ".S";
    case CodeletFileType::CSource:
        return ".c";
    case CodeletFileType::CppSource:
        return ".cpp";
    case CodeletFileType::IrSource:
        return ".ll";
    case CodeletFileType::Object:
        return ".gp";
    case CodeletFileType::Auto:
        return "";
    }
    return "";
}

} // namespace poplar
#endif
