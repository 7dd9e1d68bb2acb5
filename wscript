# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds iwarpsim. Every room is a glob: a new .c file in a room needs no change here.

  ./waf configure [--prefix DIR] [--ns3 DIR]         ./waf build     ./waf install [--destdir DIR]
  ./waf demo [--small]               ./waf check [--nightly] [--target NAME]     ./waf test NAME
  ./waf fuzz [--target NAME] [--seconds N]           ./waf fuzz --target fuzz_tcp --runs 100000000
  ./waf bench [--target NAME]
  ./waf format [--check]             ./waf wasm                         ./waf manual
  ./waf coverage                     ./waf lines [--rooms]              ./waf paper
"""

import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys

from waflib import Build, Configure, Options, Utils

APPNAME = 'iwarpsim'
VERSION = '0.1.0'
top = '.'
out = 'build'

Configure.autoconfig = 'clobber'  # configures by itself, and again (same options) when a file below changed

# Functions below that are not commands have comments, not docstrings: waf lists docstrings as commands.

# ---- what is built from what -------------------------------------------------------------------------------

LIBRARY = ['model/*.c'] + ['model/%s/*.c' % room for room in ('engine', 'llp', 'rnic', 'channel', 'node', 'fabric', 'simgrid')]
HEADERS = ['model/*.h'] + ['model/%s/*.h' % room for room in ('engine', 'llp', 'rnic', 'channel', 'node', 'fabric', 'ns3')]  # installed
INTERNAL = ['model/parameter_rows.h', 'model/engine/endpoint.h', 'model/engine/carve.h', 'model/**/*_inner.h']  # headers that are not installed
SOCKET_MODEL = ['model/socket/*.c']  # needs Linux
SIMGRID_MODEL = ['model/simgrid/ports.c', 'model/simgrid/shim.cc']  # the rest of that room is plain C
SIMGRID_COMMAND = ['helpers/world/simgrid/*.c']
SIMGRID_BENCH = ['validation/bench/simgrid_floor.c']
COMMAND = ['helpers/**/*.c', 'scenarios/workloads/*.c']
PAGE_ENGINE = ['helpers/live/*.c']  # for wasm32 only: `./waf wasm`
PAGE = 'helpers/story/page/page.html'
CATALOGUE = ['validation/conformance/%s.tsv' % name for name in ('conformance', 'mpa', 'rfc7306')]  # that `judge` judges by
CATALOGUE_TABLE = 'helpers/judge/catalogue_table.c'
PAGE_SCRIPTS = ['helpers/story/page/*.js']  # in the order of their names
BUILT = 'helpers/base/built.c'  # the one file that knows the commit and the prefix
NS3_MODEL = ['model/ns3/*.cc']
NS3_COMMAND = ['helpers/world/ns3/*.cc']
NS3_TESTS = ['validation/ns3/*.cc']
NS3_BENCH = ['validation/bench/*.cc']
SUPPORT = ['validation/support/*.c']  # worlds in which tests of several folders run
UNIT = ['validation/unit/*.c']
LAWS = ['validation/laws/*.c']
INTEROP = ['validation/interop/*.c']
FUZZ = ['validation/fuzz/*.c']
CHECK_TAKES = ['about a quarter of an hour on two cores (six minutes when all is built), 800 MB in build/', 'many hours, 800 MB in build/ and more in /tmp']
LONG_RUNS = {'fuzz_tcp': 10**8}  # at night: inputs beside the corpus, in the flavour `swift`
LONG_FUZZ = ['validation/fuzz/%s.c' % name for name in LONG_RUNS]
REFERENCE = ['validation/reference/*.c']  # the engine plays what compare_test.py plays on the reference
PACKETDRILL = ['validation/packetdrill/*.c']  # our TCP plays what play.py reads
BENCH = ['validation/bench/*.c']
INSTRUCTIONS = ['validation/bench/%s_bench.c' % name for name in ('scale', 'engine', 'mpa', 'tcp', 'sctp', 'rnic', 'node')]  # counted by callgrind
SCRIPTS = ['validation/arrows/arrows.py', 'validation/wasm/wasm.py', 'validation/**/*_test.py']
SCENARIOS = ['scenarios/**/*.' + kind for kind in ('yaml', 'cdf', 'fates', 'goal', 'md', 'html', 'svg', 'png')]
CAPTURE = 'validation/interop/d1-good.pcap'
SHARED = ['helpers/wireshark/**/*', 'helpers/python/*']  # what share/iwarpsim has of helpers/
EXAMPLES = ['model/examples/*', 'model/ns3/examples/*.cc']
FORMATTED = ['model', 'helpers', 'scenarios', 'validation']

INCLUDES = ['model', '.']
CFLAGS = ['-std=c11', '-O2', '-g']
HOSTED = ['_DEFAULT_SOURCE']  # what the helpers and tests, unlike the model, may use of libc
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Wstrict-prototypes']
CXXFLAGS = ['-std=c++17', '-O2', '-g', '-Wall', '-Wextra', '-Wdeprecated-enum-enum-conversion', '-Wno-use-after-free']  # C++20 warns so by itself; gcc 12 misreads ns3::Ptr
NS3_MODULES = ['point-to-point', 'internet', 'traffic-control', 'bridge', 'network', 'stats', 'core']
SANITIZE = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer']
LAWS_HOLD = ['-DIW_LAWS']  # model/engine/law.h: a broken law ends the program

# The library and the programs on it exist in several flavours: compiler flags, linker flags.
# clang's reading of -Wsign-conversion differs from gcc's about enumerations; gcc has checked them by then.
FLAVOURS = {
    'plain': ([], []),
'san': (SANITIZE + LAWS_HOLD, SANITIZE),
    'libfuzzer': (SANITIZE + LAWS_HOLD + ['-fsanitize=fuzzer-no-link', '-Wno-sign-conversion'], SANITIZE + ['-fsanitize=fuzzer']),
    'whole': (['-flto'], ['-flto=auto', '-O2']),  # of the command alone, as it is installed: 10 to 15 % of its time; build/whole/iwarpsim
    'cov': (['--coverage', '-O0'], ['--coverage']),
    'swift': (LAWS_HOLD + ['-fsanitize=fuzzer-no-link', '-fno-sanitize-coverage=trace-cmp', '-Wno-sign-conversion'], ['-fsanitize=fuzzer']),  # laws without sanitizers: seven times as many inputs a second
    'portable': ([], []),  # of the benches: the portable CRC, so that instructions are the same on every processor
    'tsan': (['-fsanitize=thread', '-O1'], ['-fsanitize=thread']),  # of the command alone: `run --threads`
    'clang': (['-Wno-sign-conversion'], []),  # of the command alone: what another compiler makes of it
}

PACKAGES = [  # pkg-config name, name here, Debian package, needed to build at all
    ('yaml-0.1', 'YAML', 'libyaml-dev', True),
    ('libpcap', 'PCAP', 'libpcap-dev', True),
    ('libxml-2.0', 'XML', 'libxml2-dev', True),
    ('libisal', 'ISAL', 'libisal-dev', False),
    ('cmocka', 'CMOCKA', 'libcmocka-dev', False),
]


def options(opt):
    opt.load('compiler_c compiler_cxx')
    opt.add_option('--ns3', default='', help='build against the ns-3 (3.36 or newer) installed in this prefix [the system\'s]')
    opt.add_option('--small', action='store_true', help='demo: the packet world alone')
    opt.add_option('--no-werror', action='store_true', help='warnings are not errors')
    opt.add_option('--nightly', action='store_true', help='check: the large numbers of seeds, laws under the sanitizers too')
    opt.add_option('--target', default='', help='check, fuzz, bench: build and run only programs whose name contains this')
    opt.add_option('--seconds', type=int, default=60, help='fuzz: how long each target runs (60)')
    opt.add_option('--runs', type=int, default=0, help='fuzz: so many inputs for %s, fast, then all that they kept under the sanitizers' % ', '.join(sorted(LONG_RUNS)))
    opt.add_option('--rooms', action='store_true', help='lines: counts those of each room, against its budget')
    opt.add_option('--check', action='store_true', help='format: change nothing, fail when a file would change')


# ---- configure ---------------------------------------------------------------------------------------------


def configure(cnf):
    cnf.load('compiler_c')
    cnf.env.prepend_value('CFLAGS', CFLAGS + WARNINGS + ([] if cnf.options.no_werror else ['-Werror']))
    for name, store, package, needed in PACKAGES:
        cnf.check_cfg(package=name, uselib_store=store, args=['--cflags', '--libs'], mandatory=needed,
                      errmsg='not found (Debian: %s)' % package)
    if cnf.env.HAVE_ISAL:
        cnf.env.append_value('DEFINES_ISAL', 'IWARP_ISAL')
    cnf.env.LIB_MATH = ['m']
    cnf.env.LIB_THREADS = ['pthread']
    find_ns3(cnf)
    find_simgrid(cnf)
    add_flavour(cnf, 'plain', cnf.env.CC)
    add_flavour(cnf, 'san', cnf.env.CC)
    add_flavour(cnf, 'whole', cnf.env.CC)
    add_flavour(cnf, 'portable', cnf.env.CC)
    add_flavour(cnf, 'tsan', cnf.env.CC)
    add_flavour(cnf, 'cov', cnf.env.CC)
    if cnf.find_program('clang', var='CLANG', mandatory=False):
        add_flavour(cnf, 'libfuzzer', cnf.env.CLANG)
        add_flavour(cnf, 'swift', cnf.env.CLANG)
        add_flavour(cnf, 'clang', cnf.env.CLANG)
    again_when_packages_change(cnf)
    lists_for_debian()


# debian/rules compiles without waf.
def lists_for_debian():
    sys.path.insert(0, os.path.abspath('helpers/packages'))
    import debian_sources
    debian_sources.write(globals())


# ns-3's libraries carry its version and build profile in their names: libns3.37-core.so, libns3.40-core-optimized.so;
# Debian's have plain names beside those. Without ns-3 its world is left out.
def find_ns3(cnf):
    if not cnf.find_program(['g++', 'clang++'], var='CXX', mandatory=False):
        return
    cnf.load('compiler_cxx')
    cnf.env.prepend_value('CXXFLAGS', CXXFLAGS + ([] if cnf.options.no_werror else ['-Werror']))
    prefix = cnf.options.ns3
    folders = [os.path.join(prefix, d) for d in ('lib', 'lib64')] if prefix else \
        subprocess.run(cnf.env.CXX + ['-print-multiarch'], stdout=subprocess.PIPE, text=True).stdout.split()
    folders = folders if prefix else ['/usr/lib/' + f for f in folders] + ['/usr/lib']
    cnf.start_msg('Checking for ns-3')
    found = [(f, m) for f in folders if os.path.isdir(f) for m in map(re.compile(r'lib(ns3(?:-dev|[\d.]*)-)core(-\w+)?\.so$').match, sorted(os.listdir(f))) if m]
    if not found:
        cnf.end_msg('not found%s: its world is left out' % (' in ' + prefix if prefix else ' (Debian: libns3-dev)'), 'YELLOW')
        return
    folder, name = found[0]
    cnf.env.LIB_NS3 = [name[1] + module + (name[2] or '') for module in NS3_MODULES]
    flags = ['-isystem', os.path.abspath(os.path.join(prefix, 'include'))] if prefix else []  # its warnings are not ours
    if prefix:
        cnf.env.LIBPATH_NS3 = cnf.env.RPATH_NS3 = [os.path.abspath(folder)]
        cnf.env.LINKFLAGS_NS3 = ['-Wl,--disable-new-dtags']  # the path holds for what its libraries need, too
    fragment = '#include "ns3/core-module.h"\nint main() { return ns3::Simulator::Now().IsZero() ? 0 : 1; }\n'
    # What its headers need; one that needs C++20 deprecates what 3.36 has no other name for.
    for standard in (['-std=c++17'], ['-std=c++20', '-Wno-deprecated-declarations']):
        cnf.env.CXXFLAGS_NS3 = flags + standard
        works = cnf.check_cxx(fragment=fragment, use='NS3', mandatory=False, msg=None)
        if works:
            break
    cnf.env.HAVE_NS3 = bool(works)
    cnf.end_msg(os.path.join(folder, name[0]) if works else 'found, but it does not link', 'GREEN' if works else 'YELLOW')
    if works and os.path.exists(os.path.join(folder, 'lib%smpi%s.so' % (name[1], name[2] or ''))):
        find_mpi(cnf, name[1] + 'mpi' + (name[2] or ''))


# ns-3's distributed simulator, and the MPI that it was built with: `run --ranks`.
def find_mpi(cnf, library):
    says = [subprocess.run(['mpicxx', '--showme:' + what], stdout=subprocess.PIPE, text=True).stdout.split() for what in ('compile', 'link')] if shutil.which('mpicxx') else [[], []]
    cnf.env.CXXFLAGS_MPI = [re.sub('^-I', '-isystem', flag) for flag in says[0]]
    cnf.env.LINKFLAGS_MPI = [flag for flag in says[1] if not flag.startswith('-l')]
    cnf.env.LIB_MPI = [library] + [flag[2:] for flag in says[1] if flag.startswith('-l')]
    fragment = '#include "ns3/mpi-interface.h"\nint main() { return ns3::MpiInterface::GetSize() == 0; }\n'
    works = cnf.check_cxx(fragment=fragment, use='NS3 MPI', mandatory=False, msg="Checking for ns-3's MPI", errmsg='does not link (Debian: libopenmpi-dev): no run --ranks')
    if not works:
        return
    for kind in ('CXXFLAGS', 'LINKFLAGS', 'LIB'):
        cnf.env.append_value(kind + '_NS3', cnf.env[kind + '_MPI'])
    cnf.env.append_value('DEFINES_NS3', 'IWARP_RANKS')
    cnf.env.HAVE_RANKS = True


# Without SimGrid its world is left out.
def find_simgrid(cnf):
    if not cnf.env.CXX:
        return
    fragment = '#include <simgrid/s4u.hpp>\n#include <simgrid/version.h>\nint main() { int major, minor, patch; sg_version_get(&major, &minor, &patch); return major < 3; }\n'
    works = cnf.check_cxx(fragment=fragment, lib='simgrid', uselib_store='SIMGRID', mandatory=False, msg='Checking for SimGrid', errmsg='not found (Debian: libsimgrid-dev): its world is left out')
    cnf.env.HAVE_SIMGRID = bool(works)


# An environment named after the flavour; without it when the compiler cannot link it.
def add_flavour(cnf, name, compiler):
    compile_flags, link_flags = FLAVOURS[name]
    base = cnf.env
    cnf.setenv(name, base.derive())
    cnf.env.detach()
    cnf.env.CC = cnf.env.LINK_CC = compiler
    cnf.env.append_value('CFLAGS', compile_flags)
    cnf.env.append_value('LINKFLAGS', link_flags)
    if name == 'portable':
        cnf.env.DEFINES_ISAL = cnf.env.LIB_ISAL = []
    body = 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n);\n' \
           'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return !p && n; }\n'
    fragment = body if name in ('libfuzzer', 'swift') else 'int main(void) { return 0; }\n'
    works = cnf.check_cc(fragment=fragment, msg='Checking for the %s flavour' % name, mandatory=name == 'plain')
    cnf.setenv('')
    cnf.env.append_value('FLAVOURS', [name] if works else [])


# The wrapper ./waf notes the versions of the Debian packages in a file.
def again_when_packages_change(cnf):
    packages = cnf.path.find_node('build/packages')
    if packages:
        cnf.hash = Utils.h_list((cnf.hash, packages.read('rb')))
        cnf.files.append(packages.abspath())


# ---- build -------------------------------------------------------------------------------------------------


def build(bld):
    if bld.cmd == 'clean':  # keep the waf that runs
        bld.clean_files = bld.bldnode.ant_glob('**/*', excl='.lock* c4che/* config.log waf/** packages*', quiet=True)
    keep_when_told_to_end()
    page(bld)
    catalogue(bld)
    if bld.cmd not in ('fuzz', 'coverage'):
        tests = UNIT + LAWS + INTEROP + REFERENCE + PACKETDRILL
        judges = PACKETDRILL if bld.env.HAVE_CMOCKA else []
        flavour(bld, 'plain', {'build': judges, 'check': tests, 'test': tests, 'bench': BENCH}.get(bld.cmd, []))
        ns3(bld)
        simgrid(bld)
    if bld.cmd == 'coverage':
        flavour(bld, 'cov', UNIT + LAWS)
    if bld.cmd == 'check':
        flavour(bld, 'san', UNIT + LAWS + INTEROP)
    if bld.cmd in ('check', 'test', 'fuzz'):
        flavour(bld, 'libfuzzer', FUZZ)
    if 'swift' in bld.env.FLAVOURS and (bld.cmd == 'fuzz' and Options.options.runs or bld.cmd == 'check' and Options.options.nightly):
        rooms(bld, 'swift')
        programs(bld, 'swift', LONG_FUZZ)
    if bld.cmd in ('check', 'test') and shutil.which('valgrind'):
        rooms(bld, 'portable')
        programs(bld, 'portable', INSTRUCTIONS)
    if bld.cmd in ('install', 'uninstall'):
        package(bld)
    narrow(bld)
    if bld.cmd == 'demo' and Options.options.small:
        bld.targets = 'iwarpsim'
    if bld.cmd == 'build':
        bld.add_post_fun(say_what_was_built)


# The last line of ./waf build: which worlds there are, and what each other one takes.
def say_what_was_built(bld):
    worlds = [('fabric', True, ''), ('ns3', bld.env.HAVE_NS3, 'libns3-dev'), ('simgrid', bld.env.HAVE_SIMGRID, 'libsimgrid-dev')]
    built = 'built build/iwarpsim with the worlds ' + ', '.join(name for name, there, _ in worlds if there)
    left_out = ', '.join('world %s (Debian: %s)' % (name, package) for name, there, package in worlds if not there)
    print(built + ('; not built: ' + left_out if left_out else ''))


# With --target (`./waf test NAME`): builds what is run and nothing else. A script runs the commands and the programs that it names.
def narrow(bld):
    name = Options.options.target
    if not name or bld.cmd not in ('check', 'test', 'fuzz', 'bench'):
        return
    programs = [g.name for g in bld.get_all_task_gen() if re.search(r'program', str(getattr(g, 'features', '')))]
    wanted = {p for p in programs if name in 'build/' + p}
    if bld.cmd in ('check', 'test'):
        for script in sources(bld, SCRIPTS):
            if name in script.path_from(bld.path):
                text = script.read()
                named = {p: p if p.endswith('/iwarpsim') else p.split('/')[-1] for p in programs}  # the command in another flavour: in full
                wanted |= {p for p in programs if p.startswith('iwarpsim') or re.search(r'\b%s\b' % named[p], text)}
    if not wanted:
        bld.fatal('nothing here is called %s' % name)
    bld.targets = ','.join(sorted(wanted))


# The page that `iwarpsim play` fills in, as C.
def page(bld):
    def embed(task):
        task.outputs[0].write(subprocess.check_output([sys.executable] + [n.abspath() for n in task.inputs]), flags='wb')

    scripts = sorted(sources(bld, PAGE_SCRIPTS), key=lambda n: n.name)
    bld(rule=embed, source=['helpers/story/page/embed.py', PAGE] + scripts, target=PAGE.replace('.html', '_html.c'), name='page')


# The catalogue of requirements, as C.
def catalogue(bld):
    def write(task):
        task.outputs[0].write(subprocess.check_output([sys.executable] + [n.abspath() for n in task.inputs]), flags='wb')

    bld(rule=write, source=['helpers/judge/catalogue_table.py'] + CATALOGUE, target=CATALOGUE_TABLE, name='catalogue')


# The library, the command's parts and the programs in `tests`, unless the compiler lacks the flavour.
def flavour(bld, name, tests):
    if name not in bld.env.FLAVOURS:
        return
    if tests and not bld.env.HAVE_CMOCKA:
        bld.fatal('the tests need cmocka (Debian: libcmocka-dev)')
    rooms(bld, name)
    command(bld, name)
    programs(bld, name, tests)


def sources(bld, patterns, but=()):
    return bld.path.ant_glob(patterns, excl=list(but), quiet=True)


# Tests that stand in no list run in the main of validation/support/test.c.
def has_main(node):
    return re.search(r'^(int )?(main|LLVMFuzzerTestOneInput|TEST|TEST_WITH)\(', node.read(), re.M) is not None


# What every target has. Objects of one flavour carry its number, so the flavours never meet.
def in_flavour(bld, flavour, **more):
    number = 1 + list(FLAVOURS).index(flavour)
    return dict(more, env=bld.all_envs[flavour].derive(), includes=INCLUDES, idx=number)


def place(flavour):
    return '' if flavour == 'plain' else flavour + '/'


# A static library of files, if there are any; gives the names that its users put in `use`.
def archive(bld, flavour, name, files, **more):
    if not files:
        return []
    bld.stlib(**in_flavour(bld, flavour, source=files, target=place(flavour) + name, name='%s-%s' % (name, flavour), **more))
    return ['%s-%s' % (name, flavour)]


# libiwarp.a: the rooms of model/ that are plain C.
def rooms(bld, flavour):
    install = '${LIBDIR}' if flavour == 'plain' else None
    plain = archive(bld, flavour, 'iwarp', sources(bld, LIBRARY, SIMGRID_MODEL), use=['ISAL'], install_path=install)
    linux = sources(bld, SOCKET_MODEL) if sys.platform == 'linux' else []
    bld.env['LIB_' + flavour] = archive(bld, flavour, 'iwarp-socket', linux, use=plain, defines=HOSTED, install_path=None) + plain


# What git says of the sources; `-dirty` when a file differs from the commit.
def commit(bld):
    git = ['git', '-C', bld.path.abspath()]
    ours = subprocess.run(git + ['ls-files', '--error-unmatch', 'wscript'], capture_output=True) if shutil.which('git') else None
    if not ours or ours.returncode:
        return 'unknown'
    return subprocess.check_output(git + ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], text=True).strip()


# build/iwarpsim, and what it is made of as a library, so that tests can link it.
def command(bld, flavour):
    files = sources(bld, COMMAND, SIMGRID_COMMAND + PAGE_ENGINE)
    libraries = bld.env['LIB_' + flavour] + ['YAML', 'PCAP', 'XML', 'ISAL', 'MATH', 'THREADS']
    defines = HOSTED + ['IWARPSIM_VERSION="%s"' % VERSION]
    generated = [bld.path.find_or_declare(name) for name in (PAGE.replace('.html', '_html.c'), CATALOGUE_TABLE)]
    knows = [f for f in files if f.path_from(bld.path) == BUILT]
    bld.objects(**in_flavour(bld, flavour, source=knows, target=place(flavour) + 'built', name='built-' + flavour,
                             defines=['IWARPSIM_COMMIT="%s"' % commit(bld), 'IWARPSIM_DATADIR="%s/share/iwarpsim"' % bld.env.PREFIX]
                             + (['IWARP_RANKS'] if bld.env.HAVE_RANKS else [])))
    parts = archive(bld, flavour, 'helpers', [f for f in files if not has_main(f) and f not in knows] + generated,
                    use=libraries + ['page', 'catalogue', 'built-' + flavour], defines=defines)
    bld.env['HELPERS_' + flavour] = parts
    if flavour != 'plain':
        return
    linux = sources(bld, SOCKET_MODEL) if sys.platform == 'linux' else []
    everything = [f for f in files if f not in knows] + generated + sources(bld, LIBRARY, SIMGRID_MODEL) + linux
    alone = dict(source=everything, use=['page', 'catalogue', 'built-plain', 'YAML', 'PCAP', 'XML', 'ISAL', 'MATH', 'THREADS'], defines=defines)
    for other in ('tsan', 'clang'):
        if other in bld.env.FLAVOURS and bld.cmd in ('check', 'test'):
            bld.program(**in_flavour(bld, other, target=other + '/iwarpsim', install_path=None, **alone))
    whole = 'whole' in bld.env.FLAVOURS and bld.cmd in ('install', 'uninstall', 'bench')
    if whole:
        bld.program(**in_flavour(bld, 'whole', target='whole/iwarpsim', **alone))
    main = [f for f in files if has_main(f)]
    install = {'install_path': None} if whole else {}
    bld.program(**in_flavour(bld, flavour, source=main, target='iwarpsim', use=parts + libraries, defines=defines, **install))


# The ns-3 world: a library of its own, the program that runs one point in it, and ns-3's kind of tests.
def ns3(bld):
    if not bld.env.HAVE_NS3:
        return
    more = dict(use=['NS3'] + bld.env.HELPERS_plain + bld.env.LIB_plain + ['YAML', 'PCAP', 'XML', 'ISAL', 'MATH', 'THREADS'])
    bld.stlib(**in_flavour(bld, 'plain', source=sources(bld, NS3_MODEL), target='iwarp-ns3', features='cxx cxxstlib', use=['NS3'], install_path='${LIBDIR}'))
    more['use'] = ['iwarp-ns3'] + more['use']
    bld.program(**in_flavour(bld, 'plain', source=sources(bld, NS3_COMMAND), target='iwarpsim-ns3', features='cxx cxxprogram', **more))
    for bench in sources(bld, NS3_BENCH) if bld.cmd == 'bench' else []:
        bld.program(**in_flavour(bld, 'plain', source=[bench], target='bench/' + os.path.splitext(bench.name)[0],
                                 features='cxx cxxprogram', install_path=None, **more))
    tests = sources(bld, NS3_TESTS)
    if tests and bld.cmd in ('check', 'test'):
        bld.program(**in_flavour(bld, 'plain', source=tests, target='ns3/iwarp_ns3_test', features='cxx cxxprogram', install_path=None, **more))


# The SimGrid world: what knows SimGrid, and the program that runs one point in it.
def simgrid(bld):
    if not bld.env.HAVE_SIMGRID:
        return
    bld.objects(**in_flavour(bld, 'plain', source=['model/simgrid/shim.cc'], target='simgrid-shim', features='cxx', use=['SIMGRID'],
                             cxxflags=['-Wno-deprecated-declarations']))  # 4.0 deprecates what 3.32 has no other name for
    bld.objects(**in_flavour(bld, 'plain', source=['model/simgrid/ports.c'], target='simgrid-ports', use=['SIMGRID'], defines=HOSTED))
    use = ['simgrid-shim', 'simgrid-ports', 'SIMGRID'] + bld.env.HELPERS_plain + bld.env.LIB_plain + ['YAML', 'PCAP', 'XML', 'ISAL', 'THREADS']
    programs = [('iwarpsim-simgrid', SIMGRID_COMMAND, '${BINDIR}')] + ([('bench/simgrid_floor', SIMGRID_BENCH, None)] if bld.cmd == 'bench' else [])
    for name, files, where in programs:
        bld.program(**in_flavour(bld, 'plain', source=sources(bld, files), target=name, features='c cxx cxxprogram', install_path=where, use=use, defines=HOSTED))


# One program for each file with a main; the files beside it without one are linked to all of their folder.
def programs(bld, flavour, patterns):
    if not patterns:
        return
    shared = archive(bld, flavour, 'support', sources(bld, SUPPORT), use=bld.env['LIB_' + flavour], defines=HOSTED)
    for pattern in patterns:
        folder = pattern.split('/')[1]
        files = sources(bld, [pattern], SIMGRID_BENCH)
        support = archive(bld, flavour, folder + '-support', [f for f in files if not has_main(f)],
                          use=shared + bld.env['LIB_' + flavour] + ['CMOCKA', 'ISAL'], defines=HOSTED)
        use = support + shared + bld.env['HELPERS_' + flavour] + bld.env['LIB_' + flavour] + ['CMOCKA', 'YAML', 'PCAP', 'XML', 'ISAL', 'MATH', 'THREADS']
        for main in filter(has_main, files):
            name = '%s%s/%s' % (place(flavour), folder, os.path.splitext(main.name)[0])
            bld.program(**in_flavour(bld, flavour, source=[main], target=name, use=use, defines=HOSTED,
                                     install_path=None))


# What an installed iwarpsim has beside the command and the library.
def package(bld):
    model = bld.path.find_dir('model')
    headers = bld.path.ant_glob(HEADERS, excl=INTERNAL, quiet=True)
    bld.install_files('${PREFIX}/include/iwarp', headers, cwd=model, relative_trick=True)
    for name in ['iwarp'] + (['iwarp-ns3'] if bld.env.HAVE_NS3 else []):
        bld(features='subst', source='helpers/packages/%s.pc.in' % name, target=name + '.pc', install_path='${LIBDIR}/pkgconfig',
            VERSION=VERSION, PREFIX=bld.env.PREFIX, LIBDIR=bld.env.LIBDIR, LIBS='-lisal' if bld.env.HAVE_ISAL else '',
            NS3_CFLAGS=' '.join(bld.env.CXXFLAGS_NS3), NS3_LIBS=' '.join(['-L' + f for f in bld.env.LIBPATH_NS3] + ['-l' + lib for lib in bld.env.LIB_NS3]))
    bld.install_files('${PREFIX}/share/doc/iwarpsim/examples', sources(bld, EXAMPLES))
    said_by(bld, 'iwarpsim.1', '${PREFIX}/share/man/man1', [sys.executable, bld.path.find_node('helpers/packages/man_page.py').abspath(), None])
    said_by(bld, 'iwarpsim-scenario.5', '${PREFIX}/share/man/man5', [None, 'keys', '--man'])
    said_by(bld, 'completions/iwarpsim', '${PREFIX}/share/bash-completion/completions', [None, 'keys', '--completion', 'bash'])
    engine = bld.bldnode.find_node('live.wasm.z')  # ./waf wasm
    bld.install_files('${PREFIX}/share/iwarpsim', [CAPTURE, 'validation/vectors/judge.json'] + ([engine] if engine else []))
    bld.install_files('${PREFIX}/share/iwarpsim', sources(bld, SHARED), cwd=bld.path.find_dir('helpers'), relative_trick=True)
    scenarios = bld.path.find_dir('scenarios')
    if scenarios:
        bld.install_files('${PREFIX}/share/iwarpsim/scenarios', sources(bld, SCENARIOS), cwd=scenarios, relative_trick=True)


# A file that is what a command prints; None in it stands for the program.
def said_by(bld, target, place, command):
    def say(task):
        argv = [word or task.inputs[0].abspath() for word in command]
        task.outputs[0].write(subprocess.check_output(argv), flags='wb')

    bld(rule=say, source=bld.bldnode.find_or_declare('iwarpsim'), target=target, install_path=place, vars=[str(command)], always=True)


# ---- commands that build, then run -------------------------------------------------------------------------


# A build that is told to end keeps what it has, as one that is interrupted does.
def keep_when_told_to_end():
    def end(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)


class Running:
    """Builds, then runs; what runs says the last word and decides the exit code."""

    fun = 'build'

    def execute_build(self):
        super().execute_build()
        sys.stdout.flush()
        status = self.run()
        if status or not Options.commands:
            sys.exit(status)

    def run_program(self, *argv):
        return subprocess.call([str(a) for a in argv], cwd=self.path.abspath())

    def built(self, folder, name=''):
        """Programs of this build in build/FOLDER whose names contain `name`, sorted."""
        targets = [t.link_task.outputs[0] for g in self.groups for t in g if getattr(t, 'link_task', None)]
        here = self.bldnode.make_node(folder)
        return sorted((n for n in targets if n.parent == here and name in n.name), key=lambda n: n.name)

    def binary(self):
        binary = self.bldnode.find_node('iwarpsim')
        return binary.path_from(self.path) if binary else self.fatal('there is no command to run yet: helpers/ is empty')


class Demo(Running, Build.BuildContext):
    """builds and shows the main job"""

    cmd = 'demo'

    def run(self):
        return self.run_program(self.binary(), 'demo', *(['--small'] if Options.options.small else []))


class Manual(Running, Build.BuildContext):
    """builds the manual: static pages in build/manual"""

    cmd = 'manual'

    def run(self):
        pythons = [p for p in (sys.executable, '/usr/bin/python3') if subprocess.call([p, '-c', 'import markdown'], stderr=subprocess.DEVNULL) == 0]
        if not pythons:
            self.fatal('python3-markdown is missing (Debian: python3-markdown)')
        self.run_program(pythons[0], 'helpers/live/build.py', self.bldnode.abspath())  # without it the lessons' pages play, and run nothing
        return self.run_program(pythons[0], 'helpers/manual/manual.py', self.binary(), self.bldnode.make_node('manual').abspath())


class Lines(Running, Build.BuildContext):
    """writes every line that users meet first to build/lines.txt, for readers"""

    cmd = 'lines'

    def execute(self):
        sys.exit(subprocess.call([sys.executable, 'validation/rooms/rooms.py'])) if Options.options.rooms else super().execute()

    def run(self):
        out = self.bldnode.make_node('lines.txt')
        out.write(subprocess.check_output([sys.executable, 'helpers/manual/lines.py', self.binary()], cwd=self.path.abspath()), flags='wb')
        print('%s: %d lines' % (out.path_from(self.path), out.read().count('\n')))
        return 0


class Check(Running, Build.BuildContext):
    """builds everything and runs every test"""

    cmd = 'check'

    def execute(self):
        if self.cmd == 'check' and not Options.options.target:
            print('check: ' + CHECK_TAKES[bool(Options.options.nightly)], flush=True)
        super().execute()

    def run(self):
        sys.path.insert(0, self.path.find_dir('validation').abspath())
        import runner
        nightly = Options.options.nightly
        environment = {'IWARPSIM_BUILD': self.bldnode.abspath(), 'IWARPSIM': self.bldnode.make_node('iwarpsim').abspath()}
        if nightly:
            environment['IWARPSIM_NIGHTLY'] = '1'
        folders = ['laws', 'interop'] + (['san/laws', 'san/interop'] if nightly else []) + ['san/unit', 'unit']
        jobs = [runner.Job(self.name(p), [self.name(p)]) for folder in folders for p in self.built(folder)]
        length = ['--fullness=TAKES_FOREVER'] if nightly else []
        for suite in ('iwarp', 'iwarp-sctp'):
            jobs += [runner.Job('%s %s' % (self.name(p), suite), [self.name(p), '--suite=' + suite, '--verbose'] + length) for p in self.built('ns3')]
        jobs += [runner.Job(self.name(p), [self.name(p), '-runs=0'] + self.corpus(p)) for p in self.built('libfuzzer/fuzz')]
        jobs += [runner.Job(self.name(p), ['sh', '-c', self.long_run(p, LONG_RUNS[p.name])]) for p in self.built('swift/fuzz')]
        jobs += [runner.Job(self.name(s), [sys.executable, self.name(s)]) for s in sources(self, SCRIPTS)]
        jobs = [j for j in jobs if Options.options.target in j.name]
        return runner.run(jobs, self.path.abspath(), environment, self.jobs)

    def name(self, node):
        return node.path_from(self.path)

    # Shell commands: `runs` inputs beside the corpus; then those that were kept, and the corpus, under the sanitizers.
    def long_run(self, program, runs):
        found = self.bldnode.make_node('swift/found/' + program.name)
        found.mkdir()
        judge = self.bldnode.find_node('libfuzzer/fuzz/' + program.name)
        words = {'swift': self.name(program), 'judge': self.name(judge), 'runs': runs, 'found': self.name(found), 'corpus': ' '.join(self.corpus(program))}
        return ('%(swift)s -runs=%(runs)d -max_len=300 -entropic=0 -reduce_inputs=0 -verbosity=0 -print_final_stats=1 -artifact_prefix=%(found)s.bad- %(found)s %(corpus)s && '
                '%(judge)s -runs=0 -verbosity=0 -print_final_stats=1 %(found)s %(corpus)s') % words

    def corpus(self, program):
        folder = self.path.find_dir('validation/fuzz/corpus/' + program.name.replace('fuzz_', '', 1))
        return [self.name(folder)] if folder else []


class Test(Check):
    """builds one test and runs it: ./waf test NAME"""

    cmd = 'test'

    def execute(self):
        if Options.commands:
            Options.options.target = Options.commands.pop(0)
        if not Options.options.target:
            self.fatal('which test? ./waf test NAME; a part of its name will do')
        super().execute()


class Coverage(Check):
    """counts the branches that unit tests and laws take"""

    cmd = 'coverage'

    def run(self):
        for old in self.bldnode.ant_glob('**/*.gcda', quiet=True):
            old.delete()
        sys.path.insert(0, self.path.find_dir('validation').abspath())
        import runner
        environment = {'IWARPSIM_BUILD': self.bldnode.abspath(), 'IWARPSIM': self.bldnode.make_node('iwarpsim').abspath()}
        environment['IWARPSIM_LAW_SEEDS'] = '300'  # more take no other branch
        jobs = [runner.Job(self.name(p), [self.name(p)]) for folder in ('cov/laws', 'cov/unit') for p in self.built(folder)]
        failed = runner.run(jobs, self.path.abspath(), environment, self.jobs)
        return self.run_program(sys.executable, 'validation/coverage/coverage.py', self.bldnode.abspath()) or failed


class Fuzz(Check):
    """fuzzes each target for a while"""

    cmd = 'fuzz'

    def run(self):
        targets = self.built('libfuzzer/fuzz', Options.options.target)
        if not targets:
            self.fatal('no such fuzz target, or no clang with its runtime (Debian: clang libclang-rt-dev)')
        if Options.options.runs:
            return self.long(self.built('swift/fuzz', Options.options.target))
        for target in targets:
            found = self.bldnode.make_node('libfuzzer/found/' + target.name)
            found.mkdir()
            status = self.run_program(target.path_from(self.path), '-max_total_time=%d' % Options.options.seconds, '-print_final_stats=1',
                                      '-artifact_prefix=%s/' % self.name(found.parent), self.name(found), *self.corpus(target))
            if status:
                return status
        return 0

    def long(self, targets):
        if not targets:
            self.fatal('--runs is for %s' % ', '.join(sorted(LONG_RUNS)))
        return max(self.run_program('sh', '-c', self.long_run(t, Options.options.runs)) for t in targets)


class Bench(Running, Build.BuildContext):
    """builds and runs the benchmarks, one after the other"""

    cmd = 'bench'

    def run(self):
        return max([self.run_program(p.path_from(self.path)) for p in self.built('bench', Options.options.target)], default=0)


# ---- commands that build nothing ---------------------------------------------------------------------------


def wasm(ctx):
    """compiles the model's plain C for wasm32, and the engine for pages"""
    for script in ('validation/wasm/wasm.py', 'helpers/live/build.py'):
        status = subprocess.call([sys.executable, script], cwd=ctx.path.abspath())
        if status:
            sys.exit(status)


