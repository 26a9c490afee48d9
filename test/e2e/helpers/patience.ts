/** How long anything is waited for: a machine that has much to do is slow, not wrong. */
export const patience = { timeout: 60_000 }
