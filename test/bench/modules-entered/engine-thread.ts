import { countAs } from './in-thread.ts'

await countAs('engine')
await import('../../../src-main/figures/engine/engine-process.ts')
