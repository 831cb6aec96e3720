# make, make install      build for the PostgreSQL of $(PG_CONFIG), install there
# make installcheck       SQL and TAP tests against a running server
# make test               whether the extension works on this machine: install what the tests
#                         lack, and run them in throwaway servers, in some minutes
# make check-world        make test, then the tests that take longer
# make demo               a demonstration, in such a server, on the files under /usr/share
# make unit, fuzz, bench  unit tests and fuzzers of plain files, measurements
# make mutants            faults put into src that no test notices
# make load               many readers, publishers and writers at the same time
# make sanitize           the SQL tests with AddressSanitizer and UndefinedBehaviorSanitizer
# make valgrind           the SQL tests under valgrind
# make dist               the release archive
# make release            the archive, Debian and RPM packages and an extension image, each checked

EXTENSION = sitemap
MODULE_big = sitemap
DATA = $(wildcard sql/sitemap--*.sql)
DOCS = README.md $(wildcard doc/*.md)
# In PostgreSQL's directory of documentation, another extension can have a README.md.
override docmoduledir = sitemap

# Files without PostgreSQL's headers: they are also built for the unit tests and the fuzzers.
PLAIN := $(patsubst %.c,%.o,$(shell test/plain))
OBJS := $(sort $(patsubst %.c,%.o,$(wildcard src/*.c src/*/*.c)))

