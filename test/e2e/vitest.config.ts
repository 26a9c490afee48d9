import { defineConfig } from 'vitest/config'

/** Tests that drive the real app: a file at a time on each desktop that scripts/testing/parts.mjs made. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    setupFiles: ['test/e2e/helpers/take-desktop.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A machine that has much to do is slow, not wrong.
    expect: { poll: { timeout: 10_000 } },
  },
})
