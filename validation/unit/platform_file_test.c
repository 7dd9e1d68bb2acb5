/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A platform file: what is wrong is one sentence with file and line; what SimGrid reads is written from what was understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/platform_file.h"
#include "scenario_rig.h"

#define HEAD             "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
#define OPEN             "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n" /* 2 lines */
#define SHUT             "</zone></platform>"
#define HOSTS            "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>\n"
#define LINK(attributes) OPEN HOSTS "<link id=\"l\" " attributes "/>" SHUT
#define RATE(rate)       LINK("bandwidth=\"" rate "\" latency=\"1us\"")
#define TIME(time)       LINK("bandwidth=\"1Gbps\" latency=\"" time "\"")
#define MANY(radical, more)                                              \
    OPEN "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"" radical \
         "\" speed=\"1f\" bw=\"1bps\" lat=\"0\" " more "/>" SHUT
#define SHAPED(radical, topology, shape) \
    MANY(radical, "topology=\"" topology "\" topo_parameters=\"" shape "\"")

#define NETWORK "is not supported: a platform may have zones, hosts, links, routes and clusters"
#define RATES(rate)                                                                                   \
    "4: <link>: bandwidth '" rate "' is not a rate from 1bps to 1Pbps with its unit, like 10Gbps or " \
    "1.25GBps"
#define TIMES(time) "4: <link>: latency '" time "' is not a time from 0 to 1000s with its unit, like 1us"

