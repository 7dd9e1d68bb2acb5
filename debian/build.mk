# SPDX-License-Identifier: GPL-2.0-or-later
# What ./waf build and ./waf install do, for debian/rules: objects in debian/out, an installation in debian/tmp.
#   libiwarp.a  libiwarp.so  libiwarp-ns3.a  iwarpsim (compiled as a whole, with -flto, as build/whole/iwarpsim is)  iwarpsim-ns3  iwarpsim-simgrid
include /usr/share/dpkg/default.mk
include debian/sources.mk

OUT = debian/out
ROOT = debian/tmp
LIBDIR = /usr/lib/$(DEB_HOST_MULTIARCH)
SHARE = $(ROOT)/usr/share/iwarpsim
COMPLETIONS = $(ROOT)/usr/share/bash-completion/completions $(ROOT)/usr/share/zsh/vendor-completions $(ROOT)/usr/share/fish/vendor_completions.d
DOC = $(ROOT)/usr/share/doc/iwarpsim-doc
PKG_CONFIG = pkg-config
PYTHON = /usr/bin/python3

DPKG_EXPORT_BUILDFLAGS = 1
include /usr/share/dpkg/buildflags.mk

ISAL := $(shell $(PKG_CONFIG) --exists libisal && echo libisal)
CFLAGS += $(CFLAGS_OURS) $(if $(ISAL),-DIWARP_ISAL $(shell $(PKG_CONFIG) --cflags libisal)) $(shell $(PKG_CONFIG) --cflags yaml-0.1 libpcap expat nettle libzstd) -DIWARP_ZSTD
KNOWS = -DIWARPSIM_COMMIT='"debian-$(DEB_VERSION)"' -DIWARPSIM_DATADIR='"/usr/share/iwarpsim"'
# What ns-3's headers need: C++20 from one version on.
CXX_STANDARD := $(shell $(CXX) -std=c++17 -fsyntax-only -x c++ -include ns3/core-module.h /dev/null 2>/dev/null && echo -std=c++17 || echo -std=c++20 -Wno-deprecated-declarations)
CXXFLAGS += $(CXX_STANDARD) $(CXXFLAGS_OURS)
LIBS = $(shell $(PKG_CONFIG) --libs yaml-0.1 libpcap expat nettle libzstd $(ISAL)) -lm
NS3_LIBS = $(NS3_MODULES:%=-lns3-%)

PAGE_C = $(OUT)/page_html.c
CATALOGUE_C = $(OUT)/catalogue_table.c
GENERATED = $(PAGE_C) $(CATALOGUE_C)
HELPERS = $(filter-out helpers/main.c,$(COMMAND)) $(GENERATED)
WHOLE = $(COMMAND) $(GENERATED) $(LIBRARY) $(SOCKET_MODEL)
objects = $(addprefix $(OUT)/$(1)/,$(addsuffix .o,$(basename $(2))))

SONAME = libiwarp.so.$(firstword $(subst ., ,$(VERSION)))
SHARED_LIBRARY = libiwarp.so.$(VERSION)
PROGRAMS = iwarpsim iwarpsim-ns3 iwarpsim-simgrid
all: $(PROGRAMS:%=$(OUT)/%) $(OUT)/libiwarp.a $(OUT)/$(SHARED_LIBRARY) $(OUT)/libiwarp-ns3.a $(OUT)/live.wasm.z

$(OUT)/plain/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(KNOWS) -c $< -o $@

$(OUT)/shared/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fno-semantic-interposition -c $< -o $@

$(OUT)/whole/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -flto $(KNOWS) -c $< -o $@

$(OUT)/plain/%.o: %.cc
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@

$(PAGE_C): $(PAGE)
	@mkdir -p $(@D)
	$(PYTHON) helpers/story/page/embed.py $(PAGE) > $@

$(CATALOGUE_C): $(CATALOGUE)
	@mkdir -p $(@D)
	$(PYTHON) helpers/judge/catalogue_table.py $(CATALOGUE) > $@

$(OUT)/iwarpsim: $(call objects,whole,$(WHOLE))
	$(CC) $(CFLAGS) $(LDFLAGS) -flto=auto -o $@ $^ $(LIBS)

$(OUT)/libiwarp.a: $(call objects,plain,$(LIBRARY))
$(OUT)/libhelpers.a: $(call objects,plain,$(HELPERS) $(SOCKET_MODEL))
$(OUT)/libiwarp-ns3.a: $(call objects,plain,$(NS3_MODEL))
$(OUT)/%.a:
	rm -f $@
	$(AR) rcsD $@ $^

