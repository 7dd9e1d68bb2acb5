# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds iwarpsim. Every room is a glob: a new .c file in a room needs no change here.

  ./waf configure [--prefix DIR] [--ns3 DIR]         ./waf build [--debug]     ./waf install [--destdir DIR]
  ./waf demo [--small]               ./waf check [--nightly] [--target NAME]     ./waf test NAME
  ./waf fuzz [--target NAME] [--seconds N]           ./waf fuzz --target fuzz_tcp --runs 100000000
  ./waf bench [--target NAME]        ./waf format [--check]              ./waf wasm                         ./waf manual
  ./waf coverage                     ./waf lines [--rooms]              ./waf paper          ./waf tidy       ./waf release
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from waflib import Build, Configure, Options, Utils

APPNAME = 'iwarpsim'
VERSION = re.search(r'IW_VERSION "(.*)"', pathlib.Path('model/engine/iw.h').read_text())[1]
top = '.'
out = 'build'

Configure.autoconfig = 'clobber'  # configures by itself, and again (same options) when a file below changed

# Functions below that are not commands have comments, not docstrings: waf lists docstrings as commands.

# ---- what is built from what -------------------------------------------------------------------------------

LIBRARY = ['model/*.c'] + ['model/%s/*.c' % room for room in ('engine', 'llp', 'rnic', 'channel', 'node', 'fabric', 'simgrid')]
HEADERS = ['model/*.h'] + ['model/%s/*.h' % room for room in ('engine', 'llp', 'rnic', 'channel', 'node', 'fabric', 'ns3')]  # installed
INTERNAL = ['model/parameter_rows.h', 'model/engine/endpoint.h', 'model/engine/carve.h', 'model/engine/least.h', 'model/engine/queue.h', 'model/**/*_inner.h']  # headers that are not installed
SOCKET_MODEL = ['model/socket/*.c']  # needs Linux
SIMGRID_MODEL = ['model/simgrid/ports.c', 'model/simgrid/shim.cc']  # the rest of that room is plain C
SIMGRID_COMMAND = ['helpers/world/simgrid/*.c']
WORLD_MAINS = ['helpers/world/*/*_main.c']  # of worlds that are programs of their own
SIMGRID_BENCH = ['validation/bench/simgrid_floor.c']
COMMAND = ['helpers/**/*.c', 'scenarios/workloads/*.c']
PAGE_ENGINE = ['helpers/live/*.c']  # for wasm32 only: `./waf wasm`
PAGE = 'helpers/story/page/page.html'
COURSE = ['helpers/live/pages.py', 'helpers/live/labs/*', 'helpers/live/npm/index.js', 'scenarios/lessons/**/*.md', 'scenarios/lessons/**/*.yaml', 'scenarios/lessons/test.tsv']
PAGE_TABLE = PAGE.replace('.html', '_html.c')
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
COUNTS = ['%s_test.c' % name for name in ('tcp_world', 'llp', 'mpa_law', 'node_path', 'node_rate')]  # unit tests of rates and many seeds; by day without sanitizers, the others with them alone
LAWS = ['validation/laws/*.c']
INTEROP = ['validation/interop/*.c']
FUZZ = ['validation/fuzz/*.c']
REPLAY = 'validation/fuzz/replay/replay.c'  # the main of a target that replays its corpus: all that a check does with it
CHECK_TAKES = ['about a quarter of an hour on two cores (six minutes when all is built), 800 MB in build/', 'many hours, 800 MB in build/ and more in /tmp']
LONG_FUZZ = ['validation/fuzz/fuzz_tcp.c']  # at night, in the flavour `swift`; validation/check.py says how many inputs
REFERENCE = ['validation/reference/*.c']  # the engine plays what compare_test.py plays on the reference
PACKETDRILL = ['validation/packetdrill/*.c']  # our TCP plays what play.py reads
BENCH = ['validation/bench/*.c']
NODE_BENCH = ['validation/bench/node_bench.c']  # compiled as a whole, too, as the command is that is installed
INSTRUCTIONS = ['validation/bench/%s_bench.c' % name for name in ('scale', 'engine', 'mpa', 'tcp', 'sctp', 'rnic', 'node')]  # counted by callgrind
SCRIPTS = ['validation/arrows/arrows.py', 'validation/wasm/wasm.py', 'validation/**/*_test.py']
SCENARIOS = ['scenarios/**/*.' + kind for kind in ('yaml', 'cdf', 'fates', 'goal', 'cm', 'md', 'html', 'svg', 'png')]
CAPTURE = 'validation/interop/d1-good.pcap'
SHARED = ['helpers/wireshark/**/*', 'helpers/python/*']  # what share/iwarpsim has of helpers/
EXAMPLES = ['model/examples/*', 'model/ns3/examples/*.cc']

