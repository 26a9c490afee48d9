import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { nodeThreads } from './src-main/lib/node-threads.ts'
import { guideChapters } from './scripts/guide/markdown.mjs'
import { requireOption } from './scripts/common/arguments.mjs'
import { spread } from './test/helpers/order-of-files.ts'

const keepWasmWrappers = join(import.meta.dirname, 'test', 'helpers', 'keep-wasm-wrappers.cjs')

// Threads of tests have the zone of the process that began them.
process.env['TZ'] = process.env['TEST_ZONE'] ?? 'UTC'

/** A machine that has much to do is slow, not wrong. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } }

const inNode = {
  ...patience,
  environment: 'node' as const,
  setupFiles: ['test/helpers/day-of-tests.ts'],
  env: {
    // As many as the app has.
    UV_THREADPOOL_SIZE: String(nodeThreads.all),
    // Processes that tests start have it too. Built threads have no types to take off, and start faster without it.
    ...(!process.env['TRAFFIC_DESK_BUILT'] && {
      NODE_OPTIONS: requireOption(process.env['NODE_OPTIONS'], keepWasmWrappers),
    }),
  },
}

/**
 * Files without a window that put another module in the place of one that others load as it is. Each has a process of its own;
 * the others share a few, because to start one and to load the same modules again takes longer than most files' tests.
 */
const apart = globSync('test/{src-main,src-shared,scenarios,fuzz}/**/*.test.ts', {
  cwd: import.meta.dirname,
}).filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('vi.mock('))

/** Unit tests. What needs a window of the real app is under test/e2e, with a configuration of its own. */
export default defineConfig({
  test: {
    // One more than there are processors: a file often waits for a process, a disk or a service.
    maxWorkers: availableParallelism() + 1,
    sequence: {
      sequencer: spread(
        'moments/killed.test.ts',
        'moments/full-disk.test.ts',
        'moments/two-instances.test.ts',
        'downloads/kills.test.ts',
        'moments/exports-killed.test.ts',
        'moments/rows-killed.test.ts',
        'requests/raw-requests.killed.test.ts',
        'moments/saving-killed.test.ts',
        'killed-while-keeping.test.ts',
      ),
    },
    projects: [
      {
        test: {
          ...inNode,
          name: 'node',
          isolate: false,
          include: [
            'test/{src-main,src-shared,src-preload,scenarios,scripts,docs,security,faults,fuzz,bench}/**/*.test.ts',
          ],
          exclude: apart,
        },
      },
      {
        plugins: [guideChapters(), svelte(), svelteTesting()],
        test: {
          ...patience,
          // End-to-end tests have the processors first: the rows' view has taken half a minute to load.
          ...{ testTimeout: 180_000, hookTimeout: 180_000 },
          environment: 'jsdom',
          // Whoever waits for a part of the window looks for it again and again, and to write the whole window down each time
          // that it is not there yet takes a tenth of the time. Set it to 7000 to see the window in which a test fails.
          env: { DEBUG_PRINT_LIMIT: process.env['DEBUG_PRINT_LIMIT'] ?? '0' },
          // A window for each file, since what stands in for the browser's own would be left to the next one; not a process.
          pool: 'vmThreads',
          setupFiles: ['test/helpers/day-of-tests.ts', 'test/src-renderer/helpers/setup.ts'],
          name: 'window',
          include: ['test/src-renderer/**/*.test.ts'],
        },
      },
      { test: { ...inNode, name: 'node apart', include: apart } },
    ],
  },
})