static const struct {
    const char *text, *error; /* what stands behind "bad.xml:" */
} bads[] = {
    {"", "1: no element found"},
    {"<platform version=\"4.1\">", "1: in <platform>: no element found"},
    {"<zone id=\"z\" routing=\"Full\"/>", "1: a platform file must contain one <platform>"},
    {OPEN "<platform version=\"4.1\"/>" SHUT, "3: a platform file must contain one <platform>"},
    {OPEN SHUT, "1: a network needs two or more hosts"},
    /* what commands SimGrid, or names a file */
    {"<platform version=\"4.1\">\n<config id=\"General\"><prop id=\"tracing\" "
     "value=\"yes\"/></config></platform>",
     "2: <config> " NETWORK},
    {OPEN "<prop id=\"plugin\" value=\"link_energy\"/>" SHUT, "3: <prop> " NETWORK},
    {OPEN "<host id=\"a\" speed=\"1f\"><prop id=\"x\" value=\"y\"/></host>" SHUT, "3: <prop> " NETWORK},
    {OPEN "<trace id=\"t\" file=\"/etc/passwd\" periodicity=\"1\"/>" SHUT, "3: <trace> " NETWORK},
    {OPEN "<include file=\"/etc/passwd\"/>" SHUT, "3: <include> " NETWORK},
    {OPEN "\n<host id=\"a\" speed=\"1f\" speed_file=\"/etc/passwd\"/>" SHUT,
     "4: <host>: speed_file is not supported; it may have id speed core coordinates"},
    {LINK("bandwidth=\"1Gbps\" latency=\"0\" state_file=\"\""),
     "4: <link>: state_file is not supported; it may have id bandwidth latency sharing_policy"},
    {OPEN "<host id=\"a\" speed=\"1f\" up=\"x\"/>" SHUT,
     "3: <host>: up is not supported; it may have id speed core coordinates"},
    /* XML */
    {"<!DOCTYPE platform [<!ENTITY x SYSTEM \"/etc/passwd\">]>\n" OPEN SHUT,
     "1: a platform file may declare nothing: no entities, no DTD of its own"},
    {"<!DOCTYPE platform [<!ATTLIST platform version CDATA \"4\">]>\n" OPEN SHUT,
     "1: a platform file may declare nothing: no entities, no DTD of its own"},
    {"<!DOCTYPE platform [%x;]>\n" OPEN SHUT,
     "1: a platform file may declare nothing: no entities, no DTD of its own"},
    {OPEN "<host id=\"&x;\" speed=\"1f\"/>" SHUT, "3: in <zone>: undefined entity"},
    {HEAD OPEN "<host id=\"a&#98;&amp;&x;\" speed=\"1f\"/>" SHUT, "3: entity 'x' is not defined"},
    {HEAD OPEN "&x;" SHUT, "3: entity 'x' is not defined"},
    {OPEN "&amp;" SHUT, "3: text between elements is not supported"},
    {OPEN "<x:host id=\"a\" speed=\"1f\"/>" SHUT, "3: namespaces are not supported"},
    {OPEN "<host id=\"a\" speed=\"1f\"></link>" SHUT, "3: in <host>: mismatched tag"},
    {OPEN "<host id=\"a\" speed=\"1f\" xmlns:x=\"y\"/>" SHUT, "3: namespaces are not supported"},
    {OPEN "hello" SHUT, "3: text between elements is not supported"},
    {OPEN "<![CDATA[hello]]>" SHUT, "3: text between elements is not supported"},
    {OPEN "<host id=\"a\" id=\"b\" speed=\"1f\"/>" SHUT, "3: in <zone>: duplicate attribute"},
    {OPEN "<host id=\"\xff\" speed=\"1f\"/>" SHUT, "3: in <zone>: not well-formed (invalid token)"},
    /* names */
    {OPEN "<host id=\"$(canary)\" speed=\"1f\"/>" SHUT,
     "3: <host>: id '$(canary)' is not a name: 1 to 100 letters, digits or . _ -"},
    {OPEN "<host id=\"a&#10;b\" speed=\"1f\"/>" SHUT,
     "3: <host>: id 'a?b' is not a name: 1 to 100 letters, digits or . _ -"},
    {OPEN "<host id=\"\" speed=\"1f\"/>" SHUT,
     "3: <host>: id '' is not a name: 1 to 100 letters, digits or . _ -"},
    {OPEN "<host speed=\"1f\"/>" SHUT, "3: <host> needs id"},
    {OPEN HOSTS "<host id=\"b\" speed=\"1f\"/>" SHUT, "4: two hosts are named b"},
    {OPEN HOSTS "<link id=\"l\" bandwidth=\"1bps\" latency=\"0\" sharing_policy=\"SPLITDUPLEX\"/>\n"
                "<link id=\"l_UP\" bandwidth=\"1bps\" latency=\"0\"/>" SHUT,
     "5: two links are named l_UP"},
    /* numbers */
    {RATE("nanGbps"), RATES("nanGbps")},
    {RATE("infGbps"), RATES("infGbps")},
    {RATE("1e308GBps"), RATES("1e308GBps")},
    {RATE("1e999Gbps"), RATES("1e999Gbps")},
    {RATE("0Gbps"), RATES("0Gbps")},
    {RATE("-1Gbps"), RATES("-1Gbps")},
    {RATE("0x10Gbps"), RATES("0x10Gbps")},
    {RATE(" 1Gbps"), RATES(" 1Gbps")},
    {RATE("1 Gbps"), RATES("1 Gbps")},
    {RATE("10Gups"), RATES("10Gups")},
    {RATE("1000000000"), RATES("1000000000")},
    {RATE("1.01Pbps"), RATES("1.01Pbps")},
    {RATE("0.1bps"), RATES("0.1bps")},
    {RATE("."), RATES(".")},
    {RATE("54Mbps,36Mbps"), RATES("54Mbps,36Mbps")},
    {TIME("-1us"), TIMES("-1us")},
    {TIME("nanus"), TIMES("nanus")},
    {TIME("1"), TIMES("1")},
    {TIME("1001s"), TIMES("1001s")},
    {TIME("1e-400s"), TIMES("1e-400s")},
    {OPEN "<host id=\"a\" speed=\"infGf\"/>" SHUT,
     "3: <host>: speed 'infGf' is not one speed with its unit, like 1Gf"},
    {OPEN "<host id=\"a\" speed=\"1f\" core=\"0\"/>" SHUT,
     "3: <host>: core '0' is not a number from 1 to 1000000"},
    {OPEN "<host id=\"a\" speed=\"1f\" coordinates=\"1 2\"/>" SHUT,
     "3: <host>: coordinates '1 2' is not three numbers, like '1.5 0 -2'"},
    {OPEN "<host id=\"a\" speed=\"1f\" coordinates=\"1 2 nan\"/>" SHUT,
     "3: <host>: coordinates '1 2 nan' is not three numbers, like '1.5 0 -2'"},
    {"<platform version=\"3\"/>",
     "1: <platform>: version '3' is not 4 or 4.1 (simgrid_update_xml updates older files)"},
    /* where, and what for */
    {OPEN "<link_ctn id=\"l\"/>" SHUT, "3: <link_ctn> may not stand in <zone>"},
    {OPEN "<backbone id=\"l\" bandwidth=\"1bps\" latency=\"0\"/>" SHUT,
     "3: <backbone> may not stand in <zone>, but in <zone routing=\"Cluster\">"},
    {OPEN HOSTS "<route src=\"a\" dst=\"c\"/>" SHUT, "4: <route>: dst 'c' is not a host defined above"},
    {OPEN HOSTS "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>" SHUT,
     "4: <link_ctn>: id 'l' is not a link defined above"},
    {OPEN HOSTS "<route src=\"a\" dst=\"b\"/>\n<route src=\"b\" dst=\"a\"/>" SHUT,
     "5: two routes join b and a; a route goes both ways unless symmetrical is NO"},
    {"<platform version=\"4.1\"><zone id=\"z\" routing=\"Dijkstra\">\n" HOSTS SHUT,
     "3: <zone>: of its 2 hosts, routers and zones 2 have no route, which Dijkstra needs"},
    /* clusters */
    {MANY("3-0", ""), "3: <cluster>: radical '3-0' is not a list of numbers and ranges, like 0-3,7"},
    {MANY("0-3,", ""), "3: <cluster>: radical '0-3,' is not a list of numbers and ranges, like 0-3,7"},
    {MANY("0-131072", ""),
     "3: <cluster>: radical '0-131072' is not a list of numbers and ranges, like 0-3,7"},
    {MANY("0-131071,131072", ""), "3: at most 131072 hosts"},
    {MANY("0-3", "topo_parameters=\"4\""), "3: <cluster>: a FLAT cluster has no topo_parameters"},
    {MANY("0-3", "topology=\"TORUS\""), "3: <cluster>: this topology needs topo_parameters"},
    {MANY("0-3", "bb_lat=\"1us\""), "3: <cluster>: bb_lat needs bb_bw"},
    {MANY("0-3", "loopback_lat=\"1us\""), "3: <cluster>: loopback_lat needs loopback_bw"},
    {SHAPED("0-1", "TORUS", "65536,65536,2"),
     "3: <cluster>: topo_parameters and radical must give the same number of hosts"},
    {SHAPED("0-229", "TORUS", "82609,69341,42618,75563"), /* 2^64 + 230 */
     "3: <cluster>: topo_parameters and radical must give the same number of hosts"},
    {SHAPED("0-3", "TORUS", "4,1"), "3: <cluster>: a dimension of a TORUS is 2 or more"},
    {SHAPED("0-3", "TORUS", "4,-1"), "3: <cluster>: topo_parameters '4,-1' is not one to four lists of one "
                                     "to eight numbers from 1 to 131072, "
                                     "like 2;4,4;1,2;1,2"},
    {SHAPED("0-3", "FAT_TREE", "2;4;1;1"), "3: <cluster>: topo_parameters of a FAT_TREE is its number of "
                                           "levels, and children, parents and parallel "
                                           "links of each, like 2;4,4;1,2;1,2"},
    {SHAPED("0-1", "FAT_TREE", "1;2;131072;16"),
     "3: <cluster>: these topo_parameters make more than 2097152 links, or a switch too many"},
    {SHAPED("0-1", "FAT_TREE",
            "8;2,1,1,1,1,1,1,1;131072,131072,131072,131072,131072,131072,131072,131072;"
            "1,1,1,1,1,1,1,1"),
     "3: <cluster>: these topo_parameters make more than 2097152 links, or a switch too many"},
    {SHAPED("0-131071", "DRAGONFLY", "1,1;1,1;131072,1;1"),
     "3: <cluster>: these topo_parameters make more than 2097152 links, or a switch too many"},
    {SHAPED("0-119", "DRAGONFLY", "6,1;4,1;5,1;1"),
     "3: <cluster>: a DRAGONFLY needs as many routers in a chassis as groups"},
    {SHAPED("0-1", "DRAGONFLY", "1,65;1,1;2,1;1"),
     "3: <cluster>: a DRAGONFLY has at most 64 links between two"},
};

