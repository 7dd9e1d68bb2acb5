// SPDX-License-Identifier: GPL-2.0-or-later
export interface Told {
  /** What `iwarpsim explain` prints. */
  text: string;
  /** One for each receive path: events, segments, messages, buffers. */
  stories: Array<Record<string, any>>;
}
export interface Engine {
  run(settings: Record<string, string | number>, more?: {beside?: 'none' | 'place' | 'hold' | 'discard' | 'copy'; repeat?: number}): Told;
  capture(name: string, octets: Uint8Array): Told;
  judge(code: string): {solved: boolean; valid: boolean; text: string};
  /** The eight labs: each with its questions to this student, its rows `x` and its columns `by`. */
  labs(student: number | string): Array<Record<string, any>>;
  /** lab from 1, x and by from 0. */
  labPoint(lab: number, x: number, by: number): number;
  judgeLab(code: string): {questions: Array<{text: string; right: boolean}>};
}
export function load(octets: BufferSource | WebAssembly.Module): Promise<Engine>;
