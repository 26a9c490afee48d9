import { defineConfig } from 'vitest/config'

/** Tests that drive the real app, one after the other: they share a screen, a bus and two processors. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A machine that has much to do is slow, not wrong.
    expect: { poll: { timeout: 10_000 } },
  },
})
