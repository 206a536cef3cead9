# SPDX-License-Identifier: Apache-2.0
# The commands of the project.  Each installs what is missing (scripts/install-dependencies) and drives CMake's presets.
#
# `make help` lists the commands.
PREFIX ?= /usr/local
DEPENDENCIES = scripts/install-dependencies

define HELP
make                    the libraries and commands, optimised: build/release
make demo               builds, then runs the guide's matrix-vector program on modelled IPUs and on the CPU
make test               every test, in the dev preset (debug, address and undefined-behaviour sanitizers)
make bench              the measurements of bench/
make anchors [ROWS=dir] published figures of the IPU Model beside ours, or those of a directory; fails when one is too far away
make install PREFIX=x   libraries, headers, commands, pkg-config and CMake files under x (standard: /usr/local)
make uninstall          removes what the last `make install` wrote
make mpi                installs Open MPI and builds what shares replicas among processes
make site               pages, API reference and the demo's report with search: build/site
make docs               the API reference as HTML: build/api (installs Doxygen)
make check-all          everything slow: both compilers, optimised sanitizer builds, threads, long property tests
make clean              removes build/
make help               this list

Each installs the Debian packages that it lacks (scripts/install-dependencies), and says which and how large they are.
endef

.PHONY: all help docs site mpi demo test bench anchors install uninstall check-all clean
all: build/release/build.ninja
	cmake --build --preset release

help:
	$(info $(HELP))
	@:

# A preset is configured once; Ninja re-runs CMake when its files change.
build/%/build.ninja:
	$(DEPENDENCIES) $(if $(filter release demo,$*),build,test)
	cmake --preset $*

# A build of its own, which has what the demo shows alone.
demo: build/demo/build.ninja
	cmake --build --preset demo --target demo
	scripts/demo build/demo

test: build/dev/build.ninja
	$(DEPENDENCIES) test
	cmake --build --preset dev
	ctest --preset dev

bench: build/release/build.ninja
	-$(DEPENDENCIES) bench # only to compare with
	cmake --preset release
	cmake --build --preset release
	scripts/bench build/release

anchors: build/release/build.ninja
	cmake --build --preset release
	scripts/anchors build/release $(ROWS)

install: build/release/build.ninja
	cmake --build --preset release --target product
	cmake --install build/release --prefix "$(PREFIX)"

# What the last `make install` of this checkout wrote.
uninstall:
	scripts/uninstall build/release/install_manifest.txt

check-all:
	scripts/check-all

docs:
	scripts/api-docs

# The pages with search, the API reference and the demo's report, in build/site.
site: build/release/build.ninja
	cmake --build --preset release --target demo python_package tremula_onnx
	scripts/site build/release

mpi: build/release/build.ninja
	$(DEPENDENCIES) mpi
	cmake --preset release
	cmake --build --preset release

clean:
	rm -rf build
