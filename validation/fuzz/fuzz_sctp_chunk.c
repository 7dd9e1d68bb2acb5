/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_sctp_chunk.c -- any octets as the chunks of one packet, to an association in every state.
 *
 * Input: 1 octet of configuration, 1 octet: which tag, then the chunks, as they are. Laws: those of
 * sctp_scene.c; nothing is read beyond the packet; what is answered is a packet.
 */
#include "validation/fuzz/sctp_scene.h"

static uint32_t tag_of(const struct scene *s, uint8_t which)
{
    const uint32_t tags[4] = {s->a->tag, 0, SCENE_PEER_TAG, 99};
    return tags[which & 3];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 2048)
        return 0;
    for (int state = 0; state < SCTP_STATES; state++) {
        struct scene s;
        scene_open(&s, data[0], (enum sctp_state)state);
        scene_deliver(&s, tag_of(&s, data[1]), data + 2, (uint32_t)size - 2, data[1]);
        for (int i = 0; i < 8; i++)
            scene_transmit(&s);
        scene_close(&s);
    }
    return 0;
}
