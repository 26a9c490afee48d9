import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

/** `npx vite test/src-renderer/gallery` shows the window in a browser, in every state of `states.ts`. */
export default defineConfig({
  plugins: [svelte({ configFile: '../../../svelte.config.js' })],
})
