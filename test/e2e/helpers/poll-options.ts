/**
 * How long anything is waited for that other programs do: a machine that has much to do is slow, not wrong. To ask them may
 * take a process each time.
 */
export const pollOptions = { timeout: 60_000, interval: 200 }