INCLUDES = ['model', '.']
CFLAGS = ['-std=c11', '-O2', '-g']
HOSTED = ['_DEFAULT_SOURCE']  # what the helpers and tests, unlike the model, may use of libc
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Wstrict-prototypes']
CXXFLAGS = ['-std=c++17', '-O2', '-g', '-Wall', '-Wextra', '-Wdeprecated-enum-enum-conversion', '-Wno-use-after-free']  # C++20 warns so by itself; gcc 12 misreads ns3::Ptr
NS3_MODULES = ['point-to-point', 'internet', 'traffic-control', 'bridge', 'network', 'stats', 'core']
SANITIZE = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer', '-ftrivial-auto-var-init=pattern']  # a variable never set is no accidental 0
LOOKED_AT = ['-O1', '-g1']  # what is compiled to be watched, not to be fast: half the time of -O2 -g, and a report still has its lines
LAWS_HOLD = ['-DIW_LAWS']  # model/engine/law.h: a broken law ends the program

# The library and the programs on it exist in several flavours: compiler flags, linker flags. clang's reading of -Wsign-conversion differs from gcc's about enumerations; gcc has checked them by then.
FLAVOURS = {
    'plain': ([], []),
    'san': (SANITIZE + LAWS_HOLD + LOOKED_AT, SANITIZE),
    'libfuzzer': (SANITIZE + LAWS_HOLD + LOOKED_AT + ['-fsanitize=fuzzer-no-link', '-Wno-sign-conversion'], SANITIZE + ['-fsanitize=fuzzer']),
    'whole': (['-flto', '-O3'], ['-flto=auto', '-O3']),  # of the command, as it is installed: 10 to 15 % of its time; build/whole/iwarpsim, and the bench of two nodes
    'cov': (['--coverage', '-O0'], ['--coverage']),
    'debug': (['-Og', '-g3'] + LAWS_HOLD, []),  # of the command alone, for gdb: `./waf build --debug`
    'swift': (LAWS_HOLD + ['-fsanitize=fuzzer-no-link', '-fno-sanitize-coverage=trace-cmp', '-Wno-sign-conversion'], ['-fsanitize=fuzzer']),  # laws without sanitizers: seven times as many inputs a second
    'portable': ([], []),  # of the benches: the portable CRC, so that instructions are the same on every processor
    'tsan': (['-fsanitize=thread'] + LOOKED_AT, ['-fsanitize=thread']),  # of the command alone: `run --threads`
    'clang': (['-g0', '-Wno-sign-conversion'], []),  # of the command alone: what another compiler makes of it
}

PACKAGES = [  # pkg-config name, name here, Debian package, needed to build at all
    ('yaml-0.1', 'YAML', 'libyaml-dev', True),
    ('libpcap', 'PCAP', 'libpcap-dev', True),
    ('expat', 'EXPAT', 'libexpat1-dev', True),
    ('nettle', 'NETTLE', 'nettle-dev', True),
    ('libisal', 'ISAL', 'libisal-dev', False),
    ('libzstd', 'ZSTD', 'libzstd-dev', False),
    ('cmocka', 'CMOCKA', 'libcmocka-dev', False),
]
LIBRARIES = ['YAML', 'PCAP', 'EXPAT', 'NETTLE', 'ZSTD', 'ISAL', 'MATH', 'THREADS']  # that programs are linked with


