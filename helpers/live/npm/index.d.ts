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
}
export function load(octets: BufferSource | WebAssembly.Module): Promise<Engine>;
