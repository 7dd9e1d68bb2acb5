# SPDX-License-Identifier: GPL-2.0-or-later
"""A tool of waf: what `./waf install` installs beside the command and the library."""

import subprocess
import sys

from waflib.Context import g_module as ours  # the wscript

COMPLETIONS = [('bash', 'completions/iwarpsim', 'bash-completion/completions'), ('zsh', '_iwarpsim', 'zsh/vendor-completions'), ('fish', 'iwarpsim.fish', 'fish/vendor_completions.d')]


# What an installed iwarpsim has beside the command and the library.
def build(bld):
    model = bld.path.find_dir('model')
    headers = bld.path.ant_glob(ours.HEADERS, excl=ours.INTERNAL, quiet=True)
    bld.install_files('${PREFIX}/include/iwarp', headers, cwd=model, relative_trick=True)
    shared_library(bld, headers)
    texts = ['iwarp.pc', 'iwarp-config.cmake', 'iwarp-config-version.cmake'] + (['iwarp-ns3.pc'] if bld.env.HAVE_NS3 else [])
    for name in texts:
        bld(features='subst', source='helpers/packages/%s.in' % name, target=name, install_path='${LIBDIR}/' + ('pkgconfig' if name.endswith('.pc') else 'cmake/iwarp'),
            VERSION=ours.VERSION, PREFIX=bld.env.PREFIX, LIBDIR=bld.env.LIBDIR, LIBS='-lisal' if bld.env.HAVE_ISAL else '',
            NS3_CFLAGS=' '.join(bld.env.CXXFLAGS_NS3), NS3_LIBS=' '.join(['-L' + f for f in bld.env.LIBPATH_NS3] + ['-l' + lib for lib in bld.env.LIB_NS3]))
    bld.install_files('${PREFIX}/share/doc/iwarpsim/examples', ours.sources(bld, ours.EXAMPLES))
    said_by(bld, 'iwarpsim.1', '${PREFIX}/share/man/man1', [sys.executable, bld.path.find_node('helpers/packages/man_page.py').abspath(), None])
    said_by(bld, 'iwarpsim-scenario.5', '${PREFIX}/share/man/man5', [None, 'keys', '--man'])
    for shell, name, place in COMPLETIONS:
        said_by(bld, name, '${PREFIX}/share/' + place, [None, 'keys', '--completion', shell])
    engine = bld.bldnode.find_node('live.wasm.z')  # ./waf wasm
    bld.install_files('${PREFIX}/share/iwarpsim', [ours.CAPTURE, 'validation/vectors/judge.json'] + ([engine] if engine else []))
    parts = bld.bldnode.make_node('course')
    subprocess.check_call([sys.executable, bld.path.find_node('helpers/live/course.py').abspath(), parts.abspath()])
    bld.install_files('${PREFIX}/share/iwarpsim/course', parts.ant_glob('*', quiet=True))
    bld.install_files('${PREFIX}/share/iwarpsim', ours.sources(bld, ours.SHARED), cwd=bld.path.find_dir('helpers'), relative_trick=True)
    scenarios = bld.path.find_dir('scenarios')
    if scenarios:
        bld.install_files('${PREFIX}/share/iwarpsim/scenarios', ours.sources(bld, ours.SCENARIOS), cwd=scenarios, relative_trick=True)


# libiwarp.so, of objects of its own: it exports what an installed header names (symbols.py).
def shared_library(bld, headers):
    script = bld.path.find_node('helpers/packages/symbols.py')
    exported = bld.bldnode.make_node('libiwarp.map')

    def list_symbols(task):
        argv = [sys.executable, script.abspath()] + [n.abspath() for n in task.inputs]
        task.outputs[0].write(subprocess.check_output(argv), flags='wb')

    bld.add_group()
    bld(rule=list_symbols, source=[bld.bldnode.find_or_declare('libiwarp.a')] + headers, target=exported, deep_inputs=True)
    bld.add_group()
    more = ours.in_flavour(bld, 'plain', source=ours.sources(bld, ours.LIBRARY, ours.SIMGRID_MODEL), target='iwarp', name='iwarp-shared', use=['ISAL'])
    bld.shlib(**dict(more, idx=1 + len(ours.FLAVOURS), vnum=ours.VERSION, install_path='${LIBDIR}', cflags=['-fno-semantic-interposition'],
                     linkflags=['-Wl,--version-script=' + exported.abspath()]))


# A file that is what a command prints; None in it stands for the program.
def said_by(bld, target, place, command):
    def say(task):
        argv = [word or task.inputs[0].abspath() for word in command]
        task.outputs[0].write(subprocess.check_output(argv), flags='wb')

    bld(rule=say, source=bld.bldnode.find_or_declare('iwarpsim'), target=target, install_path=place, vars=[str(command)], always=True)