def options(opt):
    opt.load('compiler_c compiler_cxx')
    opt.add_option('--ns3', default='', help='build against the ns-3 (3.36 or newer) installed in this prefix [the system\'s]')
    opt.add_option('--small', action='store_true', help='demo: the packet world alone')
    opt.add_option('--no-werror', action='store_true', help='warnings are not errors')
    opt.add_option('--nightly', action='store_true', help='check: the large numbers of seeds, laws under the sanitizers too')
    opt.add_option('--target', default='', help='check, fuzz, bench: build and run only programs whose name contains this')
    opt.add_option('--seconds', type=int, default=60, help='fuzz: how long each target runs (60)')
    opt.add_option('--runs', type=int, default=0, help='fuzz: so many inputs for %s, fast, then all that they kept under the sanitizers' % ', '.join(os.path.basename(name)[:-2] for name in LONG_FUZZ))
    opt.add_option('--debug', action='store_true', help='build: build/debug/iwarpsim alone, for gdb: -Og, laws on, no sanitizer')
    opt.add_option('--rooms', action='store_true', help='lines: counts those of each room, against its budget')
    opt.add_option('--apt', default='', help='release: the packages in this folder, too, as a source for apt')
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
    if cnf.env.HAVE_ZSTD:
        cnf.env.append_value('DEFINES_ZSTD', 'IWARP_ZSTD')
    cnf.env.LIB_MATH = ['m']
    cnf.env.LIB_THREADS = ['pthread']
    cnf.load('find', tooldir='helpers/packages')  # ns-3, SimGrid, flavours
    again_when_packages_change(cnf)
    lists_for_debian()


# debian/rules compiles without waf.
def lists_for_debian():
    sys.path.insert(0, os.path.abspath('helpers/packages'))
    import debian_sources
    debian_sources.write(globals())


# The wrapper ./waf notes the versions of the Debian packages in a file.
def again_when_packages_change(cnf):
    for packages in filter(None, map(cnf.path.find_node, ('build/packages', 'helpers/packages/find.py'))):
        cnf.hash = Utils.h_list((cnf.hash, packages.read('rb')))
        cnf.files.append(packages.abspath())


# ---- build -------------------------------------------------------------------------------------------------


def build(bld):
    if bld.cmd == 'clean':  # keep the waf that runs
        bld.clean_files = bld.bldnode.ant_glob('**/*', excl='.lock* c4che/* config.log waf/** packages*', quiet=True)
    keep_when_told_to_end()
    generated(bld)
    if bld.cmd not in ('fuzz', 'coverage'):
        tests = UNIT + LAWS + INTEROP + REFERENCE + PACKETDRILL
        judges = PACKETDRILL if bld.env.HAVE_CMOCKA else []
        flavour(bld, 'plain', {'build': judges, 'check': tests, 'test': tests, 'bench': BENCH}.get(bld.cmd, []))
        bld.load('worlds', tooldir='helpers/packages')
    if bld.cmd == 'coverage':
        flavour(bld, 'cov', UNIT + LAWS)
    night = bld.cmd == 'check' and Options.options.nightly
    if bld.cmd in ('check', 'test'):
        flavour(bld, 'san', FUZZ + (UNIT if bld.cmd == 'check' else []) + (LAWS + INTEROP if night else []))
    if bld.cmd == 'fuzz' or night:
        flavour(bld, 'libfuzzer', FUZZ)
    if 'swift' in bld.env.FLAVOURS and (bld.cmd == 'fuzz' and Options.options.runs or night):
        rooms(bld, 'swift')
        programs(bld, 'swift', LONG_FUZZ)
    if bld.cmd in ('check', 'test') and shutil.which('valgrind'):
        rooms(bld, 'portable')
        programs(bld, 'portable', INSTRUCTIONS)
    if bld.cmd == 'bench' and 'whole' in bld.env.FLAVOURS:
        rooms(bld, 'whole')
        programs(bld, 'whole', NODE_BENCH)
    if bld.cmd in ('install', 'uninstall'):
        bld.load('install', tooldir='helpers/packages')
    narrow(bld)
    if bld.cmd == 'demo' and Options.options.small:
        bld.targets = 'iwarpsim'
    if bld.cmd == 'build' and Options.options.debug:
        bld.targets = 'debug/iwarpsim'


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


