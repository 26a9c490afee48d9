import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

/** Unit tests. What needs a window of the real app is under test/e2e, with a configuration of its own. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/{src-main,src-shared,src-preload,scripts,faults,fuzz,bench}/**/*.test.ts'],
        },
      },
      {
        plugins: [svelte(), svelteTesting()],
        test: {
          name: 'window',
          environment: 'jsdom',
          include: ['test/src-renderer/**/*.test.ts'],
        },
      },
    ],
  },
})
