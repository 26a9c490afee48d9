import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { guideChapters } from './scripts/guide/markdown.mjs'
import { requireOption } from './scripts/common/arguments.mjs'
import { longestFirst } from './test/helpers/longest-first.ts'

const keepWasmWrappers = join(import.meta.dirname, 'test', 'helpers', 'keep-wasm-wrappers.cjs')

/** A machine that has much to do is slow, not wrong. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } }

/** Unit tests. What needs a window of the real app is under test/e2e, with a configuration of its own. */
export default defineConfig({
  test: {
    // Every processor: Vitest leaves one free by itself, which is half of a small machine.
    maxWorkers: '100%',
    sequence: {
      sequencer: longestFirst(
        'figures/engine/oracle.test.ts',
        'downloads/kills.test.ts',
        'downloads/service.test.ts',
        'downloads/hostile.test.ts',
        'killed-while-keeping.test.ts',
      ),
    },
    projects: [
      {
        test: {
          ...patience,
          name: 'node',
          environment: 'node',
          // Processes that tests start have it too.
          env: { NODE_OPTIONS: requireOption(process.env['NODE_OPTIONS'], keepWasmWrappers) },
          include: ['test/{src-main,src-shared,src-preload,scripts,security,faults,fuzz,bench}/**/*.test.ts'],
        },
      },
      {
        plugins: [guideChapters(), svelte(), svelteTesting()],
        test: {
          ...patience,
          name: 'window',
          environment: 'jsdom',
          include: ['test/src-renderer/**/*.test.ts'],
        },
      },
    ],
  },
})
