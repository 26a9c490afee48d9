/** Whether tests take their time: TEST_LONG=1. */
export const isLong = process.env['TEST_LONG'] === '1'

/** How often something is tried: a few times as a rule, many times where tests take their time. */
export const runs = (short: number, long: number): number => (isLong ? long : short)