$(OUT)/libiwarp.map: $(OUT)/libiwarp.a
	$(PYTHON) helpers/packages/symbols.py $< $(HEADERS) > $@

$(OUT)/$(SHARED_LIBRARY): $(OUT)/libiwarp.map $(call objects,shared,$(LIBRARY))
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$< -o $@ $(filter %.o,$^) $(if $(ISAL),-lisal)

$(OUT)/iwarpsim-ns3: $(call objects,plain,$(NS3_COMMAND)) $(OUT)/libiwarp-ns3.a $(OUT)/libhelpers.a $(OUT)/libiwarp.a
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(NS3_LIBS) $(LIBS)

# SimGrid 4.0 deprecates what 3.32 has no other name for.
$(OUT)/plain/model/simgrid/shim.o: CXXFLAGS += -Wno-deprecated-declarations
$(OUT)/iwarpsim-simgrid: $(call objects,plain,$(SIMGRID_COMMAND) $(SIMGRID_MODEL)) $(OUT)/libhelpers.a $(OUT)/libiwarp.a
	$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ -lsimgrid $(LIBS)

# The engine for pages.
$(OUT)/live.wasm.z:
	$(PYTHON) helpers/live/build.py $(OUT)

manual: $(OUT)/iwarpsim $(OUT)/live.wasm.z
	$(PYTHON) helpers/manual/manual.py $(OUT)/iwarpsim $(OUT)/manual

# ./waf check tests; here: does what was compiled run?
test: all
ifeq (,$(filter nocheck,$(DEB_BUILD_OPTIONS)))
	sh debian/tests/decode
	sh debian/tests/worlds
endif

install: all
	install -d $(ROOT)/usr/bin $(ROOT)$(LIBDIR)/pkgconfig $(ROOT)$(LIBDIR)/cmake/iwarp $(SHARE) $(COMPLETIONS) $(ROOT)/usr/share/man/man1 $(ROOT)/usr/share/man/man5
	install $(PROGRAMS:%=$(OUT)/%) $(ROOT)/usr/bin
	install -m 644 $(OUT)/libiwarp.a $(OUT)/libiwarp-ns3.a $(OUT)/$(SHARED_LIBRARY) $(ROOT)$(LIBDIR)
	ln -sf $(SHARED_LIBRARY) $(ROOT)$(LIBDIR)/$(SONAME)
	ln -sf $(SHARED_LIBRARY) $(ROOT)$(LIBDIR)/libiwarp.so
	for name in iwarp.pc iwarp-ns3.pc iwarp-config.cmake iwarp-config-version.cmake; do sed -e 's,@PREFIX@,/usr,; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(VERSION),' \
	    -e 's,@LIBS@,$(if $(ISAL),-lisal),; s,@NS3_CFLAGS@,$(CXX_STANDARD),; s,@NS3_LIBS@,$(NS3_LIBS),' \
	    helpers/packages/$$name.in > $(ROOT)$(LIBDIR)/$$(case $$name in *.pc) echo pkgconfig;; *) echo cmake/iwarp;; esac)/$$name || exit 1; done
	for file in $(HEADERS); do install -D -m 644 $$file $(ROOT)/usr/include/iwarp/$${file#model/} || exit 1; done
	for file in $(SCENARIOS); do install -D -m 644 $$file $(SHARE)/$$file || exit 1; done
	for file in $(SHARED); do case $$file in \
	    helpers/*) install -D -m 644 $$file $(SHARE)/$${file#helpers/};; \
	    *) install -m 644 $$file $(SHARE);; esac || exit 1; done
	install -m 644 $(OUT)/live.wasm.z $(SHARE)
	$(PYTHON) helpers/live/course.py $(OUT)/course
	install -d $(SHARE)/course
	install -m 644 $(OUT)/course/* $(SHARE)/course
	$(PYTHON) helpers/packages/man_page.py $(OUT)/iwarpsim > $(ROOT)/usr/share/man/man1/iwarpsim.1
	$(OUT)/iwarpsim keys --man > $(ROOT)/usr/share/man/man5/iwarpsim-scenario.5
	$(OUT)/iwarpsim keys --completion bash > $(word 1,$(COMPLETIONS))/iwarpsim
	$(OUT)/iwarpsim keys --completion zsh > $(word 2,$(COMPLETIONS))/_iwarpsim
	$(OUT)/iwarpsim keys --completion fish > $(word 3,$(COMPLETIONS))/iwarpsim.fish

install-doc: manual
	install -d $(DOC)/html $(DOC)/examples
	cp -R $(OUT)/manual/. $(DOC)/html
	install -m 644 $(EXAMPLES) $(DOC)/examples
