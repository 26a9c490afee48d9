import { vitePreprocess } from '@sveltejs/vite-plugin-svelte'

/** Runes everywhere: the older reactive syntax does not compile here. */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
}
