/**
 * Deterministic randomness: sfc32 (Chris Doty-Humphrey's small fast counter) for streams, and a murmur finaliser for
 * values derived from an event's index.
 */

/** Returns the next 32 bits of a stream, an integer from 0 to 2^32 - 1. */
export type Random = () => number

/** Hashes two integers to 32 bits. */
export function hash32(value: number, salt: number): number {
  let h = (value ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Hashes a text to 32 bits. */
export function hashText(text: string): number {
  let h = 0
  for (let index = 0; index < text.length; index++) h = hash32(h ^ text.charCodeAt(index), index)
  return h
}

/** Creates a stream. Each purpose has its own, so that an additional draw does not change the others. */
export function randomStream(seed: number, purpose: string): Random {
  const salt = hashText(purpose)
  let a = hash32(seed, salt)
  let b = hash32(a, salt + 1)
  let c = hash32(b, salt + 2)
  let counter = 1
  const next = () => {
    const drawn = (a + b + counter) >>> 0
    counter = (counter + 1) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = (((c << 21) | (c >>> 11)) + drawn) >>> 0
    return drawn
  }
  for (let turn = 0; turn < 12; turn++) next()
  return next
}

/** Returns an integer from 0 to `below` - 1. */
export const drawBelow = (random: Random, below: number): number => random() % below

/** Returns a fraction from 0 to 1 (exclusive). */
export const drawFraction = (random: Random): number => random() / 0x1_0000_0000

const SLOTS = 4096

/** Look-up table of 4,096 indexes in proportion to their weights. */
export type WeightedTable = Uint16Array

/** Creates a table from weights of any scale. Shares below 1/4,096 may be lost. */
export function weightedTable(weights: readonly number[]): WeightedTable {
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  const table = new Uint16Array(SLOTS)
  let reached = 0
  let slot = 0
  weights.forEach((weight, index) => {
    reached += weight
    const until = Math.round((reached / whole) * SLOTS)
    table.fill(index, slot, until)
    slot = Math.max(slot, until)
  })
  return table
}

/** Draws an index by weight. */
export const drawWeighted = (random: Random, table: WeightedTable): number => table[random() >>> 20] as number

/** Returns geometrically falling weights. */
export const fallingWeights = (count: number, factor: number): number[] =>
  Array.from({ length: count }, (_, index) => factor ** index)
