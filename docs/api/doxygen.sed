# SPDX-License-Identifier: Apache-2.0
# How Doxygen reads the headers (docs/api/Doxyfile): plain comments document what follows or, at the end of a line, what stands before them.
/----/b
/^ *(\/\/|\/\*|\*)/s,<([a-z_./]+)>,\\<\1\\>,g
s,//(.*)<([a-z_./]+)>,//\1\\<\2\\>,
s,^( *)/\* ,\1/** ,
s,^( *)// ,\1/// ,
s,; /\* ,; /**< ,
