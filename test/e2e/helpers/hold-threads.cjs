/**
 * Loaded into the main process before the app: once that runs, has as many threads wait for pipes as THREADS_HELD says, as for
 * folders that hang, and says on standard error when files and names answer all the same.
 */
const { execFileSync } = require('node:child_process')
const { lookup } = require('node:dns/promises')
const { open, stat } = require('node:fs/promises')
const { join } = require('node:path')
const { app } = require('electron')

void app.whenReady().then(async () => {
  const held = Array.from({ length: Number(process.env['THREADS_HELD']) }, (_, number) =>
    join(app.getPath('userData'), `pipe-${number}`),
  )
  execFileSync('mkfifo', held)
  for (const pipe of held) void open(pipe, 'r')
  await Promise.all([stat(__filename), lookup('localhost')])
  process.stderr.write('Files and names answer\n')
})
