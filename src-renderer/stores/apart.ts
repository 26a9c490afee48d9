/**
 * How far apart two moments are, in milliseconds. Where the clock is set back, what is past lies ahead: nothing must wait
 * until it has caught up.
 */
export const apart = (one: number, other: number): number => Math.abs(one - other)
