# SPDX-License-Identifier: GPL-2.0-or-later
"""A tool of waf: what a machine has of the simulators, and which flavours its compilers can link."""

import os
import re
import shutil
import subprocess

from waflib.Context import g_module as ours  # the wscript


def configure(cnf):
    find_ns3(cnf)
    find_simgrid(cnf)
    add_flavours(cnf)


# ns-3's libraries carry its version and build profile in their names: libns3.37-core.so, libns3.40-core-optimized.so;
# Debian's have plain names beside those. Without ns-3 its world is left out.
def find_ns3(cnf):
    if not cnf.find_program(['g++', 'clang++'], var='CXX', mandatory=False):
        return
    cnf.load('compiler_cxx')
    cnf.env.prepend_value('CXXFLAGS', ours.CXXFLAGS + ([] if cnf.options.no_werror else ['-Werror']))
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
    cnf.env.LIB_NS3 = [name[1] + module + (name[2] or '') for module in ours.NS3_MODULES]
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


def add_flavours(cnf):
    for name in ('plain', 'san', 'whole', 'portable', 'tsan', 'cov', 'debug'):
        add_flavour(cnf, name, cnf.env.CC)
    if cnf.find_program('clang', var='CLANG', mandatory=False):
        for name in ('libfuzzer', 'swift', 'clang'):
            add_flavour(cnf, name, cnf.env.CLANG)


# An environment named after the flavour; without it when the compiler cannot link it.
def add_flavour(cnf, name, compiler):
    compile_flags, link_flags = ours.FLAVOURS[name]
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
