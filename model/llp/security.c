/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/security.h"

#include "engine/law.h"

enum { ESP_SPI = 4, ESP_SEQUENCE = 4, ESP_IV = 8, ESP_PAD_LENGTH = 1, ESP_NEXT = 1, ESP_ICV = 16 };
enum {
    ESP_TRAILER = ESP_PAD_LENGTH + ESP_NEXT,
    ESP_FIXED = ESP_SPI + ESP_SEQUENCE + ESP_IV + ESP_TRAILER + ESP_ICV
};
enum { TLS_HEAD = 5, TLS_TYPE = 1, TLS_TAG = 16, TLS_FIXED = TLS_HEAD + TLS_TYPE + TLS_TAG };
enum { TCP_OFFSET = 12 };

/* The trailer ends on a multiple of four octets (RFC 4303 section 2.4). */
static uint32_t esp_adds(uint32_t octets)
{
    return ESP_FIXED + (4 - (octets + ESP_TRAILER) % 4) % 4;
}

uint32_t security_adds(enum security s, uint32_t octets, bool data)
{
    if (s == SECURITY_ESP)
        return esp_adds(octets);
    return s == SECURITY_TLS && data ? TLS_FIXED : 0;
}

uint32_t security_mtu(enum security s, uint32_t mtu)
{
    uint32_t least = IP_HEAD + ESP_FIXED;
    uint32_t inner = mtu > least ? IP_HEAD + (mtu - least + ESP_TRAILER) / 4 * 4 - ESP_TRAILER : 0;
    LAW(!inner || inner + esp_adds(inner - IP_HEAD) <= mtu);
    if (s == SECURITY_ESP)
        return inner;
    return s == SECURITY_TLS ? mtu - TLS_FIXED : mtu;
}

static bool has_data(const struct ip_packet *p)
{
    bool tcp = p->protocol == IP_PROTOCOL_TCP && p->head > TCP_OFFSET;
    return tcp && p->size - IP_HEAD > (uint32_t)(p->octets[TCP_OFFSET] >> 4) * 4;
}

void security_seal(enum security s, struct ip_packet *p)
{
    p->sealed = (uint16_t)security_adds(s, p->size - IP_HEAD, has_data(p));
    p->size += p->sealed;
}

void security_open(struct ip_packet *p)
{
    LAW(p->size >= (uint32_t)IP_HEAD + p->sealed);
    p->size -= p->sealed;
    p->sealed = 0;
}