# The page that `iwarpsim play` fills in, the ready-made parts of `iwarpsim course`, and the catalogue of requirements, as C: what a script prints of other files.
def generated(bld):
    def write(task):
        task.outputs[0].write(subprocess.check_output([sys.executable] + [n.abspath() for n in task.inputs]), flags='wb')

    def parts(task):
        return subprocess.call([sys.executable, task.inputs[0].abspath(), task.outputs[0].parent.abspath()])

    bld(rule=parts, source=['helpers/live/course.py'] + sources(bld, COURSE), target='course/parts.tsv', name='course')
    scripts = sorted(sources(bld, PAGE_SCRIPTS), key=lambda n: n.name)
    bld(rule=write, source=['helpers/story/page/embed.py', PAGE] + scripts, target=PAGE_TABLE, name='page')
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


# Tests in no list run in the main of validation/support/test.c.
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
    files = sources(bld, COMMAND, SIMGRID_COMMAND + WORLD_MAINS + PAGE_ENGINE)
    libraries = bld.env['LIB_' + flavour] + LIBRARIES
    generated = [bld.path.find_or_declare(name) for name in (PAGE_TABLE, CATALOGUE_TABLE)]
    knows = [f for f in files if f.path_from(bld.path) == BUILT]
    bld.objects(**in_flavour(bld, flavour, source=knows, target=place(flavour) + 'built', name='built-' + flavour,
                             defines=['IWARPSIM_COMMIT="%s"' % commit(bld), 'IWARPSIM_DATADIR="%s/share/iwarpsim"' % bld.env.PREFIX]
                             + (['IWARP_RANKS'] if bld.env.HAVE_RANKS else [])))
    parts = archive(bld, flavour, 'helpers', [f for f in files if not has_main(f) and f not in knows] + generated,
                    use=libraries + ['page', 'catalogue', 'built-' + flavour], defines=HOSTED)
    bld.env['HELPERS_' + flavour] = parts
    if flavour != 'plain':
        return
    linux = sources(bld, SOCKET_MODEL) if sys.platform == 'linux' else []
    everything = [f for f in files if f not in knows] + generated + sources(bld, LIBRARY, SIMGRID_MODEL) + linux
    alone = dict(source=everything, use=['page', 'catalogue', 'built-plain'] + LIBRARIES, defines=HOSTED)
    debug = bld.cmd == 'test' or Options.options.debug or Options.options.nightly
    for other in ('tsan', 'clang', 'debug'):
        if other in bld.env.FLAVOURS and (debug if other == 'debug' else bld.cmd in ('check', 'test')):
            bld.program(**in_flavour(bld, other, target=other + '/iwarpsim', install_path=None, **alone))
    whole = 'whole' in bld.env.FLAVOURS and bld.cmd in ('install', 'uninstall', 'bench')
    if whole:
        bld.program(**in_flavour(bld, 'whole', target='whole/iwarpsim', **alone))
    main = [f for f in files if has_main(f)]
    bld.program(**in_flavour(bld, flavour, source=main, target='iwarpsim', use=parts + libraries, defines=HOSTED, **({'install_path': None} if whole else {})))


# By day `check` runs each unit test in one flavour.
def runs_in(bld, flavour, main):
    one = bld.cmd == 'check' and not Options.options.nightly and 'san' in bld.env.FLAVOURS and main.parent.name == 'unit'
    return not one or (flavour == 'plain') == (main.name in COUNTS)


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
        replays = ['replay'] if folder == 'fuzz' and flavour == 'san' else []
        if replays:
            bld.objects(**in_flavour(bld, flavour, source=[REPLAY], target='san/replay', name='replay', defines=HOSTED))
        use = replays + support + shared + bld.env['HELPERS_' + flavour] + bld.env['LIB_' + flavour] + ['CMOCKA'] + LIBRARIES
        for main in (f for f in files if has_main(f) and runs_in(bld, flavour, f)):
            name = '%s%s/%s' % (place(flavour), folder, os.path.splitext(main.name)[0])
            bld.program(**in_flavour(bld, flavour, source=[main], target=name, use=use, defines=HOSTED,
                                     install_path=None))


# ---- commands that build, then run -------------------------------------------------------------------------


# A build that is told to end keeps what it has, as one that is interrupted does.
def keep_when_told_to_end():
    def end(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)


