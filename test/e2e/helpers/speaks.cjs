/**
 * Loaded into the main process before the app: told to by a signal (SIGUSR2), it writes to its standard error. What came of
 * that is written into the file named by SPOKEN.
 */
const { writeFileSync } = require('node:fs')

process.on('SIGUSR2', () => {
  process.stderr.write('Does anybody hear this?\n', (error) => {
    writeFileSync(process.env['SPOKEN'] ?? '', error ? Reflect.get(error, 'code') : 'heard')
  })
})
