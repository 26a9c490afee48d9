/**
 * Randomness that a seed fixes for good: sfc32 (Chris Doty-Humphrey's small fast counter) for streams, a murmur finaliser
 * for values that must be had from an event's place alone.
 */

/** The next 32 bits of a stream, as a whole number from 0 to 2^32 - 1. */
export type Random = () => number

/** Scatters two whole numbers over 32 bits. */
export function hash32(value: number, salt: number): number {
  let h = (value ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Scatters a text over 32 bits. */
export function hashText(text: string): number {
  let h = 0
  for (let index = 0; index < text.length; index++) h = hash32(h ^ text.charCodeAt(index), index)
  return h
}

/** A stream of its own for each purpose, so that one more draw in one place moves nothing elsewhere. */
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

/** A whole number from 0 to `below` - 1. */
export const drawBelow = (random: Random, below: number): number => random() % below

/** A fraction from 0 up to, not including, 1. */
export const drawFraction = (random: Random): number => random() / 0x1_0000_0000

const SLOTS = 4096

/** Which index to take, 4,096 times over in proportion to the weights: a draw is then one look-up. */
export type WeightedTable = Uint16Array

/** Weights of any scale; an index whose share is below a 4,096th may never be drawn. */
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

/** Draws an index by its weight. */
export const drawWeighted = (random: Random, table: WeightedTable): number => table[random() >>> 20] as number

/** Weights that fall off by the same factor: a few common things, a long tail. */
export const fallingWeights = (count: number, factor: number): number[] =>
  Array.from({ length: count }, (_, index) => factor ** index)
