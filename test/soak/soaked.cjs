/**
 * Loaded into the main process before the app: writes down how long its event loop was held up, every ten seconds; and told
 * to by a signal (SIGUSR2), lets go of what nothing refers to any more, and writes down how many bytes are left in use.
 */
const { appendFileSync, renameSync, writeFileSync } = require('node:fs')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

const file = process.env['SOAK_DELAYS'] ?? ''
const heap = process.env['SOAK_HEAP'] ?? ''
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
setInterval(() => {
  appendFileSync(file, `${JSON.stringify([50, 99, 100].map((share) => delay.percentile(share) / 1e6))}\n`)
  delay.reset()
}, 10_000).unref()

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(`${heap}-begun`, String(heapUsed + external))
  renameSync(`${heap}-begun`, heap)
})
