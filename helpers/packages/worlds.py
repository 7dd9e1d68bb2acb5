# SPDX-License-Identifier: GPL-2.0-or-later
"""A tool of waf: builds the worlds of other simulators, which are C++."""

import os

from waflib import Options
from waflib.Context import g_module as ours  # the wscript


def build(bld):
    ns3(bld)
    simgrid(bld)
    if bld.cmd == 'build' and not Options.options.debug:
        bld.add_post_fun(say_what_was_built)


# The last line of ./waf build: which worlds there are, and what each other one takes.
def say_what_was_built(bld):
    worlds = [('fabric', True, ''), ('ns3', bld.env.HAVE_NS3, 'libns3-dev'), ('simgrid', bld.env.HAVE_SIMGRID, 'libsimgrid-dev')]
    built = 'built build/iwarpsim with the worlds ' + ', '.join(name for name, there, _ in worlds if there)
    left_out = ', '.join('world %s (Debian: %s)' % (name, package) for name, there, package in worlds if not there)
    print(built + ('; not built: ' + left_out if left_out else ''))


# The ns-3 world: a library of its own, the program that runs one point in it, and ns-3's kind of tests.
def ns3(bld):
    if not bld.env.HAVE_NS3:
        return
    more = dict(use=['NS3'] + bld.env.HELPERS_plain + bld.env.LIB_plain + ours.LIBRARIES)
    bld.stlib(**ours.in_flavour(bld, 'plain', source=ours.sources(bld, ours.NS3_MODEL), target='iwarp-ns3', features='cxx cxxstlib', use=['NS3'], install_path='${LIBDIR}'))
    more['use'] = ['iwarp-ns3'] + more['use']
    bld.program(**ours.in_flavour(bld, 'plain', source=ours.sources(bld, ours.NS3_COMMAND), target='iwarpsim-ns3', features='cxx cxxprogram', **more))
    for bench in ours.sources(bld, ours.NS3_BENCH) if bld.cmd == 'bench' else []:
        bld.program(**ours.in_flavour(bld, 'plain', source=[bench], target='bench/' + os.path.splitext(bench.name)[0],
                                      features='cxx cxxprogram', install_path=None, **more))
    tests = ours.sources(bld, ours.NS3_TESTS)
    if tests and bld.cmd in ('check', 'test'):
        bld.program(**ours.in_flavour(bld, 'plain', source=tests, target='ns3/iwarp_ns3_test', features='cxx cxxprogram', install_path=None, **more))


# The SimGrid world: what knows SimGrid, and the program that runs one point in it.
def simgrid(bld):
    if not bld.env.HAVE_SIMGRID:
        return
    bld.objects(**ours.in_flavour(bld, 'plain', source=['model/simgrid/shim.cc'], target='simgrid-shim', features='cxx', use=['SIMGRID'],
                                  cxxflags=['-Wno-deprecated-declarations']))  # 4.0 deprecates what 3.32 has no other name for
    bld.objects(**ours.in_flavour(bld, 'plain', source=['model/simgrid/ports.c'], target='simgrid-ports', use=['SIMGRID'], defines=ours.HOSTED))
    use = ['simgrid-shim', 'simgrid-ports', 'SIMGRID'] + bld.env.HELPERS_plain + bld.env.LIB_plain + ours.LIBRARIES
    programs = [('iwarpsim-simgrid', ours.SIMGRID_COMMAND, '${BINDIR}')] + ([('bench/simgrid_floor', ours.SIMGRID_BENCH, None)] if bld.cmd == 'bench' else [])
    for name, files, where in programs:
        bld.program(**ours.in_flavour(bld, 'plain', source=ours.sources(bld, files), target=name, features='c cxx cxxprogram', install_path=where, use=use, defines=ours.HOSTED))