def paper(ctx):
    """builds the draft of the paper: build/paper/paper.pdf"""
    sys.exit(subprocess.call([sys.executable, 'plots/paper/paper.py'], cwd=ctx.path.abspath()))


def tidy(ctx):
    """reads the C sources with clang-tidy, laws included (.clang-tidy says what is off and why)"""
    if not shutil.which('clang-tidy'):
        ctx.fatal('clang-tidy is missing (Debian: clang-tidy)')
    files = ctx.path.ant_glob(['%s/**/*.c' % room for room in ('model', 'helpers', 'scenarios')],
                              excl=['helpers/live/live_pcap.c'])  # a page's own pcap.h
    flags = ['--', '-std=c11', '-Imodel', '-I.', '-Ibuild', '-D_DEFAULT_SOURCE', '-DIWARPSIM_VERSION=""'] + LAWS_HOLD

    def read(file):
        command = ['clang-tidy', '--quiet', '--warnings-as-errors=*', file.path_from(ctx.path)] + flags
        return subprocess.run(command, cwd=ctx.path.abspath(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(read, files))
    for result in results:
        print(result.stdout, end='')
    wrong = sum(result.returncode != 0 for result in results)
    print('%d files read, %d with findings' % (len(results), wrong))
    sys.exit(1 if wrong else 0)


def format(ctx):
    """formats the C and C++ sources in place (--check: names those that would change)"""
    files = ctx.path.ant_glob(['%s/**/*.%s' % (room, kind) for room in FORMATTED for kind in ('c', 'h', 'cc')])
    if not shutil.which('clang-format'):
        ctx.fatal('clang-format is missing (Debian: clang-format)')
    if not Options.options.check:
        sys.exit(subprocess.call(['clang-format', '-i'] + [f.abspath() for f in files]))
    wrong = [f.path_from(ctx.path) for f in files if f.read('rb') != subprocess.check_output(['clang-format', f.abspath()])]
    for name in wrong:
        print(name)
    sys.exit(1 if wrong else 0)