class Running:
    """Builds, then runs a program; that says the last word and decides the exit code."""

    fun = 'build'

    def execute_build(self):
        super().execute_build()
        sys.stdout.flush()
        status = subprocess.call(self.runs(), cwd=self.path.abspath())
        if status or not Options.commands:
            sys.exit(status)

    def binary(self):
        return 'build/iwarpsim' if self.bldnode.find_node('iwarpsim') else self.fatal('there is no command to run yet: helpers/ is empty')

    def tests(self):
        """validation/check.py with all programs of this build, and all scripts."""
        linked = [t.link_task.outputs[0] for g in self.groups for t in g if getattr(t, 'link_task', None)]
        names = [n.path_from(self.path) for n in sorted(linked, key=lambda n: n.name) + sources(self, SCRIPTS)]
        o = Options.options
        return [sys.executable, 'validation/check.py', '--target', o.target, '--jobs', str(self.jobs), '--seconds', str(o.seconds), '--runs', str(o.runs)] \
            + ['--nightly'] * bool(o.nightly) + [self.cmd] + names


class Demo(Running, Build.BuildContext):
    """builds and shows the main job"""

    cmd = 'demo'

    def runs(self):
        return [self.binary(), 'demo'] + ['--small'] * bool(Options.options.small)


class Manual(Running, Build.BuildContext):
    """builds the manual: static pages in build/manual"""

    cmd = 'manual'

    def runs(self):
        return [sys.executable, 'helpers/manual/build.py', self.binary(), 'build/manual']


class Release(Running, Build.BuildContext):
    """makes what is published, of the commit: build/release (--apt DIR: a source for apt, too)"""

    cmd = 'release'

    def runs(self):
        return [sys.executable, 'helpers/packages/release.py', self.binary(), 'build/release'] + ['--apt=' + Options.options.apt] * bool(Options.options.apt)


class Lines(Running, Build.BuildContext):
    """writes every line that users meet first to build/lines.txt, for readers"""

    cmd = 'lines'

    def execute(self):
        start(self, 'validation/rooms/rooms.py') if Options.options.rooms else super().execute()

    def runs(self):
        return [sys.executable, 'helpers/manual/lines.py', self.binary(), 'build/lines.txt']


class Check(Running, Build.BuildContext):
    """builds everything and runs every test"""

    cmd = 'check'
    runs = Running.tests

    def execute(self):
        if self.cmd == 'check' and not Options.options.target:
            print('check: ' + CHECK_TAKES[bool(Options.options.nightly)], flush=True)
        super().execute()


class Test(Check):
    """builds one test and runs it: ./waf test NAME"""

    cmd = 'test'

    def execute(self):
        Options.options.target = Options.commands.pop(0) if Options.commands else Options.options.target
        if not Options.options.target:
            self.fatal('which test? ./waf test NAME; a part of its name will do')
        super().execute()


class Coverage(Check):
    """counts the branches that unit tests and laws take"""

    cmd = 'coverage'


class Fuzz(Check):
    """fuzzes each target for a while"""

    cmd = 'fuzz'


class Bench(Check):
    """builds and runs the benchmarks, one after the other"""

    cmd = 'bench'


# ---- commands that build nothing ---------------------------------------------------------------------------


# Ends with the first exit code that is not 0.
def start(ctx, *scripts):
    sys.exit(next(filter(None, (subprocess.call([sys.executable] + script.split(), cwd=ctx.path.abspath()) for script in scripts)), 0))


def wasm(ctx):
    """compiles the model's plain C for wasm32, and the engine for pages"""
    start(ctx, 'validation/wasm/wasm.py', 'helpers/live/build.py')


def paper(ctx):
    """builds the draft of the paper: build/paper/paper.pdf"""
    start(ctx, 'plots/paper/paper.py')


def tidy(ctx):
    """reads the C sources with clang-tidy, laws included (.clang-tidy says what is off and why)"""
    start(ctx, 'validation/sources.py tidy')


def format(ctx):
    """formats the C and C++ sources in place (--check: names those that would change)"""
    start(ctx, ' '.join(['validation/sources.py format'] + ['--check'] * bool(Options.options.check)))
