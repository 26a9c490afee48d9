import { defineConfig } from 'vitest/config'

/** What takes long on purpose: `npm run soak`. */
export default defineConfig({
  test: { include: ['test/soak/*.soak.ts'], setupFiles: ['test/e2e/helpers/take-desktop.ts'], maxWorkers: 1 },
})
