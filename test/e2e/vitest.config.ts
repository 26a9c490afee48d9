import { defineConfig } from 'vitest/config'
import { longestFirst } from '../helpers/order-of-files.ts'

/** Tests that drive the real app: a file at a time on each desktop that scripts/testing/parts.mjs made. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    setupFiles: ['test/e2e/helpers/take-desktop.ts', 'test/e2e/helpers/one-day.ts'],
    sequence: {
      sequencer: longestFirst(
        'tour/tour.e2e.ts',
        'accessibility/raw-list.e2e.ts',
        'saving/lasting.e2e.ts',
        'plug.e2e.ts',
        'keyboard/raw-report.e2e.ts',
        'accessibility/troubles.e2e.ts',
        'tour/overview.e2e.ts',
      ),
    },
    // A machine that has much to do is slow, not wrong.
    testTimeout: 900_000,
    hookTimeout: 60_000,
    // Each test starts and ends an app of its own; to load what drives it again for each file takes seconds.
    isolate: false,
    expect: { poll: { timeout: 30_000 } },
  },
})
