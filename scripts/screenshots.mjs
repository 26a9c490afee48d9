/** `npm run screenshots`: takes the pictures of the app that the documentation shows. */
import { runOnDesktop } from './desktop/on-runtime.mjs'

await runOnDesktop('test', 'screenshots', 'index.ts')
