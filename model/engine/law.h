/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* law.h -- LAW(x): x holds here. A law is written in words beside the structure it is about, and stands as LAW where that
 * structure is changed and where it is relied upon. Under the sanitizers and fuzzers (IW_LAWS) a broken one ends the
 * program at once; elsewhere nothing of it is compiled. */
#ifndef IW_ENGINE_LAW_H
#define IW_ENGINE_LAW_H

#ifdef IW_LAWS
#define LAW(x) ((x) ? (void)0 : __builtin_trap())
#else
#define LAW(x) ((void)(0 && (x)))
#endif

#endif
