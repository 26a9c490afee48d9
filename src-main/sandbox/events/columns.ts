/**
 * All events, a column each, in order of time. Every column but the first and the last three holds indexes into a
 * dictionary of the catalogue.
 */
export type EventColumns = {
  /** Seconds since 1970. */
  readonly time: Uint32Array
  readonly instance: Uint8Array
  readonly source: Uint8Array
  readonly campaign: Uint8Array
  readonly client: Uint16Array
  readonly place: Uint8Array
  readonly network: Uint8Array
  readonly connection: Uint8Array
  /** The referrer; meaningless for drops and for Direct. */
  readonly host: Uint16Array
  readonly path: Uint8Array
  /** Index into `verdicts`. */
  readonly verdict: Uint8Array
  /** 1 where an ad blocker was met, 0 where none was, ADBLOCK_UNKNOWN where nobody looked. */
  readonly adblock: Uint8Array
  /** A bit for each broken rule set. */
  readonly rules: Uint8Array
}

/** A column of indexes into a dictionary. */
export type IndexedColumn = Exclude<keyof EventColumns, 'time' | 'verdict' | 'adblock' | 'rules'>

export const ADBLOCK_UNKNOWN = 2

/** Columns for `count` events, all zero. */
export function emptyColumns(count: number): EventColumns {
  return {
    time: new Uint32Array(count),
    instance: new Uint8Array(count),
    source: new Uint8Array(count),
    campaign: new Uint8Array(count),
    client: new Uint16Array(count),
    place: new Uint8Array(count),
    network: new Uint8Array(count),
    connection: new Uint8Array(count),
    host: new Uint16Array(count),
    path: new Uint8Array(count),
    verdict: new Uint8Array(count),
    adblock: new Uint8Array(count),
    rules: new Uint8Array(count),
  }
}
