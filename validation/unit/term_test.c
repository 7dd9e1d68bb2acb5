/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of Terminate codes against the tables of the documents, typed in a second time. */
#include "rig.h"

/* RFC 5040 figure 9 with the sections that define the other layers; every row once, in the order of its value. */
static const struct {
    unsigned layer, etype, code;
    const char *words; /* a word that the meaning must have */
} documents[] = {
    {0, 0, 0x00, "catastrophic"},
    {0, 1, 0x00, "invalid STag"},
    {0, 1, 0x01, "bounds"},
    {0, 1, 0x02, "access rights"},
    {0, 1, 0x03, "not associated"},
    {0, 1, 0x04, "TO wrap"},
    {0, 1, 0x09, "cannot be invalidated"},
    {0, 1, 0xff, "unspecified"},
    {0, 2, 0x05, "version"},
    {0, 2, 0x06, "opcode"},
    {0, 2, 0x07, "localized to the stream"},
    {0, 2, 0x08, "global"},
    {0, 2, 0x09, "cannot be invalidated"},
    {0, 2, 0xff, "unspecified"},
    {1, 0, 0x00, "catastrophic"},
    {1, 1, 0x00, "invalid STag"},
    {1, 1, 0x01, "bounds"},
    {1, 1, 0x02, "not associated"},
    {1, 1, 0x03, "TO wrap"},
    {1, 1, 0x04, "version"},
    {1, 2, 0x01, "invalid QN"},
    {1, 2, 0x02, "no buffer"},
    {1, 2, 0x03, "range"},
    {1, 2, 0x04, "invalid MO"},
    {1, 2, 0x05, "too long"},
    {1, 2, 0x06, "version"},
    {2, 0, 0x01, "lost"},
    {2, 0, 0x02, "CRC"},
    {2, 0, 0x03, "marker"},
    {2, 0, 0x04, "Re"},
    {2, 0, 0x05, "catastrophic"},
    {2, 0, 0x06, "IRD"},
    {2, 0, 0x07, "RTR"},
};
enum { DOCUMENTS = sizeof(documents) / sizeof(documents[0]) };

/* checks: RDMAP-4.8-3 DDP-7.2-1 */
TEST(the_table_holds_what_the_documents_define_and_no_more)
{
    assert_int_equal(iw_terms_count, DOCUMENTS);
    for (int i = 0; i < DOCUMENTS; i++) {
        int term = (int)(1u << 16 | documents[i].layer << 12 | documents[i].etype << 8 | documents[i].code);
        const struct iw_term_entry *entry = iw_term_entry(term);
        assert_non_null(entry);
        assert_int_equal(entry->term, term);
        assert_int_equal(iw_terms[i].term, term);
        assert_non_null(strstr(entry->meaning, documents[i].words));
        assert_non_null(strstr(entry->section, "RFC "));
        assert_int_equal(strncmp(entry->name, "IW_T_", 5), 0);
        assert_int_equal(IW_TERM_LAYER(term), documents[i].layer);
        assert_int_equal(IW_TERM_ETYPE(term), documents[i].etype);
        assert_int_equal(IW_TERM_CODE(term), documents[i].code);
    }
}

/* checks: RDMAP-4.8-3 */
TEST(no_other_value_has_an_entry)
{
    unsigned known = 0;
    for (int value = 0; value < 1 << 16; value++)
        known += iw_term_entry(1 << 16 | value) != NULL;
    assert_int_equal(known, DOCUMENTS);
    assert_null(iw_term_entry(0));
    assert_null(iw_term_entry(0x1100)); /* not marked as an error */
    assert_null(iw_term_entry(IW_EINVAL));
}