REGRESS := $(sort $(patsubst test/sql/%.sql,%,$(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test --load-extension=sitemap --encoding=UTF8 --no-locale
ISOLATION := $(sort $(patsubst test/specs/%.spec,%,$(wildcard test/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test --outputdir=. --load-extension=sitemap
# A test is named after a function (without "sitemap_"), a document, or a part of the
# server, and then after what it tests: files_streaming, guide_web_servers, memory.
PROVE_TESTS := $(wildcard test/t/*.pl)
TAP_TESTS := $(if $(PROVE_TESTS),1)

# The first "version" is the release's; the second one, in "provides", the extension's.
RELEASE := $(shell sed -n '/"version"/ { s/.*: *"\([^"]*\)".*/\1/p; q; }' META.json)

PG_CONFIG ?= pg_config
ifneq ($(words $(PG_CONFIG)),1)
$(error PG_CONFIG must be the path of a pg_config, without blanks)
endif
PKG_CONFIG ?= pkg-config
WITH_LIBDEFLATE ?= auto
WITH_LIBIDN2 ?= auto
WITH_LIBXML2 ?= auto
FUZZ_CC ?= clang
FUZZ_SECONDS ?= 60
SANITIZE ?= -fsanitize=address,undefined -fno-sanitize-recover=all
# Commands are printed with VERBOSE=1 only; else a line for each folder that is compiled.
ifndef VERBOSE
.SILENT:
say = $(if $(filter $(@D),$(SAID)),,$(eval SAID += $(@D))$(info $(@D)))
COMPILE.c = $(say)$(CC) $(CFLAGS) $(CPPFLAGS) -c
endif
export PG_CONFIG WITH_LIBDEFLATE WITH_LIBIDN2 WITH_LIBXML2
# gzip takes GZIP for options, which PGXS sets; with CDPATH, cd goes elsewhere.
unexport GZIP CDPATH

comma := ,
hash := \#
# The version of an optional library, empty where it is missing or unwanted.
optional = $(if $(filter no,$(WITH_$(1))),,$(shell $(PKG_CONFIG) --modversion $(2) 2>/dev/null))
flags = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)
LIBDEFLATE := $(call optional,LIBDEFLATE,libdeflate)
LIBIDN2 := $(call optional,LIBIDN2,libidn2)
LIBXML2 := $(call optional,LIBXML2,libxml-2.0)

PLAIN_CPPFLAGS := -Isrc $(if $(LIBIDN2),-DUSE_LIBIDN2 $(call flags,--cflags libidn2))
PLAIN_LIBS := $(if $(LIBIDN2),$(call flags,--libs libidn2))
WARNINGS = -Wall -Wextra -Wno-unused-parameter -Werror=implicit-function-declaration

PG_CPPFLAGS = $(PLAIN_CPPFLAGS) -DSITEMAP_VERSION='"$(RELEASE)"' $(call flags,--cflags zlib) \
	$(if $(LIBDEFLATE),-DUSE_LIBDEFLATE $(call flags,--cflags libdeflate))
PG_CFLAGS = $(WARNINGS)
# PostgreSQL loads modules into one namespace: our calls stay in our own module.
BIND_LOCALLY = -Wl,-Bsymbolic
SHLIB_LINK = $(if $(filter linux freebsd netbsd openbsd,$(PORTNAME)),$(BIND_LOCALLY)) $(PLAIN_LIBS) $(if $(LIBDEFLATE),$(call flags,--libs libdeflate)) $(or $(call flags,--libs zlib),-lz)
EXTRA_CLEAN = build

# pg_config and pgxs.mk may be there without the server's headers.
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
SERVER_HEADER := $(wildcard $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)/postgres.h)
ifneq ($(and $(PGXS),$(SERVER_HEADER)),)
# Build bitcode only if the clang that PostgreSQL was built with is there.
ifeq ($(shell command -v $$(sed -n 's/^CLANG *= *//p' $(dir $(PGXS))../Makefile.global)),)
override with_llvm = no
endif
include $(PGXS)
# PGXS installs the rest in the recipe of install, after the library, and says nothing.
install: next-step
next-step: installdirs install-lib
	@[ -n '$(DESTDIR)' ] || echo 'Next, run CREATE EXTENSION sitemap in a database of PostgreSQL $(VERSION), and see doc/tutorial.md.'
# PGXS installs documents without their folder, but does not remove them there.
uninstall: uninstall-documents
uninstall-documents:
	rm -f $(addprefix '$(DESTDIR)$(docdir)/$(docmoduledir)'/,$(notdir $(DOCS)))
	rmdir '$(DESTDIR)$(docdir)/$(docmoduledir)' 2>/dev/null || true
else
all install installcheck:
	@test/setup missing
	@exit 1
uninstall clean:
	@echo 'There is nothing to $@: "$(PG_CONFIG)" knows no PostgreSQL with its development files.'
endif

# What this build is made for and with; printed when that changes. All objects
# depend on it, so another PG_CONFIG, WITH_... or COPT (PostgreSQL's variable for
# more options of the compiler) never meets stale ones.
BUILD = sitemap $(RELEASE) $(if $(PGXS),for $(shell $(PG_CONFIG) --version) in $(shell $(PG_CONFIG) --pkglibdir)): \
	zlib, libdeflate $(or $(LIBDEFLATE),no), libidn2 $(or $(LIBIDN2),no), libxml2 $(or $(LIBXML2),no)$(if $(COPT),$(comma) $(COPT))
# Without zlib's header, say what to install, before the compiler fails.
CAN_COMPILE = $(if $(PGXS),{ echo '$(hash)include <zlib.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 || test/setup missing; },true)
build/config: FORCE
	@mkdir -p build
	@echo '$(BUILD)' | cmp -s - $@ || { $(CAN_COMPILE) && echo '$(BUILD)' | tee $@; }
FORCE:

HEADER_FILES = $(wildcard src/*.h src/*/*.h)
$(OBJS) $(OBJS:.o=.bc): $(HEADER_FILES) build/config

# With libxml2, fuzzers compare its judgement of an input with ours.
FUZZ_LIBS = $(PLAIN_LIBS) $(if $(LIBXML2),-DUSE_LIBXML2 $(call flags,--cflags --libs libxml-2.0)) -lm
PLAIN_CFLAGS = -g -O1 $(WARNINGS) $(COPT) $(PLAIN_CPPFLAGS)

# The tests of plain files are also rebuilt when their compiler or its sanitizers change.
build/sanitize: FORCE
	@mkdir -p build
	@echo '$(CC) $(FUZZ_CC) $(SANITIZE)' | cmp -s - $@ || echo '$(CC) $(FUZZ_CC) $(SANITIZE)' >$@

# Plain files are compiled once for all unit tests, once for all fuzzers.  The unit tests
# load them from a library, so that a changed file does not link them again.
UNIT_BUILD = $(CC) $(SANITIZE) $(PLAIN_CFLAGS) -fPIC -o $@
UNIT_PLAIN = $(PLAIN:src/%=build/unit/%)
UNIT_LIBRARY = build/unit/plain.so
$(UNIT_PLAIN): build/unit/%.o: src/%.c $(HEADER_FILES) build/config build/sanitize
	@mkdir -p $(@D)
	$(UNIT_BUILD) -c $<
$(UNIT_LIBRARY): $(UNIT_PLAIN)
	$(UNIT_BUILD) -shared $^ $(PLAIN_LIBS)

UNIT_NEEDS = $(HEADER_FILES) build/config build/sanitize | $(UNIT_LIBRARY)
UNIT = $(patsubst test/%.c,build/%,$(wildcard test/unit/*.c))
$(UNIT): build/%: test/%.c $(wildcard test/unit/*.h) $(UNIT_NEEDS)
	$(UNIT_BUILD) $< $(UNIT_LIBRARY)

FUZZ_SOURCES = $(wildcard test/fuzz/fuzz_*.c)
SEEDS = $(patsubst test/fuzz/fuzz_%.c,build/seeds/%,$(FUZZ_SOURCES))
$(SEEDS): build/seeds/%: test/fuzz/fuzz_%.c test/fuzz/seeds.c test/fuzz/fuzz.h $(UNIT_NEEDS)
	@mkdir -p $(@D)
	$(UNIT_BUILD) $< test/fuzz/seeds.c $(UNIT_LIBRARY) $(FUZZ_LIBS)

FUZZ_BUILD = $(FUZZ_CC) -fsanitize=fuzzer $(SANITIZE) $(PLAIN_CFLAGS) -o $@
FUZZ_PLAIN = $(PLAIN:src/%=build/fuzz/%)
$(FUZZ_PLAIN): build/fuzz/%.o: src/%.c $(HEADER_FILES) build/config build/sanitize
	@mkdir -p $(@D)
	$(FUZZ_BUILD) -c $<

FUZZ = $(patsubst test/%.c,build/%,$(FUZZ_SOURCES))
$(FUZZ): build/%: test/%.c test/fuzz/fuzz.h $(FUZZ_PLAIN)
	$(FUZZ_BUILD) $< $(FUZZ_PLAIN) $(FUZZ_LIBS)

# Compile everything, run nothing.
compile: all $(UNIT) $(SEEDS)

unit: $(UNIT) $(SEEDS)
	@status=0; \
	for test in $(UNIT); do echo "$$test .."; $(EMULATOR) $$test || status=1; done; \
	for test in $(SEEDS); do echo "$$test .."; $(EMULATOR) $$test test/fuzz/seeds/$${test##*/}/* || status=1; done; \
	exit $$status

# The corpus is in a temporary directory, which is kept if an input fails.
fuzz: $(FUZZ)
	@dir=$$(mktemp -d) && for fuzzer in $(FUZZ); do \
		corpus=$$dir/$${fuzzer##*/} && mkdir $$corpus && echo "$$fuzzer, $(FUZZ_SECONDS) s" && \
		$$fuzzer -verbosity=0 -print_final_stats=1 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$$dir/ \
			$$corpus test/fuzz/seeds/$${fuzzer##*/fuzz_} || \
		{ echo "$$fuzzer: see $$dir" >&2; exit 1; }; \
	done && rm -rf $$dir

bench demo load:
	@test/$@/run

test:
	@test/run

# COMMIT=..., or SAMPLE=... and SEED=...
mutants:
	@test/mutants $(if $(SAMPLE),-n $(SAMPLE) $(if $(SEED),-s $(SEED)),$(COMMIT))

valgrind:
	@test/valgrind

check-world:
	@test/run world

sanitize:
	@test/sanitize

# The diagram of the README, drawn by graphviz.
doc/flow.svg: doc/flow.dot
	dot -Tsvg -o $@ $<

dist:
	git archive --format=zip --prefix=sitemap-$(RELEASE)/ -o sitemap-$(RELEASE).zip HEAD

release:
	@packaging/release

.PHONY: next-step uninstall-documents compile unit fuzz bench demo load test check-world mutants sanitize valgrind dist release FORCE
