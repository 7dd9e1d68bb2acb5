/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zip.h -- a folder of files as a ZIP archive, stored as they are. */
#ifndef HELPERS_BASE_ZIP_H
#define HELPERS_BASE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC-32 of ISO 3309, as ZIP has it, of octets behind others whose sum is `crc` (0: none). */
uint32_t zip_crc(uint32_t crc, const void *octets, size_t size);
/* All files of a folder, which has no folders in it, by name; the same files make the same octets. False: errno says why. */
bool zip_folder(const char *folder, const char *path);

#endif
