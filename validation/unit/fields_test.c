/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields_test.c -- header fields by name, from octets written by hand after the RFCs' figures; the language of scripts. */
#include <string.h>

#include "engine/term.h"
#include "helpers/capture/fields.h"
#include "helpers/story/exercise.h"
#include "scenarios/workloads/script.h"
#include "validation/support/test.h"

/* The fields of `octets` as "NAME=VALUE NAME=VALUE". */
static const char *fields(const uint8_t *octets, size_t len)
{
    static char text[1024];
    struct field f[FIELDS_MAX];
    char value[FIELD_TEXT_MAX];
    int n = fields_of(octets, len, f);
    *text = 0;
    for (int i = 0; i < n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s=%s", i ? " " : "", f[i].name,
                 field_text(&f[i], octets, value));
        assert_non_null(f[i].meaning);
        assert_int_equal(strncmp(f[i].section, "RFC 504", 7), 0);
    }
    return text;
}

/* RFC 5041 figures 3 and 4, RFC 5040 figure 11 (Write), figure 12 (Read Request), figure 16 (Terminate). */
TEST(test_headers)
{
    static const uint8_t write[] = {0xc1, 0x40, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0x10, 0x01};
    static const uint8_t send_inv[] = {0x01, 0x44, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0,
                                       0,    0,    0,    0,    7,    0,    0, 5, 0xa0};
    static const uint8_t read[] = {0x41, 0x41, 0,    0,    0,    0,    0, 0, 0, 1, 0, 0, 0, 2, 0, 0,
                                   0,    0,    0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0,
                                   0,    100,  0x55, 0x66, 0x77, 0x88, 0, 0, 0, 1, 0, 0, 0, 0};
    static const uint8_t term[] = {0x41, 0x47, 0, 0, 0, 0, 0,    0,    0,    2, 0, 0,
                                   0,    1,    0, 0, 0, 0, 0x11, 0x01, 0xc0, 0, 0, 30};
    assert_string_equal(fields(write, sizeof write),
                        "T=1 L=1 Rsvd=0 DV=1 RV=1 Rsv=0 Opcode=0 (Write) STag=0x12345678 TO=4097");
    assert_string_equal(
        fields(send_inv, sizeof send_inv),
        "T=0 L=0 Rsvd=0 DV=1 RV=1 Rsv=0 Opcode=4 (Send with Invalidate) InvSTag=0xdeadbeef QN=0 MSN=7 "
        "MO=1440");
    assert_string_equal(
        fields(read, sizeof read),
        "T=0 L=1 Rsvd=0 DV=1 RV=1 Rsv=0 Opcode=1 (Read Request) InvSTag=0x00000000 QN=1 MSN=2 MO=0 "
        "SinkSTag=0x11223344 SinkTO=9 RDMARDSZ=100 SrcSTag=0x55667788 SrcTO=4294967296");
    assert_string_equal(
        fields(term, sizeof term),
        "T=0 L=1 Rsvd=0 DV=1 RV=1 Rsv=0 Opcode=7 (Terminate) InvSTag=0x00000000 QN=2 MSN=1 MO=0 Layer=1 "
        "EType=1 ErrorCode=0x01 M=1 D=1 R=0 SegLen=30");
}

/* What is cut short shows the fields that are whole, and reads no further. */
TEST(test_cut_short)
{
    static const uint8_t write[] = {0xc1, 0x40, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0x10, 0x01};
    assert_string_equal(fields(write, 0), "");
    assert_string_equal(fields(write, 1), "T=1 L=1 Rsvd=0 DV=1");
    assert_string_equal(fields(write, 5), "T=1 L=1 Rsvd=0 DV=1 RV=1 Rsv=0 Opcode=0 (Write)");
    assert_string_equal(fields(write, 13), "T=1 L=1 Rsvd=0 DV=1 RV=1 Rsv=0 Opcode=0 (Write) STag=0x12345678");
}

/* Every error that a segment's header can be blamed for is blamed on a field that such a segment has. */
TEST(test_blame)
{
    static const uint8_t headers[][46] = {{0xc1, 0x40}, {0x41, 0x41}, {0x41, 0x44}};
    unsigned with_field = 0;
    for (uint32_t i = 0; i < iw_terms_count; i++) {
        bool found = false;
        for (int h = 0; h < 3; h++) {
            const char *why, *name = field_blamed(iw_terms[i].term, headers[h][0] & 0x80, &why);
            struct field f[FIELDS_MAX];
            int n = name ? fields_of(headers[h], sizeof headers[h], f) : 0;
            for (int k = 0; k < n; k++)
                found |= strcmp(f[k].name, name) == 0 && *why;
        }
        int layer = IW_TERM_LAYER(iw_terms[i].term), term = iw_terms[i].term;
        bool local = layer == 2 || term == IW_T_RDMA_CATASTROPHIC || term == IW_T_RDMA_PROTECTION ||
                     term == IW_T_RDMA_STREAM || term == IW_T_RDMA_GLOBAL;
        assert_int_equal(found, !local);
        with_field += found;
    }
    assert_true(with_field > 20);
}

TEST(test_script)
{
    struct script s;
    assert_null(script_read(
        " write 9000;send 2000 into 3000 , peer read 5 fence; wait; send_inv 0 to foreign;write 8 beyond",
        &s));
    assert_int_equal(s.count, 6);
    assert_int_equal(s.step[0].op, IW_WRITE);
    assert_int_equal(s.step[0].len, 9000);
    assert_int_equal(s.step[1].recv, 3000);
    assert_int_equal(s.step[2].side, 1);
    assert_true(s.step[2].fence && s.step[2].op == IW_READ);
    assert_true(s.step[3].wait);
    assert_int_equal(s.step[4].memory, SCRIPT_FOREIGN);
    assert_true(s.step[5].beyond && !s.step[0].beyond);
    static const char *const wrong[] = {
        "", " ; ", "write", "write x", "write 1 2", "send 16777217", "peer", "read 5 into 3", "wait wait"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(script_read(wrong[i], &s));
}

TEST(test_varied_script)
{
    char a[256], b[256], small[8];
    assert_true(exercise_vary_script("write 9000; send 50 fence", 1, a, sizeof a));
    assert_true(exercise_vary_script("write 9000; send 50 fence", 2, b, sizeof b));
    assert_string_not_equal(a, b);
    struct script s;
    assert_null(script_read(a, &s));
    assert_true(s.step[0].len >= 6750 && s.step[0].len <= 11250 && s.step[0].len != 9000);
    assert_int_equal(s.step[1].len, 50);
    assert_false(exercise_vary_script("write 9000; send 50 fence", 1, small, sizeof small));
}
