/** `npm run screenshots`: takes pictures of the app's views; with `--docs` those that the documents show. */
import { runOnDesktop } from './desktop/on-runtime.mjs'

await runOnDesktop('test', 'screenshots', 'index.ts')