TEST(a_wrong_file_is_refused_with_its_line)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        char error[SCENARIO_ERROR_MAX] = "", expected[SCENARIO_ERROR_MAX];
        const char *path = rig_file("bad.xml", bads[i].text);
        assert_null(platform_file_find(path, "bad.xml", error));
        snprintf(expected, sizeof expected, "bad.xml:%s", bads[i].error);
        assert_string_equal(error, expected);
    }
}

/* What was understood, in its own order of attributes, on its own lines, with the names that SimGrid keeps. */
static const struct {
    const char *name, *text, *written;
    uint32_t hosts;
    const char *last;
} goods[] = {
    {"split.xml",
     "<?xml version='1.0' encoding=\"ISO-8859-1\"?>\n<!-- <config/> --><?any thing?>\n"
     "<platform\n  version='4'>\n<AS routing='Full' id='z'>\n<host speed=\"1.5Gf\" id=\"a-1_x.y\"\tcore='4' "
     "coordinates=' 1 -2.5   1e3'/>\n<host id='b' speed='2megaflops'></host>\n"
     "<link id='l' latency='0' bandwidth='.1GBps' sharing_policy='FULLDUPLEX'/>"
     "<link id='m' latency='1e-3ms' bandwidth='8Kibps'/>"
     "<route src='a-1_x.y' dst='b' symmetrical='no'><link_ctn direction='UP' "
     "id='l'/></route></AS></platform>\n",
     HEAD
     "\n\n<platform version=\"4.1\">\n\n<zone id=\"z\" routing=\"Full\">\n"
     "<host id=\"a-1_x.y\" speed=\"1.5Gf\" core=\"4\" coordinates=\"1 -2.5 1000\"/>\n"
     "<host id=\"b\" speed=\"2megaflops\"/>\n"
     "<link id=\"l\" bandwidth=\"0.10000000000000001GBps\" latency=\"0s\" sharing_policy=\"SPLITDUPLEX\"/>"
     "<link id=\"m\" bandwidth=\"8Kibps\" latency=\"0.001ms\"/>"
     "<route src=\"a-1_x.y\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"l\" direction=\"UP\"/></route>"
     "</zone></platform>",
     2, "b"},
    {"cluster.xml",
     "<platform version=\"4.1\"><cluster id=\"c\" lat=\"1us\" bw=\"1Pbps\" speed=\"1f\" "
     "radical=\"007,0-1,0010-0011\" "
     "suffix=\"\" prefix=\"n\" topo_parameters=\"05\" topology=\"TORUS\" limiter_link=\"1bps\"/></platform>",
     HEAD
     "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"7,0-1,10-11\" "
     "speed=\"1f\" "
     "bw=\"1Pbps\" lat=\"1us\" topology=\"TORUS\" topo_parameters=\"5\" limiter_link=\"1bps\"/></platform>",
     5, "n11"},
    {"tree.xml", SHAPED("0-15", "FAT_TREE", "2;4,4;1,2;1,2"),
     HEAD "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n<cluster id=\"c\" prefix=\"h\" "
          "suffix=\"\" "
          "radical=\"0-15\" speed=\"1f\" bw=\"1bps\" lat=\"0s\" topology=\"FAT_TREE\" "
          "topo_parameters=\"2;4,4;1,2;1,2\"/></zone></platform>",
     16, "h15"},
};

