#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""undescribed.py XML: prints each public function, member and field, and each class, struct and enumeration, that Doxygen's XML has without a description;
fails if there is one.  Members of unnamed unions, unnamed enumerations and friends need none."""
import glob
import sys
import xml.etree.ElementTree as ElementTree

KINDS = ("function", "variable", "typedef", "enum", "class", "struct")


def described(element):
    return any("".join(part.itertext()).strip() for kind in ("briefdescription", "detaileddescription") for part in element.findall(kind))


def main(directory):
    found, count = set(), set()
    for path in glob.glob(directory + "/*.xml"):
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            name = compound.findtext("compoundname")
            for element in [compound] + list(compound.iter("memberdef")):
                place = element.find("location")
                own = element.findtext("name") if element is not compound else name
                if element.get("kind") not in KINDS or element.get("prot") == "private" or place is None or not own or "@" in name + own:
                    continue
                count.add(element.get("id"))
                if not described(element):
                    found.add((place.get("file"), int(place.get("line") or 0), element.get("kind"), own if own == name else name + "::" + own))
    for file, line, kind, name in sorted(found):
        print("%s:%u: %s %s has no description" % (file, line, kind, name))
    print("%u functions, members, fields and types, %u of them without a description" % (len(count), len(found)))
    return 1 if found else 0


sys.exit(main(sys.argv[1]))
