/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a security service adds to a packet, in octets, field by field as the RFCs draw them. */

#include "llp/security.h"
#include "validation/support/test.h"

/* RFC 4303 figure 1, with the IV and ICV of RFC 4106 sections 3.1 and 6: SPI 4, sequence number 4, IV 8; the payload; padding until
 * pad length 1 and next header 1 end on a multiple of 4; ICV 16. */
/* checks: DDP-8.4-1 DDP-8.4-2 */
TEST(esp_octets_are_those_of_the_figure)
{
    static const struct {
        uint32_t octets, padding;
    } rows[] = {{20, 2}, {21, 1}, {22, 0}, {23, 3}, {24, 2}, {32, 2}, {1446, 0}, {1480, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int data = 0; data < 2; data++)
            assert_int_equal(security_adds(SECURITY_ESP, rows[i].octets, data),
                             4 + 4 + 8 + rows[i].padding + 1 + 1 + 16);
}

/* RFC 8446 section 5.2: opaque_type 1, legacy_record_version 2, length 2; the content; its type 1; the tag 16. */
TEST(tls_octets_are_those_of_a_record)
{
    assert_int_equal(security_adds(SECURITY_TLS, 1480, true), 1 + 2 + 2 + 1 + 16);
    assert_int_equal(security_adds(SECURITY_TLS, 20, false), 0); /* an acknowledgement is TCP's */
    assert_int_equal(security_adds(SECURITY_NONE, 1480, true), 0);
}

/* The largest packet that fits, and none that is larger does. */
TEST(the_largest_packet_fits)
{
    for (int s = 0; s < SECURITIES; s++)
        for (uint32_t mtu = 256; mtu <= 65535; mtu++) {
            uint32_t most = security_mtu((enum security)s, mtu);
            uint32_t whole = most + security_adds((enum security)s, most - IP_HEAD, true);
            uint32_t more = most + 1 + security_adds((enum security)s, most + 1 - IP_HEAD, true);
            assert_true(whole <= mtu);
            assert_true(more > mtu);
        }
}

/* What was sealed and opened is as it was; TLS seals TCP segments with octets alone. */
TEST(what_was_opened_is_as_it_was)
{
    uint8_t octets[32] = {[12] = 8 << 4}; /* TCP, a header of 32 octets */
    for (int s = 0; s < SECURITIES; s++)
        for (uint32_t data = 0; data < 9; data++) {
            struct ip_packet p = {
                .size = IP_HEAD + 32 + data, .protocol = IP_PROTOCOL_TCP, .head = 32, .octets = octets};
            security_seal((enum security)s, &p);
            assert_int_equal(p.size, IP_HEAD + 32 + data + security_adds((enum security)s, 32 + data, data));
            assert_int_equal(p.sealed, security_adds((enum security)s, 32 + data, data));
            security_open(&p);
            assert_int_equal(p.size, IP_HEAD + 32 + data);
            assert_int_equal(p.sealed, 0);
        }
}