TEST(simgrid_reads_what_was_understood)
{
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        char error[SCENARIO_ERROR_MAX] = "";
        const char *path = rig_file(goods[i].name, goods[i].text);
        const struct platform_file *p = platform_file_find(path, goods[i].name, error);
        assert_string_equal(error, "");
        assert_non_null(p);
        assert_string_equal(p->text, goods[i].written);
        assert_int_equal(p->hosts, goods[i].hosts);
        assert_string_equal(p->names[p->hosts - 1], goods[i].last);
    }
}

TEST(nesting_is_bounded)
{
    char error[SCENARIO_ERROR_MAX], *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("<platform version=\"4.1\">", out);
    for (int i = 0; i < 100000; i++)
        fprintf(out, "<zone id=\"z%d\" routing=\"Full\">", i);
    fclose(out);
    assert_null(platform_file_find(rig_file("deep.xml", text), "deep.xml", error));
    assert_string_equal(error, "deep.xml:1: elements are nested more than 32 deep");
    free(text);
}

TEST(attributes_are_bounded)
{
    char error[SCENARIO_ERROR_MAX], *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("<platform version=\"4.1\"\n", out);
    for (int i = 0; i < 200000; i++)
        fprintf(out, " a%d=\"\"", i);
    fputs("/>", out);
    fclose(out);
    assert_null(platform_file_find(rig_file("wide.xml", text), "wide.xml", error));
    assert_string_equal(error, "wide.xml:1: <platform>: a0 is not supported; it may have version");
    free(text);
}
