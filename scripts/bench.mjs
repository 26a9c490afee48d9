/** `npm run bench [-- <measurement> …]`: measures the app on a throw-away desktop. */
import { runOnDesktop } from './desktop/on-runtime.mjs'

await runOnDesktop('test', 'bench', 'index.ts')
